"""The list of a source's skills on a terminal, of which the user picks some: numbers, names, ranges, words that filter.

What is typed is read line by line, so that it works on every terminal and with screen readers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from skillbag.report.columns import head_or_more, width
from skillbag.report.sanitize import shown
from skillbag.supply.install.choice import SkillChoice

_MAX = 40
"""Skills that are listed at once; words find the others."""

_NARROW = 70
"""On fewer columns a description has a line of its own."""

_ONE = r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?"
_RANGE, _RANGES = re.compile(_ONE), re.compile(rf"{_ONE}(?:[\s,]+{_ONE})*[\s,]*")
HOW = "Numbers (1,3-5), names, `all`, or a word to search for; Enter alone stops"


@dataclass(frozen=True, slots=True)
class PickList:
    """The offers, each with its number, and those that are listed now: all, or those that the last words found."""

    offers: Sequence[SkillChoice]
    listed: tuple[int, ...]
    remark: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether only a part is listed."""
        return len(self.listed) < len(self.offers)


def pick(
    source: str, offers: Sequence[SkillChoice], columns: int, say: Callable[[str], None], ask: Callable[[], str]
) -> list[str]:
    """Let the user pick from the `offers` of a source; an empty list if nothing was picked.

    `say` prints text on a terminal of so many columns; `ask` reads an answer.
    """
    listing = PickList(offers, tuple(range(len(offers))))
    say("".join(f"{line}\n" for line in (f"{shown(source)} offers {len(offers)} skills:", *lines(listing, columns))))
    while answer := ask().strip():
        found = answered(listing, answer)
        if isinstance(found, list):
            return found
        listing = found
        text = lines(listing, columns) if not listing.remark else ()
        say("".join(f"{line}\n" for line in (*text, *([listing.remark] if listing.remark else ()))))
    return []


def answered(listing: PickList, answer: str) -> list[str] | PickList:
    """The names that an answer picks, or the listing that follows it, with a remark where it means nothing."""
    listing = replace(listing, remark="")
    names = [offer.name for offer in listing.offers]
    words = [word for word in re.split(r"[\s,]+", answer) if word]
    if answer.lower() in ("all", "*"):
        return [names[at] for at in listing.listed]
    if all(word in names for word in words):
        return list(dict.fromkeys(words))
    if _RANGES.fullmatch(answer):
        return _numbered(listing, names, answer)
    found = tuple(at for at, offer in enumerate(listing.offers) if _matches(offer, words))
    if not found:
        return replace(listing, remark=f"No skill matches {shown(answer)}.")
    return replace(listing, listed=found)


def _numbered(listing: PickList, names: Sequence[str], answer: str) -> list[str] | PickList:
    ranges = [(int(first), int(last or first)) for first, last in _RANGE.findall(answer)]
    if any(not 1 <= first <= last <= len(names) for first, last in ranges):
        return replace(listing, remark=f"The numbers are 1 to {len(names)}.")
    return list(dict.fromkeys(names[at - 1] for first, last in ranges for at in range(first, last + 1)))


def _matches(offer: SkillChoice, words: Sequence[str]) -> bool:
    text = f"{offer.name} {offer.description}".lower()
    return all(word.lower() in text for word in words)


def lines(listing: PickList, columns: int) -> Iterator[str]:
    """The listed skills in lines of at most so many columns."""
    room = max(columns, 20)
    digits = len(str(len(listing.offers)))
    first = listing.listed[:_MAX]
    longest = min(max(width(_name(listing.offers[at])) for at in first), 40)
    for at in first:
        offer = listing.offers[at]
        line = f"{at + 1:>{digits}}  {_name(offer)}"
        description = shown(offer.description)
        if room < _NARROW:
            yield head_or_more(line, room)
            yield head_or_more(f"{'':{digits}}    {description}", room)
        else:
            indent = digits + 2 + longest
            if width(line) > indent:
                # Longer than the column: its description is below, in the column of the others.
                yield head_or_more(line, room)
                line = ""
            yield head_or_more(f"{line}{' ' * (indent - width(line))}  {description}", room)
    if more := len(listing.listed) - len(first):
        yield f"… and {more} more: a word finds them"
    elif listing.is_filtered:
        yield f"{len(first)} of {len(listing.offers)} skills"


def _name(offer: SkillChoice) -> str:
    return f"{shown(offer.name)}{' (installed)' if offer.installed else ''}"
