"""Every command prints one envelope with `--json`, which fits its schema, whether it succeeds or not."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.doors.cli.every_command import SERVERS, case_of, commands, make_world
from tests.rows import each_row
from tests.support import PROJECT, Run

ALL = [words for words, _ in commands()]
RUN = [words for words in ALL if " ".join(words) not in SERVERS]


@cache
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((PROJECT / f"schemas/{name}.schema.json").read_text("utf-8"))
    return Draft202012Validator({**schema["$defs"]["answer"], "$defs": schema["$defs"]} if name == "audit" else schema)


def checked(out: str, code: int, schema: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(out)
    validator("envelope").validate(values)
    validator(schema).validate(values)
    assert list(values)[:3] == ["version", "command", "exit"]
    assert values["exit"] == code
    return values


def schema_of(words: tuple[str, ...]) -> str:
    case = case_of(words)
    return case.schema or "envelope" if case else "envelope"


@each_row("words", ALL, ids=" ".join)
def test_each_command_has_a_case(words: tuple[str, ...]) -> None:
    assert case_of(words) or " ".join(words) in SERVERS


@pytest.fixture
def root(run: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the small world, which is made once in each process."""
    made = tmp_path_factory.getbasetemp() / "world-of-every-command"
    if not made.exists():
        make_world(made, run)
    shutil.copytree(made, tmp_path, symlinks=True, dirs_exist_ok=True)
    return tmp_path / "work"


@pytest.mark.usefixtures("a_person")
@pytest.mark.parametrize("words", RUN, ids=" ".join)
def test_an_answer_fits_its_schema(
    words: tuple[str, ...], run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = case_of(words)
    monkeypatch.setenv("SKILLBAG_APPROVE_SKILLS", "count" if "activate" in words[-1] else "")
    assert case is not None
    for line in case.before:
        assert run(*line.split(), cwd=root).code == 0, line
    done = run(*words, "--json", *case.arguments.split(), cwd=root, stdin=case.stdin.encode())
    assert done.code == case.exit, done
    if case.schema:
        checked(done.out, done.code, case.schema)


@each_row("words", ALL, ids=" ".join)
def test_a_mistake_fits_the_same_schema(words: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    done = run(*words, "--json", "--no-such-option", cwd=tmp_path)
    assert (done.code, done.err) == (2, "")
    values = checked(done.out, 2, schema_of(words))
    # What `plugin serve` does not know is the first word of a call.
    assert values["error"].startswith("no such option") or words == ("agent", "plugin", "serve")


@each_row("words", ALL, ids=" ".join)
def test_the_common_options_are_taken_before_and_behind_the_name(words: tuple[str, ...], run: Run) -> None:
    before, behind = run("--color", "never", "-q", *words, "--help"), run(*words, "--no-color", "-q", "--help")
    assert before.code == behind.code == 0
    assert before.out == behind.out
    assert "\x1b[" in run(*words, "--color", "always", "--help").out
    for option in ("--json", "--color", "-q, --quiet", "-v, --verbose"):
        assert option in before.out
