"""What an expression is made of, while a program's code is read."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.flow import WHOLE
from skillbag.lint.facts.values import Origin, OriginKind


class Carried(NamedTuple):
    """The names that an expression uses, the sources in it, the names of which it takes a field, and its texts.

    `name` is what it is called where it is one chain of names, with modules by their own names: `fs.readFile()`.
    """

    uses: frozenset[str] = frozenset()
    sources: tuple[Origin, ...] = ()
    picks: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    name: str = ""


NOTHING = Carried()
_SEVERAL = 2


def merged(values: Iterable[Carried], texts: tuple[str, ...] = ()) -> Carried:
    """Several expressions as one."""
    kept = [value for value in values if value.uses or value.sources or value.picks]
    if len(kept) < _SEVERAL and not texts:
        return kept[0]._replace(texts=(), name="") if kept else NOTHING
    return Carried(
        frozenset().union(*(value.uses for value in kept)),
        tuple(source for value in kept for source in value.sources),
        frozenset().union(*(value.picks for value in kept)),
        texts,
    )


def field_of(value: Carried) -> Carried:
    """One field of a value: not all of the environment, and not a whole file of logins."""
    kept = tuple(source for source in value.sources if source.kind not in WHOLE)
    return Carried(frozenset(), kept, value.uses | value.picks)


def without(value: Carried, kind: OriginKind) -> Carried:
    """A value without the sources of a kind."""
    return value._replace(sources=tuple(source for source in value.sources if source.kind is not kind))
