"""The user's personal skills: listed, added from a folder, removed by name, in transactions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

from skillbag.agents.personal.folders import Folder, folders_in, named, not_a_folder
from skillbag.agents.personal.names import check_name
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.kernel.transaction.locations import SKILLS_FOLDER, Notice
from skillbag.kernel.transaction.recovery import recover

if TYPE_CHECKING:
    from skillbag.agents.personal.kept import Kept
    from skillbag.supply.install.confirmation import Prompter


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
    """A change: `status` is `installed`, `replaced`, `removed` or `restored`.

    `folder` is where the skill is, or was. `kept` are backups of what was replaced: absolute, in `.skillbag/backup/` of
    the personal root. `note` is about the links in folders of agents.
    """

    summary: str
    skill_name: str
    status: str
    folder: str = ""
    kept: tuple[str, ...] = ()
    note: str = ""

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
    skills: dict[str, PersonalSkill] = {}
    remarks = []
    for folder in folders_in(root):
        shown = named(os.path.basename(folder.path))
        if folder.fault or folder.declared is None:
            remarks.append(f"the personal folder {shown} holds no valid skill: {folder.fault}")
        elif first := skills.get(folder.declared):
            other = named(os.path.basename(first.directory))
            remarks.append(f"the personal folder {shown} is ignored: {other} declares the same name")
        else:
            skills[folder.declared] = PersonalSkill(folder.declared, folder.description, folder.path, folder.file)
    return PersonalSkills(tuple(skill for _, skill in sorted(skills.items())), tuple(remarks))


def skill_folders(root: str | None, notice: Notice | None = None) -> dict[str, str]:
    """The absolute folders of the personal skills by name. Raises as `personal_skills`, and without a root."""
    return {skill.name: skill.directory for skill in personal_skills(_configured(root), notice).skills}


def add_personal_skill(
    root: str | None,
    folder: str,
    *,
    dry_run: bool = False,
    notice: Notice | None = None,
    prompter: Prompter | None = None,
) -> PersonalChange:
    """Copy the skill in `folder` into the personal root and replace the one with its name.

    The folder in the root that declares the name is replaced, whatever it is called; the copy gets the skill's name.
    What is replaced is kept (`kept_versions`).
    The skill must be valid (a name, a description) and safe to copy; style is left to `skillbag check`. If `folder` is
    the installed skill itself, it stays as it is. The `prompter` asks about what is of high risk.

    Raises:
        DeclinedError: the user did not agree.
        UserError: no personal root is configured, `folder` is not a folder with a valid skill, or the path in the root
            is taken by something else.
        OSError: it can't be written; the root is unchanged.
    """
    from skillbag.agents.personal.copying import destination_of, put, source_of
    from skillbag.agents.personal.kept import forget_old

    root = _configured(root)
    # First: `folder` may be a personal skill that an interrupted change has moved.
    recover(root, notice=notice, locations=SKILLS_FOLDER)
    source = source_of(root, folder)
    kept: tuple[str, ...] = ()
    if dry_run:
        destination = destination_of(root, source)
    else:
        try:
            os.makedirs(root, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise not_a_folder(root) from error
        with _changing(root, notice):
            destination = destination_of(root, source)
            if prompter is not None and not destination.own:
                from skillbag.agents.personal.consent import check_agreed

                check_agreed(source.name, source.folder, destination.displaced, prompter)
            kept = put(root, source, destination)
            forget_old(root, source.name)
    status = "replaced" if destination.taken else "installed"
    summary = f'Skill "{source.name}" {status} {"in" if destination.taken else "to"} personal skills.'
    return PersonalChange(summary, source.name, status, destination.target, kept, "" if dry_run else _relinked(root))


def remove_personal_skill(
    root: str | None,
    name: str,
    *,
    dry_run: bool = False,
    notice: Notice | None = None,
    prompter: Prompter | None = None,
) -> PersonalChange:
    """Remove the personal skill that declares this name, in any case of ASCII letters; it is kept (`kept_versions`).

    Of a link only the link is removed. Other folders that declare the name are removed and kept as well. The `prompter`
    asks about an active skill.

    Raises:
        DeclinedError, NeedsPersonError: the user did not agree, or can't be asked.
        UserError: no personal root is configured, `name` is malformed, or there is no such personal skill.
        OSError: it can't be deleted; the root is unchanged.
    """
    from skillbag.agents.personal.consent import check_removal, forget_approvals, holds_active
    from skillbag.agents.personal.copying import not_links, remove_folders
    from skillbag.agents.personal.kept import forget_old

    root = _configured(root)
    # Only ASCII letters are folded.
    folded = name.lower() if name.isascii() else name
    check_name(named(folded) if "://" in folded else folded)
    kept: tuple[str, ...] = ()
    if dry_run:
        recover(root, notice=notice, locations=SKILLS_FOLDER)
        folders = _declaring(root, folded, name)
    else:
        with _changing(root, notice):
            folders = _declaring(root, folded, name)
            paths = [folder.path for folder in folders]
            was_active = holds_active(paths)
            if prompter is not None:
                check_removal(folded, paths, prompter)
            kept = remove_folders(root, paths, not_links(paths))
            forget_old(root, folders[0].declared or folded)
            if was_active:
                forget_approvals(folders[0].declared or folded)
    declared = folders[0].declared or folded
    summary = f'Skill "{declared}" removed from personal skills.'
    return PersonalChange(summary, declared, "removed", folders[0].path, kept, "" if dry_run else _relinked(root))


def restore_personal_skill(
    root: str | None,
    name: str,
    number: int | None = None,
    *,
    dry_run: bool = False,
    notice: Notice | None = None,
    prompter: Prompter | None = None,
) -> PersonalChange:
    """Bring back the latest version of a skill that is kept, or the one with this number; what it replaces is kept.

    Raises:
        UserError: no personal root is configured, or there is no such version; as `add_personal_skill`.
        OSError: it can't be written; the root is unchanged.
    """
    from skillbag.agents.personal.kept import kept_versions
    from skillbag.kernel.transaction.trees import delete

    root = _configured(root)
    recover(root, notice=notice, locations=SKILLS_FOLDER)
    check_name(name)
    versions = kept_versions(root, name)
    wanted = [version for version in versions if number in (None, version.number)]
    if not wanted:
        raise UnknownPersonalSkillError(_no_version(name, number, versions, kept_versions(root)))
    change = add_personal_skill(root, wanted[0].folder, dry_run=dry_run, notice=notice, prompter=prompter)
    if not dry_run and os.path.lexists(change.folder):
        # Only now: after a crash it is there twice, and never gone.
        delete(wanted[0].folder)
    return change._replace(
        summary=f'Skill "{name}" restored in personal skills: version {wanted[0].number}.', status="restored"
    )


def _no_version(name: str, number: int | None, versions: Sequence[Kept], others: Sequence[Kept]) -> str:
    if versions:
        return f"{name}: there is no version {number}; there are {', '.join(str(each.number) for each in versions)}"
    names = list(dict.fromkeys(each.name for each in others))
    return f"no version of {name} is kept; {_suggestion(name, names)}"


def _relinked(root: str) -> str:
    """Update the links in folders of agents; a sentence about them."""
    from skillbag.supply.links.user_links import relink_user

    return relink_user(root, lambda: skill_folders(root))


def _configured(root: str | None) -> str:
    if root is None:
        raise NoPersonalRootError(
            "no personal root is configured: SKILLBAG_PERSONAL_DIR is set to nothing; set it to a folder, or unset it"
        )
    return root


def _changing(root: str, notice: Notice | None) -> AbstractContextManager[None]:
    """Hold the writer lock of the personal root during the block."""
    from skillbag.kernel.transaction.writer import writing

    def waiting() -> None:
        if notice:
            notice(f"{root}: waiting for another process that is changing it…")

    return writing(root, on_wait=waiting, notice=notice, locations=SKILLS_FOLDER)


def _declaring(root: str, wanted: str, typed: str) -> list[Folder]:
    """The folders that declare the name, sorted; at least one."""
    folders = list(folders_in(root))
    declaring = [
        folder for folder in folders if (name := folder.declared) and name.isascii() and name.lower() == wanted
    ]
    if declaring:
        return declaring
    path = os.path.join(root, wanted)
    if os.path.lexists(path):
        hint = f": {path} declares no such name; delete it yourself if you mean it"
    else:
        names = sorted({folder.declared for folder in folders if folder.declared and not folder.fault})
        hint = f"; {_suggestion(wanted, names)}"
    raise UnknownPersonalSkillError(f'there is no personal skill "{typed}"{hint}')


def _suggestion(wanted: str, names: list[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    there = f"{', '.join(names[:10])}{more}" if names else "none at all"
    return did_you_mean(wanted, names, f"there are {there}", "{}")
