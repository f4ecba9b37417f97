"""The winner among skills that contradict each other, as text and as JSON."""

from __future__ import annotations

from typing import Any

from skillbag.lifecycle.conflicts import Winner
from skillbag.lifecycle.settings import ConflictResolution
from skillbag.report.lifecycle_text import question_lines
from skillbag.report.lifecycle_values import place_values, question_values
from skillbag.report.sanitize import exact, shown

_ALPHABET = "alphabet"
"""The level where no rule decides."""


def winner_text(verdict: Winner) -> str:
    """The winner on a line of its own, then why; or the question."""
    if verdict.question:
        return "".join(f"{line}\n" for line in question_lines([verdict.question]))
    place = f" ({verdict.place})" if verdict.place else ""
    return f"{verdict.winner}\n{shown(f'{verdict.why}{place}')}\n"


def winner_values(verdict: Winner) -> dict[str, Any]:
    """The verdict as JSON."""
    decided = _ALPHABET if verdict.winner else None
    return {
        "skills": list(verdict.skills),
        "winner": verdict.winner,
        "level": verdict.level.label if verdict.level else decided,
        "why": exact(verdict.why),
        **place_values(verdict.place),
        "hidden": [_rule_values(rule) for rule in verdict.hidden],
        "questions": [question_values(verdict.question)] if verdict.question else [],
    }


def _rule_values(rule: ConflictResolution) -> dict[str, Any]:
    return {"winner": rule.winner, "level": rule.level.label, **place_values(rule.place)}
