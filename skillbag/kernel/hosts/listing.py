"""What the model sees of skills before it loads one: the list of each host, by its own algorithm and budget.

An estimate: which skills were used, those that the host brings along, and values of its server are not known.
"""

from __future__ import annotations

from collections.abc import Sequence

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.base.widths import width

LEFT_OUT = -1
"""What is kept of a skill that the list does not even name."""


class ListingFacts(NamedTuple):
    """How much of the skills the model sees before it loads one."""

    algorithm: str = "unknown"
    unit: str = ""
    budget: int | None = None
    share: float | None = None
    unit_per_token: int | None = None
    text_max: int | None = None


class ListEntry(NamedTuple):
    """A skill in a list: its name, its text, and the path of its `SKILL.md` as the host writes it."""

    name: str
    text: str
    path: str = ""


class ListFit(NamedTuple):
    """How entries fit into a budget: what all cost in full, what their names alone cost, and how much of each text is
    kept, in the unit of the host: all of it, none (0), or `LEFT_OUT`."""

    budget: int
    full: int
    names: int
    kept: tuple[int, ...]


def listing_text(facts: ListingFacts, description: str, when: str = "") -> str:
    """The text of a skill, cut as the host does: the cap counts UTF-16 units, as JavaScript does."""
    if facts.algorithm != "whole-or-name":
        return description
    text = f"{description} - {when}" if description and when else description or when
    units = text if text.isascii() else text.encode("utf-16-le")
    most, size = facts.text_max or 0, 1 if isinstance(units, str) else 2
    if not most or len(units) <= most * size:
        return text
    head = units[: (most - 1) * size]
    return f"{head if isinstance(head, str) else head.decode('utf-16-le', 'ignore')}…"


def budget_of(facts: ListingFacts, context_tokens: int | None = None) -> tuple[int, str]:
    """The budget and its unit, for a context of so many tokens; without any known, 0."""
    if not context_tokens or not facts.share:
        return facts.budget or 0, facts.unit
    tokens = context_tokens * facts.share
    is_columns = facts.unit == "columns"
    return (int(tokens * (facts.unit_per_token or 1)), "columns") if is_columns else (int(tokens), "tokens")


def fit(facts: ListingFacts, entries: Sequence[ListEntry], context_tokens: int | None = None) -> ListFit:
    """How entries, in the order of the list, fit in."""
    budget, unit = budget_of(facts, context_tokens)
    if facts.algorithm == "round-robin":
        return _round_robin(entries, budget, unit)
    return _whole_or_name(entries, budget if facts.algorithm == "whole-or-name" else 0)


def _whole_or_name(entries: Sequence[ListEntry], budget: int) -> ListFit:
    """Each text is kept as a whole while there is room, or reduced to the name; names are never left out."""
    feeds = max(len(entries) - 1, 0)
    texts = [width(entry.text) for entry in entries]
    names = sum(2 + width(entry.name) for entry in entries) + feeds
    full = names + sum(2 + text for text in texts if text)
    if full <= budget or not budget:
        return ListFit(budget, full, names, tuple(texts))
    rest, kept = budget - names, []
    for text in texts:
        fits = bool(text) and text + 2 <= rest
        kept.append(text if fits else 0)
        rest -= text + 2 if fits else 0
    return ListFit(budget, full, names, tuple(kept))


def _round_robin(entries: Sequence[ListEntry], budget: int, unit: str) -> ListFit:
    """Names and paths first; what is left is dealt to all texts alike, one character at a time."""
    room = budget * 4 if unit == "tokens" else budget
    count = (lambda text: len(text.encode())) if unit == "tokens" else len
    texts = [count(entry.text) for entry in entries]
    lines = [count(f"- {entry.name}: (file: {entry.path})\n") for entry in entries]
    names, full = sum(lines), sum(lines) + sum(text + 1 for text in texts if text)
    shares = 4 if unit == "tokens" else 1
    sizes = (budget, -(-full // shares), -(-names // shares))
    if full <= room:
        return ListFit(*sizes, tuple(texts))
    if names > room:
        kept, used = [], 0
        for line in lines:
            used += line
            kept.append(0 if used <= room else LEFT_OUT)
        return ListFit(*sizes, tuple(kept))
    return ListFit(*sizes, tuple(_dealt(texts, room - names)))


def _dealt(texts: Sequence[int], rest: int) -> list[int]:
    """How much of each text is kept: all get the same, as far as they are that long; a blank goes before each."""
    kept = [0] * len(texts)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    for place, index in enumerate(order):
        share = rest // (len(order) - place) - 1
        kept[index] = max(0, min(texts[index], share))
        rest -= kept[index] + (1 if kept[index] else 0)
    return kept
