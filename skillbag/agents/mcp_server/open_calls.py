"""Questions to clients that can't be asked within a call (protocol 2026-07-28): the call ends with a question, and
comes again with the answer."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from mcp_types import CallToolRequestParams, ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

_MAX = 100
"""Calls that may wait for an answer; the oldest is forgotten."""

Answers = Mapping[str, str]
"""What the user has answered to the questions of one call, by the question's text; empty for a refusal."""


class UnansweredError(BaseException):
    """The running call ends here: the user of its client must answer a question first. Nothing that handles the
    failures of skills and tools handles this."""

    def __init__(self, question: ElicitRequestFormParams) -> None:
        """With the question."""
        super().__init__(question.message)
        self.question = question


class _Open(NamedTuple):
    """A call that waits for the answer to a question, and what was answered before."""

    call: bytes
    question: str
    answers: Answers


class OpenCalls:
    """The calls that wait. Each may come again once, as it was; nobody can know its name in advance."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}

    def answers(self, params: CallToolRequestParams) -> Answers:
        """What the call brings with it: answers to questions that it was asked."""
        waiting = self._open.pop(params.request_state or "", None)
        if waiting is None or waiting.call != _digest(params):
            return {}
        response = (params.input_responses or {}).get(params.request_state or "")
        content = response.content if isinstance(response, ElicitResult) and response.action == "accept" else None
        answer = (content or {}).get("answer")
        return {**waiting.answers, waiting.question: answer if isinstance(answer, str) else ""}

    def ask(self, params: CallToolRequestParams, answers: Answers, open_: UnansweredError) -> InputRequiredResult:
        """The result of a call that waits."""
        name = secrets.token_urlsafe(16)
        self._open[name] = _Open(_digest(params), open_.question.message, answers)
        for oldest in list(self._open)[:-_MAX]:
            self._open.pop(oldest, None)
        return InputRequiredResult(input_requests={name: ElicitRequest(params=open_.question)}, request_state=name)


def _digest(params: CallToolRequestParams) -> bytes:
    return sha256(params.model_dump_json(include={"name", "arguments"}).encode()).digest()
