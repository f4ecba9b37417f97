"""`skillbag rename`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from skillbag.doors.cli import person
from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.options import dry_run_option, json_option, workspace_option
from skillbag.doors.cli.outputs import check_not_own
from skillbag.doors.cli.workspaces import absolute_folder, recovered
from skillbag.kernel.base.errors import UserError
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.lint.symbols.rename_command import Renamed

_EXAMPLES = """\b
Examples:
  skillbag rename tidy-words clean-words --dry-run    the lines that would change
  skillbag rename tidy-words clean-words

\b
All of it is changed, or nothing. Files in the skill's folder that are not text are moved with it.
Skills that were installed, or are linked for other agents, are not renamed.
Exit codes: 0 done, 2 bad usage or a rename that is refused, 4 the environment failed.
"""
_SHOWN = 5
"""Places of the old name that are listed; `--json` has all."""


@click.command("rename", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("old")
@click.argument("new")
@dry_run_option
@workspace_option
@json_option
def command(old: str, new: str, dry_run: bool, folder: str, as_json: bool) -> None:
    """Rename a skill: its folder, its line in the catalog, and what names it in skills and context files.

    OLD is its name, NEW the new one. The last line says where README.md and other files at the root still have OLD.
    """
    with answering("rename", as_json=as_json) as say:
        if not folder or not os.path.isdir(folder):
            raise UserError(f"--workspace {folder!r}: there is no such folder")
        from skillbag.lint.symbols.rename_command import rename_skill

        root = recovered(absolute_folder(folder))
        if not (dry_run or person.is_present()):
            planned = rename_skill(root, old, new, dry_run=True)
            check_not_own(os.path.join(planned.root, planned.old))
        done = rename_skill(root, old, new, dry_run=dry_run)
        if not dry_run:
            _let_go(done, old)
        say(CommandOutput(done, "" if as_json else _text(done)))


def _let_go(done: Renamed, old: str) -> None:
    """The guard of the user's that had this name is not missed: a person has renamed it."""
    from skillbag.agents.personal.consent import forget_approvals, holds_active
    from skillbag.agents.settings.user_settings import personal_root

    is_own = os.path.realpath(done.root) == os.path.realpath(personal_root() or os.devnull)
    if is_own and holds_active((os.path.join(done.root, done.new),)):
        forget_approvals(old)


def _text(done: Renamed) -> str:
    lines = [f"{done.old}/ -> {done.new}/"] if done.old != done.new else []
    lines += [f"{file.path}: {_places(file.lines)}{_words(file.words)}" for file in done.files]
    if done.left:
        more = f" and {len(done.left) - _SHOWN} more" if len(done.left) > _SHOWN else ""
        lines.append(f"Not changed, and still with the old name: {', '.join(done.left[:_SHOWN])}{more}")
    if done.dry_run:
        lines.append("Nothing was written: this was a dry run.")
    return "".join(f"{shown(line)}\n" for line in lines)


def _places(lines: tuple[int, ...]) -> str:
    return f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"


def _words(lines: tuple[int, ...]) -> str:
    """The lines to look at: there the name may mean something else."""
    return f" (in words: {_places(lines)})" if lines else ""
