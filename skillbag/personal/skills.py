"""The user's personal skills: listed, added from a folder, removed by name, in transactions."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.personal.folders import Folder, folders_in, named
from skillbag.transaction.locations import SKILLS_FOLDER, Notice
from skillbag.transaction.recovery import recover


class PersonalSkill(NamedTuple):
    """A personal skill. `directory` is absolute, `file` is `SKILL.md` or `skill.md`; `name` is what it declares."""

    name: str
    description: str
    directory: str
    file: str


class PersonalSkills(NamedTuple):
    """The valid skills by name (of two folders with one name the first counts), and a remark on each other folder."""

    skills: tuple[PersonalSkill, ...]
    remarks: tuple[str, ...] = ()


class PersonalChange(NamedTuple):
    """A change: `status` is `installed`, `replaced` or `removed`.

    `folder` is where the skill is, or was. `kept` are backups of what was replaced: absolute, in `.skillbag/backup/` of
    the personal root.
    """

    summary: str
    skill_name: str
    status: str
    folder: str = ""
    kept: tuple[str, ...] = ()

    def values(self) -> dict[str, str]:
        """The result of the tools: `summary`, `skillName`, `status`."""
        return {"summary": self.summary, "skillName": self.skill_name, "status": self.status}


class NoPersonalRootError(UserError):
    """The user has configured that there is no personal root."""


class UnknownPersonalSkillError(UserError):
    """There is no personal skill of this name."""


def personal_skills(root: str | None, notice: Notice | None = None) -> PersonalSkills:
    """The skills in the personal root (absolute); none if it is not configured or does not exist.

    An interrupted change is completed first; `notice` gets a message about it.

    Raises:
        UserError: the root is no folder.
        OSError: it can't be read, or the change can't be completed.
    """
    if root is None:
        return PersonalSkills(())
    recover(root, notice=notice, locations=SKILLS_FOLDER)
    found: dict[str, PersonalSkill] = {}
    remarks = []
    for folder in folders_in(root):
        place = named(os.path.basename(folder.path))
        if folder.fault or folder.declared is None:
            remarks.append(f"the personal folder {place} holds no valid skill: {folder.fault}")
        elif first := found.get(folder.declared):
            other = named(os.path.basename(first.directory))
            remarks.append(f"the personal folder {place} is left aside: {other} declares the same name")
        else:
            found[folder.declared] = PersonalSkill(folder.declared, folder.description, folder.path, folder.file)
    return PersonalSkills(tuple(skill for _, skill in sorted(found.items())), tuple(remarks))


def add_personal_skill(
    root: str | None, folder: str, *, dry_run: bool = False, notice: Notice | None = None
) -> PersonalChange:
    """Copy the skill in `folder` into the personal root and replace the one with its name.

    The folder in the root that declares the name is replaced, whatever it is called; the copy gets the skill's name.
    The skill must be valid (a name, a description) and safe to copy; style is left to `skillbag check`. If `folder` is
    the installed skill itself, it stays as it is.

    Raises:
        UserError: no personal root is configured, `folder` is not a folder with a valid skill, or the path in the root
            is taken by something else.
        OSError: it can't be written; the root is unchanged.
    """
    from skillbag.personal.copying import place_of, put, source_of

    root = _configured(root)
    # First: `folder` may be a personal skill that an interrupted change has moved.
    recover(root, notice=notice, locations=SKILLS_FOLDER)
    source = source_of(root, folder)
    if dry_run:
        place = place_of(root, source)
        return _done("replaced" if place.taken else "installed", source.name, place.target)
    _make(root)
    with _changing(root, notice):
        place = place_of(root, source)
        kept = put(root, source, place)
    return _done("replaced" if place.taken else "installed", source.name, place.target, kept)


def remove_personal_skill(
    root: str | None, name: str, *, dry_run: bool = False, notice: Notice | None = None
) -> PersonalChange:
    """Delete the personal skill that declares this name, in any case of ASCII letters.

    Of a link only the link is removed. Other folders that declare the name are removed after a backup.

    Raises:
        UserError: no personal root is configured, `name` is malformed, or there is no such personal skill.
        OSError: it can't be deleted; the root is unchanged.
    """
    from skillbag.personal.copying import remove_folders

    root = _configured(root)
    wanted = _folded(name)
    if dry_run:
        recover(root, notice=notice, locations=SKILLS_FOLDER)
        folders = _declaring(root, wanted, name)
        return _done("removed", folders[0].declared or wanted, folders[0].path)
    with _changing(root, notice):
        folders = _declaring(root, wanted, name)
        paths = [folder.path for folder in folders]
        kept = remove_folders(root, paths, paths[1:])
    return _done("removed", folders[0].declared or wanted, folders[0].path, kept)


_SUMMARIES = {
    "installed": 'Skill "{}" installed to personal skills.',
    "replaced": 'Skill "{}" replaced in personal skills.',
    "removed": 'Skill "{}" removed from personal skills.',
}


def _done(status: str, name: str, folder: str, kept: tuple[str, ...] = ()) -> PersonalChange:
    return PersonalChange(_SUMMARIES[status].format(name), name, status, folder, kept)


def _configured(root: str | None) -> str:
    if root is None:
        raise NoPersonalRootError(
            "no personal root is configured: SKILLBAG_PERSONAL_DIR is set to nothing; set it to a folder, or unset it"
        )
    return root


def _make(root: str) -> None:
    from skillbag.personal.folders import not_a_folder

    try:
        os.makedirs(root, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise not_a_folder(root) from error


def _changing(root: str, notice: Notice | None) -> AbstractContextManager[None]:
    """Hold the writer lock of the personal root during the block."""
    from skillbag.transaction.writer import writing

    def waiting() -> None:
        if notice:
            notice(f"{root}: waiting for another process that is changing it…")

    return writing(root, on_wait=waiting, notice=notice, locations=SKILLS_FOLDER)


def _folded(name: str) -> str:
    """The name in lower case, checked against the pattern; only ASCII letters are folded."""
    from skillbag.personal.names import check_name

    folded = name.lower() if name.isascii() else name
    check_name(named(folded) if "://" in folded else folded)
    return folded


def _declaring(root: str, wanted: str, typed: str) -> list[Folder]:
    """The folders that declare the name, sorted; at least one."""
    folders = list(folders_in(root))
    found = [folder for folder in folders if _is_named(folder.declared, wanted)]
    if found:
        return found
    fault = f'there is no personal skill "{typed}"'
    path = os.path.join(root, wanted)
    if os.path.lexists(path):
        raise UnknownPersonalSkillError(f"{fault}: {path} declares no such name; delete it by hand if it is meant")
    raise UnknownPersonalSkillError(f"{fault}; {_hint(wanted, folders)}")


def _is_named(declared: str | None, wanted: str) -> bool:
    return declared is not None and declared.isascii() and declared.lower() == wanted


def _hint(wanted: str, folders: list[Folder]) -> str:
    import difflib

    names = sorted({folder.declared for folder in folders if folder.declared and not folder.fault})
    if close := difflib.get_close_matches(wanted, names, 1):
        return f"did you mean {close[0]}?"
    if not names:
        return "there are none at all"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"there are {', '.join(names[:10])}{more}"
