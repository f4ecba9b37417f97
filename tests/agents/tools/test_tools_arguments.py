"""The arguments of a call: held to the schema, told in words that repeat no value, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.arguments import DEEPEST, MAX_TEXT
from skillbag.agents.tools.registry import call_tool
from skillbag.agents.tools.tool import BadArgumentsError
from skillbag.kernel.base.errors import UserError
from tests.rows import each_row
from tests.session.bags import TOKEN, bag

pytestmark = pytest.mark.boundary


def refusal(root: Path, tool: str, arguments: object) -> str:
    """What a call says of its arguments, without the tool's name."""
    with pytest.raises(BadArgumentsError) as caught:
        call_tool(Scope(str(root), str(root / "personal")), tool, arguments)
    name, _, message = str(caught.value).partition(": ")
    assert name == tool
    return message


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def circle() -> Any:
    """A list that holds itself."""
    value: list[Any] = []
    value.append(value)
    return value


REFUSED = json.loads(Path(__file__).with_name("bad_arguments.json").read_text("utf-8"))
"""Tools with arguments that don't fit, and how the message begins."""
BYTES = {"skill": "apple", "script": "x", "stdin": b"x"}


@each_row(
    ("tool", "arguments", "message"),
    [*REFUSED, ("run_skill_script", BYTES, "`stdin`: JSON has no such value")],
)
def test_what_does_not_fit_is_reported_with_what_it_must_be(
    tmp_path: Path, tool: str, arguments: object, message: str
) -> None:
    assert refusal(bag(tmp_path, ["apple"]), tool, arguments).startswith(message)


@pytest.mark.parametrize(
    "value",
    [
        "a\0b",
        "\ud800",
        "x\udcffy",
        float("nan"),
        float("inf"),
        10**5000,
        b"bytes",
        {1: "a"},
        {"a": {"b": ["\0"]}},
        {"\0": 1},
        {"\udcff": 1},
        nested(DEEPEST + 1),
        nested(100_000),
        circle(),
        "x" * (MAX_TEXT + 1),
        ["x"] * 200_000,
        {"k" * 600_000: "v" * 600_000},
        (1, 2),
        {1, 2},
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_can_not_hold_or_is_too_large_is_refused_anywhere(root: Path, value: object) -> None:
    for tool, name in (
        *(("skill_apple", "inputs"), ("skill_apple", "unknown"), ("read_skill_file", "path"), ("skill_add", "path")),
        *(("remember", "value"), ("enter", "again")),
    ):
        assert len(refusal(root, tool, {name: value})) < 400


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (nested(DEEPEST), "it is nested too deep"),
        (nested(100_000), "it is nested too deep"),
        (circle(), "it is nested too deep"),
        ({"a": {"b": nested(DEEPEST)}}, "it is nested too deep"),
        (10**4000, "the number is too long; give it as text"),
    ],
    ids=["list", "deep-list", "circle", "objects", "number"],
)
def test_a_value_beyond_a_limit_is_refused_with_the_limit(root: Path, value: object, message: str) -> None:
    assert refusal(root, "skill_apple", {"inputs": {"a": value}}) == f"`inputs`: {message}"


def test_what_is_nested_as_deep_as_may_be_is_passed_on(root: Path) -> None:
    with pytest.raises(UserError, match="apple has no parameter a"):
        call_tool(Scope(str(root), None), "skill_apple", {"inputs": {"a": nested(DEEPEST - 3)}})


def test_no_mistake_repeats_a_value(root: Path) -> None:
    for tool, arguments in [
        ("skill_marketplace", {"action": TOKEN}),
        ("read_skill_file", {"skill": TOKEN, "path": "x"}),
        ("skill_apple", {"prohibits": [TOKEN]}),
        ("skill_apple", {"arguments": [TOKEN]}),
        ("remember", {"name": "x", "value": {"a": TOKEN}}),
    ]:
        assert TOKEN not in refusal(root, tool, arguments)


@pytest.mark.parametrize("arguments", [None, {}])
def test_no_arguments_are_an_empty_object(tmp_path: Path, arguments: object) -> None:
    assert "Do it." in call_tool(Scope(str(bag(tmp_path, ["apple"])), None), "skill_apple", arguments).text


def test_arguments_are_looked_at_before_anything_is_done(root: Path) -> None:
    refusal(root, "remember", {"name": "language", "value": "en", "more": 1})
    refusal(root, "enter", {"again": "yes"})
    assert not (root / "USER_CONTEXT.md").exists()
