"""`skillbag refresh --watch`: lines of JSON, until somebody ends it or nobody reads it."""

from __future__ import annotations

import json
import sys

from skillbag.base.errors import UserError
from skillbag.cli import EXIT_USAGE
from skillbag.cli.lifecycle import VERSION
from skillbag.cli.shutdown import Ended
from skillbag.cli.streams import write
from skillbag.lifecycle.refresh import Refresh
from skillbag.lifecycle.watch import watch
from skillbag.report.refresh import refresh_values


def watch_changes(root: str, session: str) -> None:
    """Print the refresh as it is now, then one for each change, each a line of JSON; a mistake in a file is one too.

    Raises:
        NoSessionError: the session has not entered.
        OSError: the workspace is gone.
    """
    ended = Ended()
    ended.by_signals()

    def deliver(found: Refresh | UserError) -> None:
        if not write(_line(found), sys.stdout):
            ended.told = True

    watch(root, session, deliver, ended)


def _line(found: Refresh | UserError) -> str:
    if isinstance(found, Refresh):
        values = {"exit": 0, **refresh_values(found)}
    else:
        from skillbag.report.sanitize import exact

        values = {"exit": EXIT_USAGE, "error": exact(str(found))}
    line = json.dumps({"version": VERSION, "command": "refresh", **values}, ensure_ascii=False, separators=(",", ":"))
    return f"{line}\n"
