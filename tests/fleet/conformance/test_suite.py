"""The suite as a whole: every clause is covered, those of behaviour by a plain case, an edge and a breach."""

from __future__ import annotations

from collections import Counter

from skillbag.fleet.conformance.kit import KitClause
from skillbag.lint.rules.builtin import load_clauses, load_rules
from skillbag.lint.rules.model import STANDARD, Clause
from tests.fleet.conformance.suite import SUITE
from tests.rows import each_row

BEHAVIOUR = [clause for clause in load_clauses() if {"lifecycle", "inputs", "tags"} & set(clause.proved_by)]


@each_row("clause", SUITE.clauses, ids=lambda clause: clause.id)
def test_each_clause_has_a_case_or_a_reason(clause: KitClause) -> None:
    assert clause.reason or any(clause.id in case.clauses for case in SUITE.cases)


@each_row("clause", BEHAVIOUR, ids=lambda clause: clause.id)
def test_each_clause_of_behaviour_has_a_plain_case_an_edge_and_a_breach(clause: Clause) -> None:
    assert {case.kind for case in SUITE.cases if clause.id in case.clauses} == {"plain", "edge", "breach"}


def test_each_clause_that_rules_hold_has_folders_that_keep_it_and_that_break_it() -> None:
    rules = [rule for rule in load_rules() if rule.family == STANDARD and rule.clause]
    # A conflict of pins is a question of installing: no file breaks a clause by it.
    proved = {clause.id for clause in load_clauses() if "lint" in clause.proved_by}
    broken: dict[str, set[str]] = {rule.clause: set() for rule in rules if rule.clause in proved}
    for case in SUITE.cases:
        for step in case.steps:
            if step.operation == "check":
                matchers = step.expect["broken"]
                for matcher in matchers.values() if "folders" in step.inputs else [matchers]:
                    ((name, clause),) = matcher.items()
                    broken.setdefault(clause, set()).add(name)
    assert {clause: names for clause, names in broken.items() if names != {"contains", "excludes"}} == {}


def test_no_two_cases_have_one_name() -> None:
    assert [name for name, times in Counter(case.id for case in SUITE.cases).items() if times > 1] == []


def test_every_case_says_what_a_wrong_program_would_do() -> None:
    assert [case.id for case in SUITE.cases if not case.why] == []
