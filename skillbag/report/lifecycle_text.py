"""The words that the commands of the lifecycle share: short, since an agent's context window pays for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from skillbag.lifecycle.questions import Question
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.lifecycle.refresh import Refresh


def not_yet_line(skill: str, questions: Sequence[Question]) -> str:
    """What stands above the questions of a skill."""
    number = len(questions)
    return f"{skill} can't run yet: {number} question{'s' if number > 1 else ''}"


def question_lines(questions: Iterable[Question], voice: Phrasing = COMMANDS) -> Iterator[str]:
    """Each question on a line, its candidates and how to answer it below."""
    for question in questions:
        place = f" ({question.place})" if question.place else ""
        yield shown(f"Ask: {question.text}{place} [{question.clause}]")
        for candidate in question.candidates:
            yield shown(f"  - {candidate.written}")
        yield shown(f"  answer: {voice.answer(question)}")


_MOST_PATHS = 5


def pending_line(pending: Refresh | None, voice: Phrasing = COMMANDS) -> str:
    """What a session should read again before it relies on it, in a line; empty where there is nothing."""
    if pending is None or pending.is_nothing:
        return ""
    paths = [one.path if one.what == "changed" else f"{one.path} ({one.what})" for one in pending.changed]
    paths = paths or [*pending.read]
    more = f" and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else ""
    return shown(voice.changed(f"{', '.join(paths[:_MOST_PATHS])}{more}", pending.session))
