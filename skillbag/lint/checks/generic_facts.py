"""The predicate for any rule about facts: what code takes, and what it does with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.flow_signs import (
    SINGLE,
    SOURCES,
    acts_of,
    fixed_parts,
    kinds_of,
    listed,
    may_flow,
    quick_groups,
)
from skillbag.lint.checks.predicate import Match, OptionFault, Predicate, Subject, Unjudged
from skillbag.lint.facts.literals import VARIABLES
from skillbag.lint.facts.signs import FlowSigns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class FactsOptions(NamedTuple):
    """`when`: the condition, of the shape `condition` in `schemas/rule.schema.json`."""

    when: Mapping[str, Any] = {}

    @cached_property
    def groups(self) -> list[FlowSigns] | None:
        """The quick looks that are enough for a condition of one flow; None for others, which are looked at in full."""
        return _groups(self.when) if "flows-to" in self.when else None

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the condition."""
        # Only the rules of a team are judged while they are loaded.
        from skillbag.lint.checks.condition_faults import condition_faults

        yield from condition_faults(self.when, "when")

    def literals(self) -> tuple[bytes, ...] | None:
        """The words without which no text meets the condition; None where there are none such."""
        return _literals(self.when)


def _groups(when: Mapping[str, Any]) -> list[FlowSigns] | None:
    return quick_groups(kinds_of(when["reads"]), acts_of(when), listed(when.get("named", ())))


def _literals(when: Mapping[str, Any]) -> tuple[bytes, ...] | None:
    if "reads" in when:
        kinds = kinds_of(when["reads"])
        found = {word for some, words, *_ in SOURCES if some & kinds for word in words}
        variables = fixed_parts(listed(when.get("named", ()))) or VARIABLES
        return tuple(sorted(found.union(variables if kinds & SINGLE else ())))
    if "all" in when:
        # The finding is at the first; the others may be met in another file.
        return _literals(next((each for each in when["all"] if "not" not in each), {}))
    some = [_literals(each) for each in when.get("any", ())]
    return tuple(sorted({word for words in some for word in words or ()})) if some and None not in some else None


@Predicate("facts", Subject.TEXT, values=("source", "act", "host", "call"), options=FactsOptions, has_roles=True)
def facts(file: TextFile, options: FactsOptions) -> Iterator[Match | Unjudged]:
    """Code in a text whose facts meet a condition: what it reads, and where that flows to."""
    if options.groups is None or any(may_flow(file, signs) for signs in options.groups):
        # The readers of code are imported where there is something to read.
        from skillbag.lint.checks.fact_conditions import match_of, meeting, strongest, unread

        if "flows-to" in options.when:
            yield from unread(file, kinds_of(options.when["reads"]), acts_of(options.when))
        yield from strongest(match_of(file, fact) for fact in meeting(file, options.when))
