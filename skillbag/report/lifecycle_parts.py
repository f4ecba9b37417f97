"""Parts of the lifecycle's reports: questions and pending changes.

The text is short, since an agent's context window pays for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import shown
from skillbag.session.inputs.questions import Question

if TYPE_CHECKING:
    from skillbag.session.refresh.refresh import Refresh

_MAX_PATHS = 5


def not_yet_line(skill: str, questions: Sequence[Question]) -> str:
    """The line above the questions of a skill."""
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


def pending_line(pending: Refresh | None, voice: Phrasing = COMMANDS) -> str:
    """The files that a session should read again, in a line; empty where there are none."""
    if pending is None or pending.is_nothing:
        return ""
    changed = [each.path if each.what == "changed" else f"{each.path} ({each.what})" for each in pending.changed]
    paths = changed or [*pending.read]
    more = f" and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else ""
    return shown(voice.changed(f"{', '.join(paths[:_MAX_PATHS])}{more}", pending.session))
