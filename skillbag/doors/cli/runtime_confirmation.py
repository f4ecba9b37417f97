"""The confirmation of a call of a tool that asks before each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from skillbag.doors.cli.runtime_session import on_terminal
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.runtime.activation.request import ToolRequest
    from skillbag.session.inputs.questions import Question


class Confirmation:
    """Whether the user allows a call: as the command line says, else as they answer on a terminal. `question` is the
    one that nobody could answer; None if there is none."""

    def __init__(self, given: bool, as_json: bool) -> None:
        """`given`: the command line says so."""
        self._given = given
        self._as_json = as_json
        self.question: Question | None = None

    def __call__(self, request: ToolRequest) -> bool:
        """Whether this call is allowed."""
        from skillbag.report.runtime_acts import confirm_question

        if self._given:
            return True
        question = confirm_question(request)
        if not on_terminal(self._as_json):
            self.question = question
            return False
        sys.stdout.write(f"{shown(question.text)} [y/N]: ")
        sys.stdout.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")
