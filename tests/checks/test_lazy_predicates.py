"""Predicates of the index are those of the table, and what they need spares them no finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbag.base.package_data import folder
from skillbag.checks.lazy_predicate import NEEDS, LazyPredicate
from skillbag.checks.predicate import Subject, predicate
from skillbag.checks.registry import TABLE
from skillbag.rules.index import PREDICATES
from skillbag.rules.loader import RuleFile, read_folder
from skillbag.rules.model import load_clauses, load_rules
from tests.checks.test_rule_examples import build, found

CLAUSES = {clause.id: clause for clause in load_clauses()}
INDEXED = {rule.id: rule for rule in load_rules()}
GUARDED = [
    pytest.param(file, example, id=f"{file.data['id']}-{kind}-{number}")
    for file in read_folder(folder("rules"))
    if TABLE[file.data["check"]].needs
    for kind in ("pass", "fail")
    for number, example in enumerate(file.data["examples"][kind])
]


@pytest.mark.parametrize("name", sorted(PREDICATES))
def test_a_predicate_is_the_same_early_and_late(name: str) -> None:
    late, early = LazyPredicate(name, *PREDICATES[name]), TABLE[name]
    for known in ("name", "subject", "values", "literals", "needs", "options"):
        assert getattr(late, known) == getattr(early, known)
    assert early.needs or late.check is early.check


def test_every_need_is_known_and_every_name_is_taken_once() -> None:
    assert {predicate.needs for predicate in TABLE.values()} - {None} == set(NEEDS)
    with pytest.raises(ValueError, match="two predicates link"):
        predicate("link", Subject.TEXT)(lambda *_: ())


@pytest.mark.parametrize(("file", "example"), GUARDED)
def test_what_is_needed_spares_no_finding(file: RuleFile, example: dict[str, Any], tmp_path: Path) -> None:
    build(tmp_path, example)
    rule = file.bind(CLAUSES, set())
    late = LazyPredicate(rule.predicate.name, *PREDICATES[rule.predicate.name])
    indexed = INDEXED[rule.id]._replace(predicate=late)
    assert found(tmp_path, indexed, example) == found(tmp_path, rule, example)
