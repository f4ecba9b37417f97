"""The predicate for any rule about facts: what code takes, and what it does with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.flow_signs import SOURCES, acts_of, kinds_of, quick_groups
from skillbag.lint.checks.predicate import Match, Predicate, Subject, Unjudged
from skillbag.lint.facts.signs import source_places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class FactsOptions(NamedTuple):
    """`when`: the condition, of the shape `condition` in `schemas/rule.schema.json`."""

    when: Mapping[str, Any] = {}

    def literals(self) -> tuple[bytes, ...] | None:
        """The words without which no text meets the condition; None where there are none such."""
        return _literals(self.when)


def _literals(when: Mapping[str, Any]) -> tuple[bytes, ...] | None:
    if "reads" in when:
        kinds = kinds_of(when["reads"])
        return tuple(sorted({word for some, words, *_ in SOURCES if some & kinds for word in words}))
    if "all" in when:
        # The finding is at the first; the others may be met in another file.
        return _literals(next((each for each in when["all"] if "not" not in each), {}))
    some = [_literals(each) for each in when.get("any", ())]
    return tuple(sorted({word for words in some for word in words or ()})) if some and None not in some else None


@Predicate("facts", Subject.TEXT, values=("source", "act", "host"), options=FactsOptions, has_roles=True)
def facts(file: TextFile, options: FactsOptions) -> Iterator[Match | Unjudged]:
    """Code in a text whose facts meet a condition: what it reads, and where that flows to."""
    if _may_meet(file, options.when):
        # The readers of code are imported where there is something to read.
        from skillbag.lint.checks.fact_conditions import match_of, meeting, strongest, unread

        if "flows-to" in options.when:
            yield from unread(file, kinds_of(options.when["reads"]), acts_of(options.when))
        yield from strongest(match_of(file, fact) for fact in meeting(file, options.when))


def _may_meet(file: TextFile, when: Mapping[str, Any]) -> bool:
    """Whether a text has the words of a source; other conditions than of one flow are looked at in full."""
    if "flows-to" not in when:
        return True
    groups = quick_groups(kinds_of(when["reads"]), acts_of(when))
    return groups is None or any(source_places(file, signs) for signs in groups)
