"""One event of an agent, from standard input to standard output, without click: agents wait for it at each call."""

from __future__ import annotations

import json
import sys

from skillbag.agents.hosts.answering import answer, unanswered
from skillbag.doors.cli.stdin import piped_input
from skillbag.doors.cli.streams import write


def answer_event(name: str, *, as_json: bool = False) -> None:
    """Answer an event of one of `answering.HOSTS`: in its own form, or as the JSON of a command."""
    try:
        data = piped_input()
    except Exception as error:
        answered = unanswered(name, b"", error)
    else:
        answered = answer(name, data)
    if as_json:
        from skillbag.doors.cli.answers import CommandOutput, json_line
        from skillbag.report.runtime.acts import EventAnswerJson

        write(json_line("runtime hook", CommandOutput(EventAnswerJson(answered), "")), sys.stdout)
    elif answered:
        write(json.dumps(answered) + "\n", sys.stdout)
