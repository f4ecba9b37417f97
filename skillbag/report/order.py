"""The order of skills, what was disabled in it, and the winner of a conflict, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.report.lifecycle_parts import question_lines
from skillbag.report.sanitize import shown
from skillbag.session.order.conflicts import Winner
from skillbag.session.order.order import Order
from skillbag.session.settings.effective_settings import Disabled, Dropped


def order_text(order: Order) -> str:
    """One name a line."""
    return "".join(f"{turn.name}\n" for turn in order.turns)


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
    warning = f"{verdict.ask_first}.\n" if verdict.ask_first else ""
    return f"{verdict.winner}\n{shown(f'{verdict.why}{place}')}\n{warning}"
