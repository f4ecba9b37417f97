"""The clauses and rules as their files under `rules/` have them, each rule bound: what everything else is made from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from skillbag.lint.rules.builtin import load_clauses
from skillbag.lint.rules.loader import RuleFile, read_folder
from skillbag.lint.rules.model import Clause, Rule


@dataclass(frozen=True)
class Entry:
    """A rule and the file that it stands in."""

    file: RuleFile
    rule: Rule


@dataclass(frozen=True)
class RuleSet:
    """All clauses in the standard's order, and all rules by family and id."""

    clauses: tuple[Clause, ...]
    entries: tuple[Entry, ...]

    def holding(self, clause: Clause) -> tuple[Rule, ...]:
        """The rules that hold `clause`."""
        return tuple(entry.rule for entry in self.entries if entry.rule.clause == clause.id)

    def gaps(self) -> tuple[str, ...]:
        """The ids of clauses that a rule should hold and none does."""
        return tuple(clause.id for clause in self.clauses if "lint" in clause.proved_by and not self.holding(clause))


def read_rule_set(folder: Path) -> RuleSet:
    """Read `folder`, which has the layout of `rules/`. The index in the package is not looked at: it may be stale.

    Raises:
        BadRuleError: a file can't be used; every rule is bound to its predicate and its clause to find that out.
    """
    clauses = load_clauses()
    by_id = {clause.id: clause for clause in clauses}
    entries: dict[str, Entry] = {}
    for file in read_folder(str(folder)):
        entries[file.written.id] = Entry(file, file.bind(by_id, entries.keys()))
    ordered = sorted(entries.values(), key=lambda entry: (entry.rule.family, entry.rule.id))
    return RuleSet(clauses, tuple(ordered))
