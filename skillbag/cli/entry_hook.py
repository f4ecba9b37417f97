"""`skillbag enter --hook`: for agents that run a command when a session starts, and put what it prints before them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli.stdin import piped_input
from skillbag.cli.streams import silence, write
from skillbag.cli.workspaces import workspace_at
from skillbag.fs.read import LIMIT

if TYPE_CHECKING:
    from skillbag.lifecycle.entry import EntryReport

_EMPTIED = ("compact", "resume", "clear")
"""Sources of a start after which the agent has lost the report."""


class Hook(NamedTuple):
    """The options; `folder` and `session` are None unless they are given."""

    folder: str | None
    session: str | None
    again: bool
    without: tuple[str, ...]


class _BadHookError(UserError):
    """Standard input holds something else than a hook's JSON."""


def run_hook(hook: Hook) -> NoReturn:
    """Enter and print the report; an error is a line of text, and the exit code is 0."""
    try:
        _run(hook)
    except OSError:
        # Standard output takes nothing: a full disk, say.
        silence(sys.stdout)
        silence(sys.stderr)
    sys.exit(0)


def _run(hook: Hook) -> None:
    from skillbag.workspace.discovery import NoWorkspaceError

    try:
        _enter(hook)
    except NoWorkspaceError:
        # Users start agents in other folders, too.
        pass
    except (UserError, OSError) as error:
        _print_line(format_error(error))
    except Exception as error:
        import traceback

        traceback.print_exc()
        _print_line(f"entry failed ({type(error).__name__}), which is a bug in skillbag; skillbag enter shows more")


def _enter(hook: Hook) -> None:
    from skillbag.lifecycle.session import Session
    from skillbag.report.entry import HOOK_PROSE, entry_text

    given = _given()
    folder = hook.folder or _text(given, "cwd") or "."
    if not os.path.isdir(folder):
        raise _BadHookError(f"{folder}: there is no such folder, so no workspace was entered")
    session = Session(workspace_at(folder), _text(given, "session_id") or hook.session)
    again = hook.again or _text(given, "source") in _EMPTIED

    def deliver(report: EntryReport) -> None:
        if not write(entry_text(report, most_prose=HOOK_PROSE), sys.stdout):
            # It was not read, so it does not count as delivered.
            sys.exit(0)

    session.enter(again=again, without=hook.without, deliver=deliver)


def _given() -> Mapping[str, Any]:
    """The JSON object on standard input; an empty one where there is none.

    Raises:
        _BadHookError: it is something else.
    """
    data = piped_input()
    if len(data) > LIMIT:
        raise _BadHookError("the standard input of the hook is too long; run skillbag enter instead")
    if not data.strip():
        return {}
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        raise _BadHookError("the standard input of the hook is not valid JSON; run skillbag enter instead") from None
    if not isinstance(values, dict):
        raise _BadHookError("the standard input of the hook is not a JSON object; run skillbag enter instead")
    return values


def _text(given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is not None and not isinstance(value, str):
        raise _BadHookError(f"`{key}` on the standard input of the hook is not text; run skillbag enter instead")
    return value


def _print_line(message: str) -> None:
    from skillbag.report.sanitize import shown

    click.echo(f"skillbag: {shown('; '.join(message.splitlines()))}")
