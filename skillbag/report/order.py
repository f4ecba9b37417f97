"""The order of skills, what was disabled in it, and the winner of a conflict, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.report.lifecycle_parts import place_values, placed_values, question_lines, question_values
from skillbag.report.sanitize import exact, shown
from skillbag.session.order.conflicts import Winner
from skillbag.session.order.order import Order
from skillbag.session.settings.tags import Disabled, Dropped
from skillbag.session.skills.skills import execution_id


def order_text(order: Order) -> str:
    """One name a line."""
    return "".join(f"{turn.name}\n" for turn in order.turns)


def order_values(order: Order) -> dict[str, Any]:
    """Each turn with its reason, and what was disabled."""
    turns = [{**placed_values(turn), "run": execution_id(turn.name)} for turn in order.turns]
    return {"order": turns, "disabled": [placed_values(entry) for entry in order.disabled]}


def left_out_lines(dropped: Iterable[Dropped]) -> Iterator[str]:
    """A line for each skill that a prohibition leaves out, with its place and how to allow it."""
    for entry in dropped:
        skill, place = entry.brings, entry.prohibition.place
        yield shown(f"Left out: {skill}, which {place} prohibits; --allow {skill} lets it run this once")


def disabled_lines(disabled: Iterable[Disabled]) -> Iterator[str]:
    """The same for people: `a-skill #run/always: removed by USER_CONTEXT.md (USER_CONTEXT.md:4)`."""
    for entry in disabled:
        what = f"{entry.skill} {entry.tag}" if entry.tag else entry.skill
        yield shown(f"{what}: {entry.why}" + (f" ({entry.place})" if entry.place else ""))


def winner_text(verdict: Winner) -> str:
    """The winner on a line of its own, then why; or the question."""
    if verdict.question:
        return "".join(f"{line}\n" for line in question_lines([verdict.question]))
    place = f" ({verdict.place})" if verdict.place else ""
    return f"{verdict.winner}\n{shown(f'{verdict.why}{place}')}\n"


def winner_values(verdict: Winner) -> dict[str, Any]:
    """The verdict as JSON."""
    # Where no rule decides, the name does.
    decided = "alphabet" if verdict.winner else None
    return {
        "skills": list(verdict.skills),
        "winner": verdict.winner,
        "level": verdict.level.label if verdict.level else decided,
        "why": exact(verdict.why),
        **place_values(verdict.place),
        "hidden": [
            {"winner": rule.winner, "level": rule.level.label, **place_values(rule.place)} for rule in verdict.hidden
        ],
        "questions": [question_values(verdict.question)] if verdict.question else [],
    }
