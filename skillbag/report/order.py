"""The order of skills, and what was disabled in it, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.lifecycle.order import Order
from skillbag.lifecycle.skills import execution_id
from skillbag.lifecycle.tags import Disabled, Dropped
from skillbag.report.lifecycle_values import place_values
from skillbag.report.sanitize import exact, shown


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


def left_out_lines(dropped: Iterable[Dropped]) -> Iterator[str]:
    """A line for each skill that a prohibition leaves out, with its place and what lets it run."""
    for one in dropped:
        place = one.prohibition.place
        yield shown(f"Left out: {one.brings}, which {place} prohibits; --allow {one.brings} lets it run this once")


def disabled_lines(disabled: Iterable[Disabled]) -> Iterator[str]:
    """The same for people: `a-skill #run/always: removed by USER_CONTEXT.md (USER_CONTEXT.md:4)`."""
    for one in disabled:
        what = f"{one.skill} {one.tag}" if one.tag else one.skill
        yield shown(f"{what}: {one.why}" + (f" ({one.place})" if one.place else ""))
