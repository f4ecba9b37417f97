"""Predicates: the index agrees with the table, preconditions hide no finding, and options have their types."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from skillbag.lint.checks.lazy_predicate import NEEDS, LazyPredicate, all_predicates
from skillbag.lint.checks.predicate import Predicate, Subject
from skillbag.lint.rules.builtin import load_rules
from skillbag.lint.rules.index import PREDICATES
from skillbag.lint.rules.loader import RuleFile
from skillbag.lint.rules.model import RuleBindingError, read_options
from skillbag.lint.rules.written import RuleExample
from skillbag.supply.rule_packs.examples import build, findings_of
from tests.lint.checks.rule_files import CLAUSES, RULE_FILES
from tests.rows import each_row

TABLE = all_predicates()
INDEXED = {rule.id: rule for rule in load_rules()}
GUARDED = [
    pytest.param(file, example, id=f"{file.written.id}-{kind}-{number}")
    for file in RULE_FILES
    if TABLE[file.written.check].needs
    for kind, examples in zip(("pass", "fail"), file.written.examples, strict=True)
    for number, example in enumerate(examples)
]


@each_row("name", sorted(PREDICATES))
def test_a_predicate_is_the_same_early_and_late(name: str) -> None:
    late, early = LazyPredicate(name, *PREDICATES[name]), TABLE[name]
    for known in ("name", "subject", "values", "literals", "needs", "options", "has_roles"):
        assert getattr(late, known) == getattr(early, known)
    assert early.needs or late.check is early.check


def test_every_precondition_is_known_and_every_name_is_unique() -> None:
    names = {predicate.needs for predicate in TABLE.values() if predicate.needs}
    assert {name for name in names if "." not in name} == set(NEEDS)
    for module, _, function in (name.partition(".") for name in names if "." in name):
        assert callable(getattr(import_module(f"skillbag.lint.checks.{module}"), function))
    with pytest.raises(ValueError, match="two predicates link"):
        Predicate("link", Subject.TEXT)(lambda *_: ())


@each_row(("file", "given"), GUARDED)
def test_a_precondition_hides_no_finding(file: RuleFile, given: RuleExample, tmp_path: Path) -> None:
    build(str(tmp_path), given)
    rule = file.bind(CLAUSES, set())
    late = LazyPredicate(rule.predicate.name, *PREDICATES[rule.predicate.name])
    indexed = INDEXED[rule.id]._replace(predicate=late)
    late_findings, early_findings = (list(findings_of(str(tmp_path), each, given)) for each in (indexed, rule))
    assert late_findings == early_findings


WRONG: dict[str, list[object]] = {
    "int": [True, "1", 1.5, None],
    "bool": [1, "true", None],
    "str": [1, None, ["a"]],
    "tuple": ["a", [1], None],
    "Mapping": ["a", [1], None],
}
CLASSES: dict[str, Any] = {name: predicate.options for name, predicate in TABLE.items()}
OPTIONS = [
    (name, field, kind) for name, options in sorted(CLASSES.items()) for field, kind in options.__annotations__.items()
]


@each_row(("predicate", "option", "kind"), OPTIONS)
def test_a_value_of_another_type(predicate: str, option: str, kind: str) -> None:
    key = option.replace("_", "-")
    for value in WRONG[kind.partition("[")[0]]:
        with pytest.raises(RuleBindingError) as refused:
            read_options(TABLE[predicate], {key: value})
        assert refused.value.key == f"options.{key}"
        assert refused.value.message.startswith(f"{key} takes ")


@each_row(("predicate", "option", "kind"), OPTIONS)
def test_a_value_of_its_type(predicate: str, option: str, kind: str) -> None:
    values: dict[str, tuple[object, object]] = {
        "int": (7, 7),
        "bool": (True, True),
        "str": ("a", "a"),
        "tuple": (["a", "b"], ("a", "b")),
        "Mapping": ({"a": 1}, {"a": 1}),
    }
    given, kept = values[kind.partition("[")[0]]
    assert read_options(TABLE[predicate], {option.replace("_", "-"): given}) == {option: kept}


@each_row("predicate", sorted(TABLE))
def test_an_unknown_option(predicate: str) -> None:
    with pytest.raises(RuleBindingError, match="has no option 'zzz'"):
        read_options(TABLE[predicate], {"zzz": 1})
