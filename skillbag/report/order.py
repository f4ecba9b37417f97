"""The order of skills, and the winner among contradicting ones, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.lifecycle.conflicts import Verdict
from skillbag.lifecycle.order import Order
from skillbag.lifecycle.settings import Rule
from skillbag.lifecycle.skills import execution_id
from skillbag.lifecycle.tags import Disabled
from skillbag.report.lifecycle_text import question_lines
from skillbag.report.lifecycle_values import place_values, question_values
from skillbag.report.shown import exact, shown

ALPHABET = "alphabet"
"""The level where no rule decides."""


def order_text(order: Order) -> str:
    """One name a line."""
    return "".join(f"{turn.name}\n" for turn in order.turns)


def order_values(order: Order) -> dict[str, Any]:
    """Each turn with its reason, and what was disabled."""
    turns = [
        {
            "name": turn.name,
            "run": execution_id(turn.name),
            "phase": turn.phase.value,
            "because": exact(turn.because),
            **place_values(turn.place),
        }
        for turn in order.turns
    ]
    return {"order": turns, "disabled": disabled_values(order.disabled)}


def disabled_values(disabled: Iterable[Disabled]) -> list[dict[str, Any]]:
    """Tags and skills that have no effect, and who says so."""
    return [{"skill": one.skill, "tag": exact(one.tag), "why": one.why, **place_values(one.place)} for one in disabled]


def disabled_lines(disabled: Iterable[Disabled]) -> Iterator[str]:
    """The same for people: `a-skill #run/always: removed by USER_CONTEXT.md (USER_CONTEXT.md:4)`."""
    for one in disabled:
        what = f"{one.skill} {one.tag}" if one.tag else one.skill
        yield shown(f"{what}: {one.why}" + (f" ({one.place})" if one.place else ""))


def winner_text(verdict: Verdict) -> str:
    """The winner on a line of its own, then why; or the question."""
    if verdict.question:
        return "".join(f"{line}\n" for line in question_lines([verdict.question]))
    place = f" ({verdict.place})" if verdict.place else ""
    return f"{verdict.winner}\n{shown(f'{verdict.why}{place}')}\n"


def winner_values(verdict: Verdict) -> dict[str, Any]:
    """The verdict as JSON."""
    decided = ALPHABET if verdict.winner else None
    return {
        "skills": list(verdict.skills),
        "winner": verdict.winner,
        "level": verdict.level.label if verdict.level else decided,
        "why": exact(verdict.why),
        **place_values(verdict.place),
        "hidden": [_rule_values(rule) for rule in verdict.hidden],
        "questions": [question_values(verdict.question)] if verdict.question else [],
    }


def _rule_values(rule: Rule) -> dict[str, Any]:
    return {"winner": rule.winner, "level": rule.level.label, **place_values(rule.place)}
