"""The rules of one kind of target, ready to be applied: by subject, and by the literals that a text must have."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet

from skillbag.kernel.base.literals import LiteralPlaces, Literals
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.workspace.target import SkillFolder, TargetKind
from skillbag.lint.checks.predicate import Subject
from skillbag.lint.checks.suppressions import MARK
from skillbag.lint.rules.builtin import late_families
from skillbag.lint.rules.model import SECURITY, Rule

_TYPICAL = 18_000
"""Bytes of the texts of a skill: the mean of published ones."""


RARE = (Subject.MANIFEST, Subject.HOST_FILE, Subject.HOST_FOLDER)
"""Subjects of rules that are loaded late."""

_UNREADABLE = frozenset({"document-encoding-invalid", "document-unreadable"})
"""What no security rule can read."""


class _Search(NamedTuple):
    """The literals of text rules, and by literal the numbers of the `rules` that want it."""

    rules: tuple[Rule, ...]
    numbers: dict[bytes, list[int]]
    literals: Literals


_SEARCHES: list[_Search] = []
"""The last ones: the targets of a repository have the same rules, and an automaton takes long to build."""
_MAX_SEARCHES = 4


def _search_of(rules: Sequence[Rule]) -> _Search:
    """The search for the literals of these text rules, and for the mark of a suppression."""
    for known in _SEARCHES:
        if len(known.rules) == len(rules) and all(map(operator.is_, known.rules, rules)):
            return known
    numbers: dict[bytes, list[int]] = {MARK: []}
    for number, rule in enumerate(rules):
        for literal in _literals(rule) or ():
            numbers.setdefault(literal, []).append(number)
    search = _Search((*rules,), numbers, Literals(numbers))
    _SEARCHES[:] = [search, *_SEARCHES[: _MAX_SEARCHES - 1]]
    return search


class RuleSet(NamedTuple):
    """The rules of one kind of target, by subject, with one automaton over the literals of all text rules.

    `load_late` gives further rules, about manifests and about files around skills: most trees have neither.
    `test_data`: all of them count in folders of test data, too.
    """

    rules: tuple[Rule, ...]
    load_late: Callable[[], Iterable[Rule]] = tuple
    test_data: bool = True

    @cached_property
    def by_subject(self) -> dict[Subject, list[Rule]]:
        """The rules of each subject."""
        found: dict[Subject, list[Rule]] = {subject: [] for subject in Subject}
        for rule in self.rules:
            found[rule.predicate.subject].append(rule)
        return found

    @cached_property
    def of_samples(self) -> tuple[Rule, ...]:
        """The rules about skills that samples within a skill are held to: those about harm."""
        return tuple(rule for rule in self.by_subject[Subject.SKILL] if rule.family == SECURITY)

    @cached_property
    def late(self) -> dict[Subject, list[Rule]]:
        """The rules of each subject that is rare, those that are loaded late among them."""
        found = {subject: [*self.by_subject[subject]] for subject in RARE}
        for rule in self.load_late():
            found[rule.predicate.subject].append(rule)
        return found

    def ids(self, named: AbstractSet[str]) -> frozenset[str]:
        """The ids of the rules that run; late ones are among them if `named` has one of them."""
        late = self.load_late() if not named.isdisjoint(late_families()) else ()
        return frozenset([rule.id for rule in (*self.rules, *late)])

    @cached_property
    def always(self) -> tuple[Rule, ...]:
        """Text rules without literals: they see every text."""
        return tuple(rule for rule in self.by_subject[Subject.TEXT] if _literals(rule) is None)

    @cached_property
    def _search(self) -> _Search:
        return _search_of(self.by_subject[Subject.TEXT])

    @property
    def literals(self) -> Literals:
        """The literals of all text rules, and the mark of a suppression."""
        return self._search.literals

    def expect(self, folders: Sequence[SkillFolder]) -> None:
        """Prepare for the texts of these skills."""
        self.literals.expect(len(folders) * _TYPICAL)

    def triggered(self, places: LiteralPlaces) -> tuple[Rule, ...]:
        """The text rules with a literal in a text."""
        if not places.found:
            return ()
        rules = self.by_subject[Subject.TEXT]
        numbers = sorted({number for literal in places.found for number in self._search.numbers[literal]})
        return tuple(rules[number] for number in numbers)


def _literals(rule: Rule) -> tuple[bytes, ...] | None:
    return rule.predicate.literals if rule.literals is None else rule.literals


def rules_for(
    kind: TargetKind,
    rules: Iterable[Rule],
    load_late: Callable[[], Iterable[Rule]] = tuple,
    *,
    searched: bool = False,
    test_data: bool = True,
) -> RuleSet:
    """The rules for one kind of target, if it is `searched` those about harm; a `RuleSet` is worth keeping."""
    chosen = _of(kind, rules)
    if searched:
        return RuleSet(tuple(filter(is_about_harm, chosen)))
    return RuleSet(chosen, lambda: _of(kind, load_late()), test_data)


def _of(kind: TargetKind, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple([(kind is TargetKind.SKILLS and rule.plain) or rule for rule in rules if kind in rule.targets])


def is_about_harm(rule: Rule) -> bool:
    """Whether a rule is one of those that skills and files that are set apart are held to."""
    # A rule over facts has a level for what is in tests.
    return rule.family == SECURITY or rule.id in _UNREADABLE or rule.predicate.has_roles
