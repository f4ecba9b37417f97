"""`skillbag personal`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli import EXIT_ENVIRONMENT, EXIT_USAGE
from skillbag.cli.lifecycle import Answer, Group, answer, json_option, publish

if TYPE_CHECKING:
    from skillbag.personal.skills import PersonalChange, PersonalSkill

_EXAMPLES = """\b
Examples:
  skillbag personal add ~/work/tidy-folder
  skillbag personal list
  skillbag personal remove tidy-folder
  skillbag personal root ~/skills          use this folder from now on

\b
Personal skills are yours in every workspace; a project's skill of the same name hides one.
They are in ~/.agents/skills, unless --personal, SKILLBAG_PERSONAL_DIR or skillbag personal root says otherwise.
Exit codes: 0 done, 2 bad usage or no such skill, 4 the environment failed.
"""
_ADD = """\b
Examples:
  skillbag personal add ~/work/tidy-folder
  skillbag personal add ./skills/* --dry-run

\b
A skill of the same name is replaced as a whole. Only the name, the description and unsafe files are checked;
skillbag check FOLDER checks the rest.
"""
_REMOVE = """\b
Examples:
  skillbag personal remove tidy-folder
  skillbag personal remove Tidy-Folder --dry-run    ignores case
"""
_LIST = """\b
Examples:
  skillbag personal list
  skillbag personal list --json
"""
_ROOT = """\b
Examples:
  skillbag personal root             show it
  skillbag personal root ~/skills    use this folder from now on
  skillbag personal root --reset     in ~/.agents/skills again
"""

_personal = click.option("--personal", metavar="DIR", help="The folder of personal skills, for this command only.")
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")


@click.group("personal", cls=Group, epilog=_EXAMPLES)
def command() -> None:
    """Add, remove and list your personal skills, which are available in every workspace."""


@command.command("add", epilog=_ADD)
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@_dry_run
@_personal
@json_option
def add(folders: tuple[str, ...], dry_run: bool, personal: str | None, as_json: bool) -> None:
    """Copy folders with a SKILL.md to your personal skills, under their declared names."""
    from skillbag.cli.recovery import report_recovery
    from skillbag.personal.skills import add_personal_skill

    def one(folder: str) -> PersonalChange:
        return add_personal_skill(_root(personal), folder, dry_run=dry_run, notice=report_recovery)

    _change("personal add", one, folders, dry_run=dry_run, as_json=as_json)


@command.command("remove", epilog=_REMOVE)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_dry_run
@_personal
@json_option
def remove(names: tuple[str, ...], dry_run: bool, personal: str | None, as_json: bool) -> None:
    """Delete personal skills by their declared names."""
    from skillbag.cli.recovery import report_recovery
    from skillbag.personal.skills import remove_personal_skill

    def one(name: str) -> PersonalChange:
        return remove_personal_skill(_root(personal), name, dry_run=dry_run, notice=report_recovery)

    _change("personal remove", one, names, dry_run=dry_run, as_json=as_json)


@command.command("list", epilog=_LIST)
@_personal
@json_option
def list_(personal: str | None, as_json: bool) -> None:
    """List your personal skills, and what else is in their folder."""
    from skillbag.cli.recovery import report_recovery
    from skillbag.personal.skills import personal_skills

    def work() -> Answer:
        root = _root(personal)
        found = personal_skills(root, report_recovery)
        hiding, slips = _project_names()
        remarks = (*found.remarks, *slips)
        values = {
            "root": _exact(root),
            "skills": [_values(one, hidden=one.name in hiding) for one in found.skills],
            "remarks": [_exact(remark) for remark in remarks],
        }
        return Answer(values, _listed(root, found.skills, hiding, remarks))

    answer("personal list", work, as_json=as_json)


@command.command("root", epilog=_ROOT)
@click.argument("folder", required=False, metavar="[DIR]")
@click.option("--reset", is_flag=True, help="Restore the default.")
@json_option
def root(folder: str | None, reset: bool, as_json: bool) -> None:
    """Show or set the folder of your personal skills."""

    def work() -> Answer:
        if folder is not None and reset:
            raise UserError("give a folder, or --reset: not both")
        said = _set(folder) if folder is not None or reset else ""
        found, origin = _found()
        text = said or f"{_shown(found) if found else 'There is none: SKILLBAG_PERSONAL_DIR is set to nothing.'}\n"
        return Answer({"root": _exact(found), "from": origin}, text)

    answer("personal root", work, as_json=as_json)


def _root(given: str | None) -> str | None:
    from skillbag.settings.user_settings import personal_root

    return personal_root(_absolute(given) if given else given)


def _absolute(folder: str) -> str:
    """What a person names counts from the folder that they are in."""
    try:
        return os.path.abspath(os.path.expanduser(folder))
    except FileNotFoundError as error:
        raise OSError(error.errno, "the current folder is gone; change into one that is there", folder) from error


def _set(folder: str | None) -> str:
    """Set the personal root, or take back what was set; what to say of it."""
    from skillbag.personal.folders import not_a_folder
    from skillbag.settings.user_settings import change_user_settings

    path = _absolute(folder) if folder else None
    if folder == "":
        raise UserError("the personal root: '' is no folder; --reset takes back what was set")
    if path is not None and os.path.lexists(path) and not os.path.isdir(path):
        raise not_a_folder(path)
    change_user_settings(lambda settings: settings._replace(personal_root=path))
    found, origin = _found()
    if origin == "variable":
        return "Set; but SKILLBAG_PERSONAL_DIR stands above it, as long as it is there.\n"
    return f"Personal skills are in {_shown(found or '')} from now on; those elsewhere stay there.\n"


def _found() -> tuple[str | None, str]:
    """The personal root, and by what it is that: `variable`, `settings` or `default`."""
    from skillbag.settings.user_settings import PERSONAL_VARIABLE, personal_root, read_user_settings

    found = personal_root()
    if PERSONAL_VARIABLE in os.environ:
        return found, "variable"
    return found, "settings" if read_user_settings().personal_root else "default"


def _change(
    name: str, one: Callable[[str], PersonalChange], given: Iterable[str], *, dry_run: bool, as_json: bool
) -> NoReturn:
    """Make the changes, one after the other, and tell them; what is done stays, whatever comes of the next."""
    done: list[PersonalChange] = []
    failure: UserError | OSError | None = None
    try:
        for what in given:
            done.append(one(what))
    except (UserError, OSError) as error:
        failure = error
    code = 0 if failure is None else EXIT_ENVIRONMENT if isinstance(failure, OSError) else EXIT_USAGE
    rows = [{**_exactly(change.values()), "folder": _exact(change.folder), "kept": _kept(change)} for change in done]
    values: dict[str, Any] = {"dry_run": dry_run, "changes": rows}
    if failure is not None:
        values["error"] = _exact(format_error(failure))
    text = "".join(f"{_told(change, dry_run)}\n" for change in done)
    publish(name, Answer(values, text, code), as_json=as_json)
    if failure is not None and not as_json:
        raise failure
    sys.exit(code)


_PLANNED = {
    "installed": "would be installed to",
    "replaced": "would be replaced in",
    "removed": "would be removed from",
}


def _told(change: PersonalChange, dry_run: bool) -> str:
    if dry_run:
        return f'Skill "{change.skill_name}" {_PLANNED[change.status]} personal skills: {_shown(change.folder)}'
    kept = "".join(f"\n  kept: {_shown(path)}" for path in change.kept)
    return f"{change.summary}{kept}"


def _kept(change: PersonalChange) -> list[str | None]:
    return [_exact(path) for path in change.kept]


def _project_names() -> tuple[frozenset[str], tuple[str, ...]]:
    """The names that the catalog of the workspace around lists, and why it can't be told, if so."""
    from skillbag.cli.recovery import recovered
    from skillbag.lifecycle.skills import listed_skills
    from skillbag.workspace.discovery import NoWorkspaceError, workspace_root
    from skillbag.workspace.model import Workspace
    from skillbag.workspace.target import Kind, installed

    try:
        found = workspace_root(recovered(os.getcwd()))
        return frozenset(listed_skills(Workspace(installed(Kind.WORKSPACE, found)))), ()
    except (NoWorkspaceError, FileNotFoundError):
        return frozenset(), ()
    except UserError as error:
        return frozenset(), (f"which of them the project's skills hide can't be told: {error}",)


def _values(skill: PersonalSkill, *, hidden: bool) -> dict[str, object]:
    values = {"name": skill.name, "description": skill.description, "folder": skill.directory, "file": skill.file}
    return {**_exactly(values), "hidden": hidden}


def _listed(root: str | None, skills: Iterable[PersonalSkill], hiding: frozenset[str], remarks: Iterable[str]) -> str:
    from skillbag.cli.command_support import look_of
    from skillbag.report.columns import head_or_more

    width = look_of(sys.stdout).width
    lines = []
    for skill in skills:
        described = f"{skill.name}  {_shown(skill.description)}"
        lines.append(head_or_more(described, width) if width else described)
        lines.append(f"  {_shown(skill.directory)}")
        if skill.name in hiding:
            lines.append("  hidden here: the project has a skill of that name")
    if not lines:
        lines.append(f"There are no personal skills{f' in {_shown(root)}' if root else ''}.")
    lines += (f"note: {_shown(remark)}" for remark in remarks)
    return "".join(f"{line}\n" for line in lines)


def _shown(text: str) -> str:
    from skillbag.report.sanitize import shown

    return shown(text)


def _exact(text: str | None) -> str | None:
    from skillbag.report.sanitize import exact

    return None if text is None else exact(text)


def _exactly(values: dict[str, str]) -> dict[str, str | None]:
    return {key: _exact(value) for key, value in values.items()}
