"""`skillbag enter --hook`: for agents that run a command when a session starts, and put what it prints before them."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli.lifecycle import workspace_at
from skillbag.cli.streams import silence, write
from skillbag.fs.read import LIMIT

if TYPE_CHECKING:
    from skillbag.lifecycle.entry import EntryReport

_PATIENCE = 3.0
"""Seconds in which whoever runs the hook gives its JSON."""

_EMPTIED = ("compact", "resume", "clear")
"""Sources of a start that leave the agent without the report it had."""


class Hook(NamedTuple):
    """What the command line gives: a folder and a session where they are named there."""

    folder: str | None
    session: str | None
    again: bool
    without: tuple[str, ...]


class _BadHookError(UserError):
    """Standard input holds something else than a hook's JSON."""


def run_hook(hook: Hook) -> NoReturn:
    """Enter and print the report; whatever goes wrong is a line of text, and the exit code is 0."""
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
        # The hook runs wherever its user starts an agent.
        pass
    except (UserError, OSError) as error:
        _print_line(format_error(error))
    except Exception as error:
        import traceback

        traceback.print_exc()
        _print_line(
            f"entry failed ({type(error).__name__}), which is a fault of skillbag's own; skillbag enter tells more"
        )


def _enter(hook: Hook) -> None:
    from skillbag.lifecycle.session import Session
    from skillbag.report.entry import HOOK_PROSE, entry_text

    given = _given()
    folder = hook.folder or _text(given, "cwd") or "."
    if not os.path.isdir(folder):
        raise _BadHookError(f"{folder}: there is no such folder, so no workspace was entered")
    workspace = workspace_at(folder)
    session = Session(workspace, _text(given, "session_id") or hook.session)
    again = hook.again or _text(given, "source") in _EMPTIED

    def deliver(report: EntryReport) -> None:
        _print(entry_text(report, most_prose=HOOK_PROSE))

    session.enter(again=again, without=hook.without, deliver=deliver)


def _given() -> Mapping[str, Any]:
    """The JSON on standard input; nothing where there is none.

    Raises:
        _BadHookError: it is something else.
    """
    data = _input()
    if not data.strip():
        return {}
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        raise _BadHookError("the standard input of the hook is no JSON; run skillbag enter instead") from None
    if not isinstance(values, dict):
        raise _BadHookError("the standard input of the hook is no JSON object; run skillbag enter instead")
    return values


def _input() -> bytes:
    """What is on standard input, as far as it comes in time: nobody's session waits for a hook that waits."""
    if sys.stdin.isatty():
        return b""
    stream = sys.stdin.buffer
    # Unbuffered, so that no lock is held should the process end while it waits.
    raw = getattr(stream, "raw", stream)
    chunks: list[bytes] = []

    def take() -> None:
        while len(chunks) <= LIMIT >> 16 and (chunk := raw.read(1 << 16)):
            chunks.append(chunk)

    reader = threading.Thread(target=take, daemon=True)
    reader.start()
    reader.join(_PATIENCE)
    return b"".join(chunks)


def _text(given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is not None and not isinstance(value, str):
        raise _BadHookError(f"`{key}` on the standard input of the hook is no text; run skillbag enter instead")
    return value


def _print(text: str) -> None:
    if not write(text, sys.stdout):
        # Nobody has read it, so it does not count as told.
        sys.exit(0)


def _print_line(message: str) -> None:
    from skillbag.report.sanitize import shown

    click.echo(f"skillbag: {shown('; '.join(message.splitlines()))}")
