"""The JSON that the commands of the lifecycle share: places, values, questions. No secret is in it."""

from __future__ import annotations

from typing import Any

from skillbag.lifecycle.questions import Question
from skillbag.lifecycle.value import Value
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import exact
from skillbag.standard.declarations import Place


def plain(value: Any) -> Any:
    """Plain values with every text masked."""
    if isinstance(value, str):
        return exact(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {exact(key): plain(item) for key, item in value.items()}
    return value


def place_values(place: Place | None) -> dict[str, Any]:
    """`file` and `line`, both null where there is no place."""
    return {"file": place and exact(place.file), "line": place and place.line}


def value_values(value: Value) -> dict[str, Any]:
    """`value`, typed, and `written`, its spelling."""
    return {"value": plain(value.value), "written": exact(value.written)}


def question_values(question: Question, voice: Phrasing = COMMANDS) -> dict[str, Any]:
    """One question; `voice` says how it is answered."""
    return {
        "kind": question.kind.value,
        "about": exact(question.about),
        "question": exact(question.text),
        "candidates": [plain(candidate.value) for candidate in question.candidates],
        "answer": exact(voice.answer(question)),
        "clause": question.clause,
        **place_values(question.place),
    }
