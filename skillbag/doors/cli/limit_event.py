"""One event of Claude Code, for the hook that enforces `allowed-tools`; without click: it waits at each call."""

from __future__ import annotations

import json
import sys

from skillbag.agents.hosts.limits import answer
from skillbag.doors.cli.stdin import piped_input
from skillbag.doors.cli.streams import write


def answer_limits() -> None:
    """Answer the event on standard input."""
    try:
        data = piped_input()
    except Exception:
        # It denies the call.
        data = b""
    if answered := answer(data):
        write(json.dumps(answered) + "\n", sys.stdout)
