"""What texts tell an agent to do against its user, as the rules of a check find it: there is no second reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.places import shortened
from skillbag.lint.checks.predicate import Match
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.rules.builtin import load_core_rules
from skillbag.lint.rules.model import Rule

RULES: Mapping[str, tuple[FactKind, str]] = {
    "hidden-from-user": (FactKind.STEERING, "hides"),
    "instruction-override": (FactKind.STEERING, "overrides"),
    "permission-bypass": (FactKind.STEERING, "approves"),
    "required-unknown-binary": (FactKind.DOWNLOAD_RUN, "required"),
}
"""Rules about texts, with the kind of fact that each finds and its mark."""


@cache
def steering_rules() -> tuple[Rule, ...]:
    """The rules that facts come from."""
    return tuple(rule for rule in load_core_rules() if rule.id in RULES)


def instruction_facts(file: TextFile) -> Iterator[FoundFact]:
    """What a text tells an agent; what honest skills have as well, and what lessons show, is none."""
    for rule in steering_rules():
        kind, mark = RULES[rule.id]
        literals = rule.literals or rule.predicate.literals or ()
        for match in rule.predicate.check(file, rule.options) if file.places.of(literals) else ():
            if isinstance(match, Match) and rule.level_of(match, file) is not rule.roles.get(PlaceRole.TAUGHT):
                place = FactPlace(file.relative, *file.document.position(match.start))
                yield FoundFact(kind, shortened(next(iter(match.values.values())), 80), place, (mark,))
