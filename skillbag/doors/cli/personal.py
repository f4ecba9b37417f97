"""`skillbag agent personal`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliGroup, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_QUESTION, exit_of
from skillbag.doors.cli.messages import message, note_shown
from skillbag.doors.cli.options import dry_run_option, json_option, yes_option
from skillbag.doors.cli.outputs import check_personal
from skillbag.doors.cli.streams import columns, safe
from skillbag.doors.cli.workspaces import absolute_folder, workspace_at
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.workspace.discovery import NoWorkspaceError
from skillbag.report.answers.commands import (
    KeptVersionJson,
    KeptVersionsJson,
    PersonalChangeJson,
    PersonalChangesJson,
    PersonalListJson,
    PersonalRootJson,
    PersonalSkillJson,
)
from skillbag.report.columns import head_or_more
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.agents.personal.skills import PersonalChange, PersonalSkill

_EXAMPLES = """\b
Examples:
  skillbag agent personal add ~/work/tidy-folder
  skillbag agent personal list
  skillbag agent personal remove tidy-folder
  skillbag agent personal restore tidy-folder    the version before
  skillbag agent personal root ~/skills          use this folder from now on

\b
Personal skills are yours in every workspace; a project's skill of the same name hides one.
They are in ~/.agents/skills, unless --personal, SKILLBAG_PERSONAL_DIR or skillbag agent personal root says otherwise.
Exit codes: 0 done, 2 bad usage or no such skill, 4 the environment failed.
"""
_ADD = """\b
Examples:
  skillbag agent personal add ~/work/tidy-folder
  skillbag agent personal add ./skills/* --dry-run
  skillbag agent personal add registry:tidy-folder@^1

\b
A skill of the same name is replaced as a whole. Only the name, the description and unsafe files are checked;
skillbag check FOLDER checks the rest.
"""
_REMOVE = """\b
Examples:
  skillbag agent personal remove tidy-folder
  skillbag agent personal remove Tidy-Folder --dry-run    ignores case
"""
_RESTORE = """\b
Examples:
  skillbag agent personal restore tidy-folder
  skillbag agent personal restore --list
  skillbag agent personal restore tidy-folder --version 2

\b
add and remove keep what they replace or remove: the last five versions of each skill, in .skillbag/backup/ of the
folder of personal skills. What restore replaces is kept as well.
"""
_ROOT = """\b
Examples:
  skillbag agent personal root             show it
  skillbag agent personal root ~/skills    use this folder from now on
  skillbag agent personal root --reset     in ~/.agents/skills again
"""

_personal = click.option("--personal", metavar="DIR", help="The folder of personal skills, for this command only.")


@click.group("personal", cls=CliGroup, epilog=_EXAMPLES)
def command() -> None:
    """Add, remove and list your personal skills, which are available in every workspace."""


@command.command("add", epilog=_ADD)
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@dry_run_option
@click.option("--accept", "moved", type=click.Choice(["moved"]), help="Accept a registry's version that has changed.")
@yes_option
@_personal
@json_option
def add(
    folders: tuple[str, ...], moved: str | None, dry_run: bool, yes: bool, personal: str | None, as_json: bool
) -> None:
    """Copy folders with a SKILL.md, or skills of a registry, to your personal skills, under their declared names."""
    from skillbag.agents.personal.from_registry import add_personal
    from skillbag.doors.cli.install_questions import simple_prompter

    copy = partial(add_personal, accept_moved=moved is not None, prompter=simple_prompter(as_json, yes))
    _change("personal add", copy, folders, personal, dry_run=dry_run, as_json=as_json)


@command.command("remove", epilog=_REMOVE)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@dry_run_option
@_personal
@json_option
def remove(names: tuple[str, ...], dry_run: bool, personal: str | None, as_json: bool) -> None:
    """Remove personal skills by their declared names; restore brings them back."""
    from skillbag.agents.personal.skills import remove_personal_skill
    from skillbag.doors.cli.install_questions import simple_prompter

    change = partial(remove_personal_skill, prompter=simple_prompter(as_json, yes=True))
    _change("personal remove", change, names, personal, dry_run=dry_run, as_json=as_json)


@command.command("list", epilog="\b\nExamples:\n  skillbag agent personal list\n  skillbag agent personal list --json")
@_personal
@json_option
def list_(personal: str | None, as_json: bool) -> None:
    """List your personal skills, and what else is in their folder."""
    from skillbag.agents.personal.skills import personal_skills

    with answering("personal list", as_json=as_json) as say:
        root = _root(personal)
        found = personal_skills(root, note_shown)
        hiding, problems = _project_names()
        remarks = (*found.remarks, *problems)
        skills = tuple(
            PersonalSkillJson(skill.name, skill.description, skill.directory, skill.file, skill.name in hiding)
            for skill in found.skills
        )
        values = PersonalListJson(root, skills, remarks)
        say(CommandOutput(values, _listed(root, found.skills, hiding, remarks)))


@command.command("restore", epilog=_RESTORE)
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--version", "number", type=click.IntRange(1), metavar="N", help="The version, instead of the latest.")
@click.option("--list", "show", is_flag=True, help="Show the versions that are kept, and restore nothing.")
@dry_run_option
@_personal
@json_option
def restore(
    name: str | None, number: int | None, show: bool, dry_run: bool, personal: str | None, as_json: bool
) -> None:
    """Bring back a version of a personal skill that was replaced or removed."""
    from skillbag.agents.personal.skills import restore_personal_skill
    from skillbag.doors.cli.install_questions import simple_prompter

    if show:
        with answering("personal restore", as_json=as_json) as say:
            say(_kept(_root(personal), name))
    if name is None:
        raise click.UsageError("Missing argument 'NAME'; --list shows what is kept.")
    asking = partial(restore_personal_skill, prompter=simple_prompter(as_json, yes=True))
    change = partial(_restored, asking, number)
    _change("personal restore", change, (name,), personal, dry_run=dry_run, as_json=as_json)


def _restored(restore: Callable[..., PersonalChange], number: int | None, root: str, name: str, **how: Any) -> Any:
    return restore(root, name, number, **how)


def _kept(root: str | None, name: str | None) -> CommandOutput:
    """The versions of a skill, or of all."""
    from skillbag.agents.personal.kept import kept_versions

    versions = kept_versions(root, name) if root else ()
    kept = tuple(KeptVersionJson(each.name, each.number, each.description, each.folder) for each in versions)
    lines = [f"{each.name} {each.number}  {shown(each.description)}\n  {shown(each.folder)}\n" for each in versions]
    return CommandOutput(KeptVersionsJson(root, kept), "".join(lines) or "Nothing is kept.\n")


@command.command("root", epilog=_ROOT)
@click.argument("folder", required=False, metavar="[DIR]")
@click.option("--reset", is_flag=True, help="Restore the default.")
@json_option
def root(folder: str | None, reset: bool, as_json: bool) -> None:
    """Show or set the folder of your personal skills."""
    from skillbag.doors.cli.personal_root import change_root, current_root

    with answering("personal root", as_json=as_json) as say:
        if folder is not None and reset:
            raise UserError("give a folder, or --reset: not both")
        text = change_root(folder) if folder is not None or reset else ""
        current, origin = current_root()
        if not text and current:
            text = f"{shown(current)}\n"
        say(
            CommandOutput(
                PersonalRootJson(current, origin), text or "There is none: SKILLBAG_PERSONAL_DIR is set to nothing.\n"
            )
        )


def _root(given: str | None) -> str | None:
    from skillbag.agents.settings.user_settings import personal_root

    return personal_root(absolute_folder(given) if given else given)


def _change(
    name: str,
    change: Callable[..., PersonalChange],
    given: Iterable[str],
    personal: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make the changes, one after the other, and report them; what is done stays if a later one fails."""
    with answering(name, as_json=as_json) as say:
        done: list[PersonalChange] = []
        failure: str | Absent = ABSENT
        code, errors = 0, ""
        try:
            root = _root(personal)
            check_personal(root)
            for item in given:
                done.append(change(root, item, dry_run=dry_run, notice=note_shown))
        except (UserError, OSError) as error:
            code, sentence = _failure(error)
            failure, errors = sentence, message("error", safe(sentence))
        changes = tuple(
            PersonalChangeJson(made.summary, made.skill_name, made.status, made.folder, made.kept) for made in done
        )
        text = "".join(f"{_sentence(made, dry_run)}\n" for made in done)
        say(CommandOutput(PersonalChangesJson(dry_run, changes, failure), text, code, errors))


def _failure(error: UserError | OSError) -> tuple[int, str]:
    """The exit code of an error, and its sentence."""
    from skillbag.supply.install.confirmation import DeclinedError
    from skillbag.supply.sources.fetched import ChangedVersionError

    if isinstance(error, DeclinedError | ChangedVersionError):
        return EXIT_QUESTION, f"{error}. {error.fix}"
    return exit_of(error), format_error(error)


_PLANNED = {
    "installed": "would be installed to",
    "replaced": "would be replaced in",
    "removed": "would be removed from",
    "restored": "would be restored in",
}


def _sentence(change: PersonalChange, dry_run: bool) -> str:
    if dry_run:
        return f'Skill "{change.skill_name}" {_PLANNED[change.status]} personal skills: {shown(change.folder)}'
    note = f"\n  {shown(change.note)}" if change.note else ""
    if change.status == "removed" and change.kept:
        note = f"\n  bring it back: skillbag agent personal restore {change.skill_name}{note}"
    return change.summary + "".join(f"\n  kept: {shown(path)}" for path in change.kept) + note


def _project_names() -> tuple[frozenset[str], tuple[str, ...]]:
    """The names that the catalog of the workspace around lists, and why they are unknown, if so."""
    from skillbag.session.skills.skills import listed_skills

    try:
        return frozenset(listed_skills(workspace_at("."))), ()
    except (NoWorkspaceError, FileNotFoundError):
        return frozenset(), ()
    except UserError as error:
        return frozenset(), (f"it is unknown which of them the project's skills hide: {error}",)


def _listed(root: str | None, skills: Iterable[PersonalSkill], hiding: frozenset[str], remarks: Iterable[str]) -> str:
    width = columns(sys.stdout)
    lines = []
    for skill in skills:
        described = f"{skill.name}  {shown(skill.description)}"
        lines.append(head_or_more(described, width) if width else described)
        lines.append(f"  {shown(skill.directory)}")
        if skill.name in hiding:
            lines.append("  hidden here: the project has a skill of that name")
    if not lines:
        lines.append(f"There are no personal skills{f' in {shown(root)}' if root else ''}.")
    lines += (f"note: {shown(remark)}" for remark in remarks)
    return "".join(f"{line}\n" for line in lines)
