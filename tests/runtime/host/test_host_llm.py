"""`llm_complete` and `llm_json`: with a callable, with a command, with none; schemas that are hostile."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.errors import (
    BadParametersError,
    NotFoundError,
    RateLimitedError,
    RuntimeFaultError,
    TimeLimitError,
)
from skillbag.runtime.host import llm, schemas
from skillbag.runtime.host.llm import command_completer
from tests.rows import each_row
from tests.runtime.hosts import make_world
from tests.supply.sources.servers import content, serve

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="active skills run on POSIX systems")

TOKEN = "ghp_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"
NUMBERS = {"type": "array", "items": {"type": "integer"}}


def requested(tmp_path: Path, answer: str, schema: Any) -> Any:
    """What `llm_json` gives where the model answers so."""
    return make_world(tmp_path, completer=lambda prompt: answer).call("llm_json", "Say it.", schema)


def test_a_completion_is_the_completer_s(tmp_path: Path) -> None:
    assert make_world(tmp_path, completer=str.upper).call("llm_complete", "hello") == "HELLO"


@pytest.mark.parametrize("function", ["llm_complete", "llm_json"])
def test_without_a_completer_it_is_said(tmp_path: Path, function: str) -> None:
    arguments: dict[str, Any] = {"prompt": "x"} | ({"schema": {}} if function == "llm_json" else {})
    with pytest.raises(RuntimeFaultError, match=f"{function}: no LLM completer configured"):
        make_world(tmp_path).call(function, **arguments)


def test_a_failing_completer_is_told_without_its_key(tmp_path: Path) -> None:
    def fails(prompt: str) -> str:
        raise ValueError(f"401 for {TOKEN}")

    with pytest.raises(RuntimeFaultError, match="llm_complete: the LLM completer failed: 401") as raised:
        make_world(tmp_path, completer=fails).call("llm_complete", "x")
    assert TOKEN not in str(raised.value)

    def limited(prompt: str) -> str:
        raise RateLimitedError("too many")

    with pytest.raises(RateLimitedError):
        make_world(tmp_path, completer=limited).call("llm_complete", "x")
    with pytest.raises(RuntimeFaultError, match="gave no text"):
        make_world(tmp_path, completer=lambda _: 1).call("llm_complete", "x")


def test_the_model_is_told_the_schema_and_its_value_is_given(tmp_path: Path) -> None:
    prompts: list[str] = []

    def complete(prompt: str) -> str:
        prompts.append(prompt)
        return "```json\n[1, 2]\n```\n"

    assert make_world(tmp_path, completer=complete).call("llm_json", "Count.", NUMBERS) == [1, 2]
    assert prompts[0].startswith("Count.\n")
    assert json.dumps(NUMBERS) in prompts[0]


@each_row("answer", ["", "Sure! [1]", "[1", "NaN", '["a"]', "{}", "[" * 100_000])
def test_an_answer_that_is_something_else_is_a_fault(tmp_path: Path, answer: str) -> None:
    with pytest.raises(RuntimeFaultError, match="llm_json: the LLM's answer"):
        requested(tmp_path, answer, NUMBERS)


@each_row("schema", [{"type": 1}, {"type": "nonsense"}, {"$ref": "#/gone"}, {"$ref": "file:///etc/passwd"}])
def test_what_is_no_schema_is_told(tmp_path: Path, schema: Any) -> None:
    with pytest.raises(BadParametersError, match="no JSON Schema"):
        requested(tmp_path, "1", schema)


def test_a_schema_makes_nobody_fetch_anything(tmp_path: Path) -> None:
    with serve({"/": content(b"{}")}) as server:
        with pytest.raises(BadParametersError):
            requested(tmp_path, "1", {"$ref": f"{server.url}/schema"})
        assert server.requests == []


BRANCHES = {f"d{number}": {"allOf": [{"$ref": f"#/$defs/d{number + 1}"}] * 2} for number in range(60)}
BOMBS = [
    ({"pattern": "^(a+)+$"}, '"' + "a" * 60 + '!"'),
    ({"$defs": {**BRANCHES, "d60": {}}, "$ref": "#/$defs/d0"}, "1"),
    ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "1"),
]


@pytest.mark.parametrize(("schema", "answer"), BOMBS)
def test_a_hostile_schema_ends(tmp_path: Path, schema: Any, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "CHECK_SECONDS", 1.0)
    began = time.monotonic()
    with pytest.raises((TimeLimitError, RuntimeFaultError), match="schema"):
        requested(tmp_path, answer, schema)
    assert time.monotonic() - began < 50


def script(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "model.py").write_text(f"import os, sys\n{text}\n")
    return [sys.executable, str(tmp_path / "model.py")]


def test_a_command_gets_the_prompt_and_its_output_is_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "k")
    words = script(tmp_path, "print(sys.stdin.read().upper() + os.environ['MODEL_KEY'])")
    world = make_world(tmp_path, completer=command_completer(words))
    assert world.call("llm_complete", "äöü\n" * 50_000) == "ÄÖÜ\n" * 50_000 + "k"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"sys.exit('no quota for {TOKEN}')", "ended with exit code 1: no quota for ghp_"),
        ("sys.exit(2)", "ended with exit code 2"),
        ("sys.stdout.write('x' * (2 << 20))", "wrote more than 1 MiB"),
        ("import time; time.sleep(1000)", "took longer than 0.5 s"),
    ],
)
def test_a_failing_command_is_told(tmp_path: Path, text: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "sleep" in text:
        monkeypatch.setattr(llm, "COMMAND_SECONDS", 0.5)
    with pytest.raises(RuntimeFaultError) as raised:
        command_completer(script(tmp_path, text))("x")
    assert said in str(raised.value)
    assert TOKEN not in str(raised.value)


def test_a_missing_command_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"llm\.command"):
        command_completer(["no-such-program"])("x")
