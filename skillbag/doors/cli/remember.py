"""`skillbag session remember` and `skillbag session forget`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.command_support import tell_waiting
from skillbag.doors.cli.messages import note_shown
from skillbag.doors.cli.options import common_options, session_option, wait_seconds
from skillbag.doors.cli.workspaces import root_at
from skillbag.kernel.base.errors import UserError
from skillbag.session.refresh.state import entered_state

if TYPE_CHECKING:
    from skillbag.session.remembering.remember import Remembered

_REMEMBER = """\b
Examples:
  skillbag session remember language=en                                 for every skill
  skillbag session remember output-dir=out --skill convert-to-pdf
  skillbag session remember 'formats=[pdf, html]' --skill convert-to-pdf
  skillbag session remember feed=https://example.com/news --explicit    the user asked for it

Secrets are never written.

Exit codes: 0 it is there, 2 bad usage, a malformed file, or nothing to keep, 4 the environment failed.
"""
_FORGET = """\b
Examples:
  skillbag session forget language
  skillbag session forget output-dir --skill convert-to-pdf

Exit codes: 0 it is gone, 2 bad usage, a malformed file, or no such value, 4 the environment failed.
"""

_skill_option = click.option("--skill", default="*", metavar="NAME", help="Only for this skill.  [default: all skills]")
# Both take a list, so that a usage error about the number of arguments does not repeat them: they may be secret.


@click.command("remember", cls=CliCommand, epilog=_REMEMBER)
@click.argument("pairs", nargs=-1, metavar="NAME=VALUE")
@_skill_option
@click.option("--explicit", is_flag=True, help="Also store values that are rarely valid for long, but no secrets.")
@session_option
@common_options
def remember(
    pairs: tuple[str, ...], skill: str, session: str | None, folder: str, trace: bool, as_json: bool, **options: Any
) -> None:
    """Store a value for later sessions in USER_CONTEXT.md, which is excluded from git."""

    from skillbag.session.remembering import remember as lifecycle
    from skillbag.session.settings.value import parse_value

    with answering("remember", as_json=as_json, trace=trace) as say:
        name, text = _pair(pairs)
        value, root = parse_value(text), _root(folder, session)
        options |= {"wait": wait_seconds(), "on_wait": tell_waiting(as_json), "notice": note_shown}
        remembered = lifecycle.remember(root, name, value, skill, **options)
        say(_answer(remembered))


@click.command("forget", cls=CliCommand, epilog=_FORGET)
@click.argument("names", nargs=-1, metavar="NAME")
@_skill_option
@session_option
@common_options
def forget(names: tuple[str, ...], skill: str, session: str | None, folder: str, trace: bool, as_json: bool) -> None:
    """Remove a value from USER_CONTEXT.md, exactly as remember wrote it."""

    from skillbag.session.remembering import remember as lifecycle

    with answering("forget", as_json=as_json, trace=trace) as say:
        if len(names) != 1 or "=" in names[0]:
            raise UserError("write skillbag session forget NAME, one at a time, without the value")
        root, waiting = _root(folder, session), tell_waiting(as_json)
        wait = wait_seconds()
        forgotten = lifecycle.forget(root, names[0], skill, wait=wait, on_wait=waiting, notice=note_shown)
        say(_answer(forgotten))


def _root(folder: str, session: str | None) -> str:
    """The root of the workspace, which the session, if there is one, has entered."""
    root = root_at(folder)
    if session is not None:
        entered_state(root, session)
    return root


def _pair(pairs: tuple[str, ...]) -> tuple[str, str]:
    """The name and the text of the value; a mistake repeats neither."""
    if len(pairs) != 1:
        raise UserError(
            "write skillbag session remember NAME=VALUE, one at a time; quote a value that has blanks in it"
        )
    name, equals, text = pairs[0].partition("=")
    if not equals or not name:
        raise UserError("write skillbag session remember NAME=VALUE, with an equals sign between them")
    if not text.strip():
        raise UserError(f"write a value after {name[:80]}=, or skillbag session forget {name[:80]} to take it out")
    return name, text


def _answer(remembered: Remembered) -> CommandOutput:
    from skillbag.report.answers.memory import RememberedJson
    from skillbag.report.memory_report import remembered_text

    return CommandOutput(RememberedJson.of(remembered), remembered_text(remembered))
