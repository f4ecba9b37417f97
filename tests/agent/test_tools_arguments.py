"""The arguments of a call: held to the schema, told in words that repeat no value, and never a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbag.agent.arguments import DEEPEST, MOST_TEXT
from skillbag.agent.registry import call_tool
from skillbag.agent.tool import BadArgumentsError
from skillbag.base.errors import UserError
from skillbag.settings.scope import Scope
from tests.lifecycle.bags import TOKEN, bag

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


NAME = "a skill's name: a-z, 0-9 and single hyphens"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("skill_apple", [], 'the arguments are not a JSON object; write {"NAME": VALUE}'),
        ("skill_apple", "{}", 'the arguments are not a JSON object; write {"NAME": VALUE}'),
        ("skill_apple", 1, 'the arguments are not a JSON object; write {"NAME": VALUE}'),
        ("skill_apple", {"inptus": {}}, "there is no argument `inptus`; did you mean `inputs`?"),
        ("skill_apple", {"x": 1}, "there is no argument `x`; there are arguments, inputs, prohibits, incomplete"),
        ("skill_apple", {"a\nb": 1}, "there is no argument `'a\\nb'`; "),
        ("skill_apple", {"inputs": []}, "`inputs` must be an object"),
        ("skill_apple", {"inputs": None}, "`inputs` must be an object"),
        ("skill_apple", {"arguments": 3}, "`arguments` must be text"),
        ("skill_apple", {"incomplete": "yes"}, "`incomplete` must be true or false"),
        ("skill_apple", {"prohibits": "a=b"}, "`prohibits` must be a list"),
        ("skill_apple", {"prohibits": ["a"]}, "`prohibits.0` must be NAME=VALUE"),
        ("skill_apple", {"prohibits": ["a=b", "=b"]}, "`prohibits.1` must be NAME=VALUE"),
        ("read_skill_file", {}, "`skill` is missing: The skill's name."),
        ("read_skill_file", {"skill": "apple"}, "`path` is missing: The file's path within"),
        ("read_skill_file", {"skill": "Apple", "path": "x"}, f"`skill` must be {NAME}"),
        ("read_skill_file", {"skill": "apple\n", "path": "x"}, f"`skill` must be {NAME}"),
        ("read_skill_file", {"skill": "a" * 65, "path": "x"}, "`skill` must have 64 characters at most"),
        ("read_skill_file", {"skill": "apple", "path": ""}, "`path` must not be empty"),
        ("run_skill_script", {"skill": "apple", "script": "x", "timeout": 0}, "`timeout` must be more than 0"),
        ("run_skill_script", {"skill": "apple", "script": "x", "timeout": 3601}, "`timeout` must be 3600 or less"),
        ("run_skill_script", {"skill": "apple", "script": "x", "timeout": True}, "`timeout` must be a number"),
        ("run_skill_script", {"skill": "apple", "script": "x", "args": "-l"}, "`args` must be a list"),
        ("run_skill_script", {"skill": "apple", "script": "x", "args": ["a", 1]}, "`args.1` must be text"),
        ("run_skill_script", {"skill": "apple", "script": "x", "stdin": b"x"}, "`stdin`: JSON has no such value"),
        ("skill_marketplace", {"action": "destroy"}, "`action` must be one of install, remove, search, list, list_"),
        ("skill_marketplace", {"action": "install"}, "`skill_ref` is missing, which install needs"),
        ("skill_marketplace", {"action": "remove"}, "`skill_ref` is missing, which remove needs"),
        ("skill_marketplace", {"action": "search"}, "`query` is missing, which search needs"),
        ("skill_marketplace", {"action": "list", "limit": 0}, "`limit` must be 1 or more"),
        ("skill_marketplace", {"action": "list", "limit": 1.5}, "`limit` must be a whole number"),
        ("skill_add", {"path": ""}, "`path` must not be empty"),
        ("skill_remove", {"name": "../x"}, f"`name` must be {NAME}, in any case"),
        ("enter", {"again": 1}, "`again` must be true or false"),
        ("refresh", {"skills": ["apple", ".."]}, f"`skills.1` must be {NAME}"),
        ("refresh", {"skills": ["apple\n"]}, f"`skills` must be {NAME}"),
        ("resolve", {"skill": "*"}, f"`skill` must be {NAME}"),
        ("remember", {"name": "x"}, "`value` is missing: The value."),
        ("remember", {"name": "x", "value": None}, "`value` must be text, a number, true or false or a list"),
        ("remember", {"name": "x", "value": {"a": 1}}, "`value` must be text, a number, true or false or a list"),
        ("remember", {"name": "x", "value": "y", "skill": "**"}, f"`skill` must be {NAME}; or * for all"),
        ("remember", {"name": "x", "value": "y", "skill": "*\n"}, f"`skill` must be {NAME}; or * for all"),
        ("remember", {"name": "", "value": "y"}, "`name` must not be empty"),
    ],
)
def test_what_does_not_fit_is_told_with_what_it_must_be(
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
        "x" * (MOST_TEXT + 1),
        ["x"] * 200_000,
        {"k" * 600_000: "v" * 600_000},
        (1, 2),
        {1, 2},
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("tool", ["skill_apple", "read_skill_file", "skill_add", "remember", "enter"])
def test_what_json_can_not_hold_or_is_too_large_is_refused_anywhere(root: Path, tool: str, value: object) -> None:
    for name in ("inputs", "path", "value", "name", "again"):
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
