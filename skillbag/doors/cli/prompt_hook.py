"""`skillbag turn --hook`: the hook of each prompt, with what active skills want."""

from __future__ import annotations

import json
import sys

from skillbag.agents.hosts.answering import answer
from skillbag.doors.cli.host_hook import BadHookError, HookEvent, answer_hook
from skillbag.doors.cli.stdin import piped_input
from skillbag.doors.cli.streams import write
from skillbag.doors.cli.turn_run import session_id, text_of
from skillbag.doors.cli.workspaces import root_at
from skillbag.session.entry.turn import take_turn
from skillbag.session.entry.turn_report import TURN, TurnReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_EVENT = "UserPromptSubmit"
_PROSE = 4_000
"""Characters of each context file's words, as in `enter --hook`: hosts cut what a hook prints."""


def answer_prompt(folder: str | None = None, session: str | None = None) -> NoReturn:
    """Answer the hook of a prompt, and exit with 0: with the turn's text, and what active skills want."""
    prompt = _Prompt()
    answer_hook(lambda: prompt.take(folder, session), prompt.say)


class _Prompt:
    """A prompt of an agent, answered once."""

    def __init__(self) -> None:
        self._wanted: dict[str, Any] | None = {}

    def take(self, folder: str | None, session: str | None) -> None:
        """Let active skills take part, and take the turn."""
        data = piped_input()
        event = HookEvent.of(data)
        if event.text("hook_event_name") == _EVENT:
            self._wanted = answer("claude", data)
        session = event.text("session_id") or session
        if session is None:
            raise BadHookError("the standard input of the hook has no `session_id`; give --session ID")
        take_turn(root_at(event.folder(folder)), session_id(session), TURN, self._deliver)

    def _deliver(self, report: TurnReport) -> None:
        if not self.say(text_of(report, _PROSE)):
            sys.exit(0)

    def say(self, text: str) -> bool:
        """The text, or the JSON where active skills want something as well; whether somebody reads it."""
        wanted, self._wanted = self._wanted, None
        if wanted is None:
            return True
        if wanted:
            output = wanted.get("hookSpecificOutput", {"hookEventName": _EVENT})
            context = "\n\n".join(filter(None, (text.strip(), output.get("additionalContext"))))
            added = {"hookSpecificOutput": {**output, "additionalContext": context}} if text else {}
            text = json.dumps({**wanted, **added}) + "\n"
        return write(text, sys.stdout)
