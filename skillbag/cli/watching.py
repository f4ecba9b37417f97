"""`skillbag refresh --watch`: lines of JSON, until somebody ends it or nobody reads it."""

from __future__ import annotations

import json
import select
import signal
import sys
from types import FrameType

from skillbag.cli import EXIT_USAGE
from skillbag.cli.lifecycle import VERSION
from skillbag.cli.streams import write
from skillbag.errors import UserError
from skillbag.lifecycle.refresh import Refresh
from skillbag.lifecycle.watch import watch
from skillbag.report.refresh import refresh_values


def watch_changes(root: str, session: str) -> None:
    """Print the refresh as it is now, then one for each change, each a line of JSON; a mistake in a file is one too.

    Raises:
        NoSessionError: the session has not entered.
        OSError: the workspace is gone.
    """
    ended = _Ended()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, ended.by_signal)

    def deliver(found: Refresh | UserError) -> None:
        if not write(_line(found), sys.stdout):
            ended.told = True

    watch(root, session, deliver, ended)


class _Ended:
    """Whether to end: a signal came, or whoever read our output is gone."""

    def __init__(self) -> None:
        self.told = False

    def by_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.told = True

    def is_set(self) -> bool:
        self.told = self.told or _is_unread()
        return self.told


def _is_unread() -> bool:
    """Whether nobody is at the other end of standard output; where the system can't tell, somebody is."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))
    except (AttributeError, OSError, ValueError):
        return False


def _line(found: Refresh | UserError) -> str:
    if isinstance(found, Refresh):
        values = {"exit": 0, **refresh_values(found)}
    else:
        from skillbag.report.shown import exact

        values = {"exit": EXIT_USAGE, "error": exact(str(found))}
    line = json.dumps({"version": VERSION, "command": "refresh", **values}, ensure_ascii=False, separators=(",", ":"))
    return f"{line}\n"
