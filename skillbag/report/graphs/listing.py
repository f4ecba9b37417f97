"""What each host shows its model of skills, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skillbag.lint.skill_graph.listing import HostListing, ListedState, ListingRow, ListingSize
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted

_STATES = {
    ListedState.CUT: "cut",
    ListedState.NAME: "name only",
    ListedState.LEFT_OUT: "left out",
    ListedState.UNLISTED: "not listed",
    ListedState.SHADOWED: "shadowed",
}
_ESTIMATE = """\
An estimate: skills that were used lately keep their text first, other skills and those that the host brings along take
room, and its server may set a larger budget. Skills in no folder of a host count as installed in a project.
"""


def listing_lines(listings: Sequence[HostListing]) -> str:
    """The lists of hosts, for people."""
    return "\n".join(line for listing in listings for line in _host(listing)) + f"\n\n{_ESTIMATE}"


def _host(listing: HostListing) -> Iterator[str]:
    yield f"{listing.title}: {'; '.join(_size(size) for size in listing.sizes)}"
    for state, title in _STATES.items():
        if rows := [row for row in listing.skills if row.state is state]:
            yield f"  {title}: {', '.join(_names(rows))}"
    files = f" and {', '.join(map(shown, listing.memory))}" if listing.memory else ""
    tokens = listing.list_tokens + listing.memory_tokens
    yield f"  always loaded: about {tokens:,} tokens, of the list ({listing.list_tokens:,}){files}"


def _size(size: ListingSize) -> str:
    count = counted(size.whole + size.reduced + size.left_out, "skill")
    if not size.budget:
        return f"{count}, {size.full:,} {size.unit}, no documented budget"
    window = "" if size.context_tokens is None else f"with a window of {size.context_tokens:,} tokens, "
    parts = [f"{size.whole} in full", *([f"{size.reduced} reduced"] if size.reduced else [])]
    parts += [f"{size.left_out} left out"] if size.left_out else []
    head = f"{count}, " if size.context_tokens is None else ""
    return f"{head}{window}{size.full:,} of {size.budget:,} {size.unit}: {', '.join(parts)}"


def _names(rows: Iterable[ListingRow]) -> Iterator[str]:
    for row in rows:
        detail = f" ({shown(row.why)})" if row.why else f" ({row.shown} of {row.length})" if row.shown else ""
        yield f"{shown(row.name)}{detail}"
