"""The user's personal skills: added from a folder, removed by name, each change whole or not at all."""

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
    """The valid ones by name in order (of two of one name the first folder counts); a sentence on each other."""

    skills: tuple[PersonalSkill, ...]
    remarks: tuple[str, ...] = ()


class PersonalChange(NamedTuple):
    """What was done: `status` is `installed`, `replaced` or `removed`.

    `folder` is where the skill is, or was. `kept` are copies of what was displaced and could be missed: absolute, in
    `.skillbag/backup/` of the personal root.
    """

    summary: str
    skill_name: str
    status: str
    folder: str = ""
    kept: tuple[str, ...] = ()

    def values(self) -> dict[str, str]:
        """As the tools give it: `summary`, `skillName`, `status`, and nothing else."""
        return {"summary": self.summary, "skillName": self.skill_name, "status": self.status}


class NoPersonalRootError(UserError):
    """There is no personal root, and the user has said so."""


class UnknownPersonalSkillError(UserError):
    """There is no personal skill of this name; with the one that may be meant."""


def personal_skills(root: str | None, notice: Notice | None = None) -> PersonalSkills:
    """The skills in the personal root (absolute); none where it is not configured or not there.

    A change that was interrupted is brought to an end first, of which `notice` is told.

    Raises:
        UserError: the root is no folder.
        OSError: it can't be read, or not be brought to an end.
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
    """Copy the skill in `folder` into the personal root, in place of the one of its name, as a whole.

    What declares the name counts, wherever it lies in the root, so that there are never two; the copy is called by the
    name. It must be valid (a name, a description) and safe to copy; the rules of good style are for `skillbag check`.
    From the folder where it is installed, by whatever way that is named, nothing is to be done.

    Raises:
        UserError: no personal root is configured, `folder` is no folder, holds no valid skill, or one of a bad name;
            or its place is taken by what is no skill of this name.
        OSError: it can't be written; what was there is there.
    """
    from skillbag.personal.copying import place_of, put, source_of

    root = _configured(root)
    # The folder may be a personal skill's own, and out of its place until then.
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
    """Delete the personal skill that declares this name, in any case of letters (of ASCII alone).

    A folder that is a link is taken away, never what it leads to. Further folders that declare the name go as well,
    and are kept.

    Raises:
        UserError: no personal root is configured, `name` is none, or there is no such personal skill.
        OSError: it can't be deleted; it is there as it was.
    """
    from skillbag.personal.copying import take_away

    root = _configured(root)
    wanted = _folded(name)
    if dry_run:
        recover(root, notice=notice, locations=SKILLS_FOLDER)
        folders = _declaring(root, wanted, name)
        return _done("removed", folders[0].declared or wanted, folders[0].path)
    with _changing(root, notice):
        folders = _declaring(root, wanted, name)
        paths = [one.path for one in folders]
        kept = take_away(root, paths, paths[1:])
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
    """Within the block nobody else changes the personal root."""
    from skillbag.transaction.writer import writing

    def waiting() -> None:
        if notice:
            notice(f"{root}: waiting for another process that is changing it…")

    return writing(root, on_wait=waiting, notice=notice, locations=SKILLS_FOLDER)


def _folded(name: str) -> str:
    """The name as a skill has it, before anything is looked at; beyond ASCII no letter is another one's."""
    from skillbag.personal.names import check_name

    folded = name.lower() if name.isascii() else name
    check_name(named(folded) if "://" in folded else folded)
    return folded


def _declaring(root: str, wanted: str, typed: str) -> list[Folder]:
    """The folders that declare the name, in order, at least one."""
    folders = list(folders_in(root))
    found = [one for one in folders if one.declared and one.declared.isascii() and one.declared.lower() == wanted]
    if found:
        return found
    told = f'there is no personal skill "{typed}"'
    path = os.path.join(root, wanted)
    if os.path.lexists(path):
        raise UnknownPersonalSkillError(f"{told}: {path} declares no such name; delete it by hand if it is meant")
    raise UnknownPersonalSkillError(f"{told}; {_hint(wanted, folders)}")


def _hint(wanted: str, folders: list[Folder]) -> str:
    import difflib

    names = sorted({one.declared for one in folders if one.declared and not one.fault})
    if close := difflib.get_close_matches(wanted, names, 1):
        return f"did you mean {close[0]}?"
    if not names:
        return "there are none at all"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"there are {', '.join(names[:10])}{more}"
