"""The suite as a whole: every clause is covered, those of behaviour by a plain case, an edge and a breach."""

from __future__ import annotations

from collections import Counter

from skillbag.fleet.conformance.case import ConformanceCase, Operation
from skillbag.fleet.conformance.suite import RULES, load_suite
from skillbag.kernel.model.findings import Severity
from skillbag.lint.rules.builtin import load_rules
from skillbag.lint.rules.model import STANDARD, Clause
from tests.rows import each_row

SUITE = load_suite()
OF_RULES = [case for case in SUITE.cases if case.id.startswith(f"{RULES}/")]
WRITTEN = [case for case in SUITE.cases if case not in OF_RULES]
BEHAVIOUR = [clause for clause in SUITE.clauses if {"lifecycle", "inputs", "tags"} & set(clause.proved_by)]


@each_row("clause", SUITE.clauses, ids=lambda clause: clause.id)
def test_each_clause_has_a_case_or_a_reason(clause: Clause) -> None:
    assert clause.id in SUITE.reasons or any(clause.id in case.clauses for case in SUITE.cases)


@each_row("clause", BEHAVIOUR, ids=lambda clause: clause.id)
def test_each_clause_of_behaviour_has_a_plain_case_an_edge_and_a_breach(clause: Clause) -> None:
    assert {case.kind for case in WRITTEN if clause.id in case.clauses} == {"plain", "edge", "breach"}


def test_each_clause_that_rules_hold_has_a_case_of_their_examples() -> None:
    rules = [rule for rule in load_rules() if rule.family == STANDARD and rule.clause]
    assert [case.id for case in OF_RULES] == [
        f"{RULES}/{clause.id}" for clause in SUITE.clauses if clause.id in {rule.clause for rule in rules}
    ]
    folders = {folder: matcher for case in OF_RULES for folder, matcher in expected(case).items()}
    for rule in rules:
        breaks = rule.default and rule.level is not Severity.NOTE
        # The only examples of too long a body have an option that makes a short one too long.
        assert ({"contains": rule.clause} in of(rule.id, "fail", folders)) == (breaks and rule.id != "body-too-long")
        assert {"excludes": rule.clause} in of(rule.id, "pass", folders)


def of(rule: str, kind: str, folders: dict[str, dict[str, str]]) -> list[dict[str, str]]:
    return [matcher for name, matcher in folders.items() if name.startswith(f"{rule}-{kind}-")]


def expected(case: ConformanceCase) -> dict[str, dict[str, str]]:
    (step,) = case.steps
    assert isinstance(step, Operation)
    broken: dict[str, dict[str, str]] = step.expected["broken"]
    return broken


def test_no_two_cases_have_one_name() -> None:
    assert [name for name, times in Counter(case.id for case in SUITE.cases).items() if times > 1] == []


def test_every_case_says_what_a_wrong_program_would_do() -> None:
    assert [case.id for case in SUITE.cases if not case.why] == []
