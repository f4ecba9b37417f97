"""Options of rules: their types, and that a wrong one is refused at its key."""

from __future__ import annotations

from typing import Any

import pytest

from skillbag.checks.registry import TABLE
from skillbag.rules.model import RuleBindingError, make_options

WRONG: dict[str, list[object]] = {
    "int": [True, "1", 1.5, None],
    "bool": [1, "true", None],
    "str": [1, None, ["a"]],
    "tuple": ["a", [1], None],
}
CLASSES: dict[str, Any] = {name: predicate.options for name, predicate in TABLE.items()}
OPTIONS = [
    (name, field, kind) for name, options in sorted(CLASSES.items()) for field, kind in options.__annotations__.items()
]


@pytest.mark.parametrize(("predicate", "option", "kind"), OPTIONS)
def test_a_value_of_another_type(predicate: str, option: str, kind: str) -> None:
    key = option.replace("_", "-")
    for value in WRONG["tuple" if kind.startswith("tuple") else kind]:
        with pytest.raises(RuleBindingError) as refused:
            make_options(TABLE[predicate], {key: value})
        assert refused.value.key == f"options.{key}"
        assert refused.value.message.startswith(f"{key} takes ")


@pytest.mark.parametrize(("predicate", "option", "kind"), OPTIONS)
def test_a_value_of_its_type(predicate: str, option: str, kind: str) -> None:
    values: dict[str, tuple[object, object]] = {"int": (7, 7), "bool": (True, True), "str": ("a", "a")}
    given, kept = values.get(kind, (["a", "b"], ("a", "b")))
    assert getattr(make_options(TABLE[predicate], {option.replace("_", "-"): given}), option) == kept


@pytest.mark.parametrize("predicate", sorted(TABLE))
def test_an_option_that_there_is_not(predicate: str) -> None:
    with pytest.raises(RuleBindingError, match="has no option 'zzz'"):
        make_options(TABLE[predicate], {"zzz": 1})
