"""One event of an agent, from standard input to standard output, without click: agents wait for it at each call."""

from __future__ import annotations

import json
import sys

from skillbag.agent.hosts.answering import answer, unanswered
from skillbag.agent.hosts.known import HOSTS
from skillbag.cli.stdin import piped_input
from skillbag.cli.streams import write


def answer_event(name: str) -> None:
    """Answer an event of the host of this name, one of `HOSTS`."""
    try:
        data = piped_input()
    except Exception as error:
        answered = unanswered(HOSTS[name], b"", error)
    else:
        answered = answer(HOSTS[name], data)
    if answered:
        write(json.dumps(answered) + "\n", sys.stdout)
