"""The suite as a whole: every clause is covered, those of behaviour by a plain case, an edge and a breach."""

from __future__ import annotations

from collections import Counter

import pytest

from skillbag.conformance.case import Case, Operation
from skillbag.conformance.suite import RULES, load_suite
from skillbag.findings import Level
from skillbag.rules import STANDARD, Clause, load_rules

SUITE = load_suite()
OF_RULES = [case for case in SUITE.cases if case.id.startswith(f"{RULES}/")]
WRITTEN = [case for case in SUITE.cases if case not in OF_RULES]
BEHAVIOUR = [clause for clause in SUITE.clauses if {"lifecycle", "inputs", "tags"} & set(clause.proved_by)]


@pytest.mark.parametrize("clause", SUITE.clauses, ids=lambda clause: clause.id)
def test_each_clause_has_a_case_or_a_reason(clause: Clause) -> None:
    assert clause.id in SUITE.reasons or any(clause.id in case.clauses for case in SUITE.cases)


@pytest.mark.parametrize("clause", BEHAVIOUR, ids=lambda clause: clause.id)
def test_each_clause_of_behaviour_has_a_plain_case_an_edge_and_a_breach(clause: Clause) -> None:
    assert {case.kind for case in WRITTEN if clause.id in case.clauses} == {"plain", "edge", "breach"}


def test_each_rule_that_holds_a_clause_is_a_case() -> None:
    rules = [rule for rule in load_rules() if rule.family == STANDARD and rule.clause]
    assert [case.id for case in OF_RULES] == [f"{RULES}/{rule.id}" for rule in rules]
    for case, rule in zip(OF_RULES, rules, strict=True):
        breaks = rule.default and rule.level is not Level.NOTE
        # The only examples of too long a body have an option that makes a short one too long.
        assert any("contains" in one for one in expected(case).values()) == (breaks and rule.id != "short-body")
        assert any("excludes" in one for one in expected(case).values())


def expected(case: Case) -> dict[str, dict[str, str]]:
    (step,) = case.steps
    assert isinstance(step, Operation)
    broken: dict[str, dict[str, str]] = step.expected["broken"]
    return broken


def test_no_two_cases_have_one_name() -> None:
    assert [name for name, times in Counter(case.id for case in SUITE.cases).items() if times > 1] == []


def test_every_case_says_what_a_wrong_program_would_do() -> None:
    assert [case.id for case in SUITE.cases if not case.why] == []
