"""`session forget`: a value goes, with what was there for it alone; what `remember` has just written, to the byte."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.edit.lines import flow
from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.workspace.model import ContextFile, context_file
from skillbag.session.remembering.remember import NoSuchValueError, forget
from skillbag.session.remembering.user_context import definitions, with_parameter, without_parameter
from tests.rows import each_row
from tests.session.parameters import make
from tests.session.tables import toml_table
from tests.session.user_contexts import NAMES, SKILLS, VALUES, blocks_of, given_in, text_of, texts
from tests.supply.install.worlds import call, contents, make_workspace, snapshot, write
from tests.support import Run


@pytest.mark.proves("inputs", "precedence.persist")
def test_a_value_is_forgotten_and_the_default_counts_again(run: Run, tmp_path: Path) -> None:
    declared = "optional:\n  - name: format\n    default: html\n"
    workspace = make(tmp_path, declared)
    assert run("remember", "format=pdf", "--skill", "convert", cwd=workspace).code == 0
    outcome = run("forget", "format", "--skill", "convert", cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "USER_CONTEXT.md: format for convert is forgotten (was pdf)\n"
    assert text_of(workspace) == "# User context\n"
    assert call(run, workspace, "resolve", "convert")[1]["parameters"][0]["value"] == "html"


def test_json_has_the_old_value(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context='```yaml\nparameters: {"*": {n: [1, a]}}\n```\n')
    git = {"ignored_by": None, "tracked": False, "exposed": False}
    value = {"skill": "*", "name": "n", "value": None, "before": [1, "a"], "file": "USER_CONTEXT.md", "line": None}
    expected = {"version": 1, "command": "forget", "exit": 0, **value, "changed": True, "created": False, **git}
    assert call(run, workspace, "forget", "n") == (0, expected)
    assert text_of(workspace) == ""


UNFILLED = (
    "parameters:",
    "parameters: {}",
    'parameters: {"*": {}}',
    'parameters:\n  "*":',
    'parameters: {"*": , x: {}}',
)


@each_row(
    "text",
    [
        *("", "\n", "# Me", "# Me\n", "A\r\n\r\n", "\ufeff", "a\r", "```yaml\ntags: {}\n```"),
        # What is empty stays so: nothing could tell it from what was made for a value.
        *(f"# Me\n\n```yaml\n{block}\n```\n" for block in UNFILLED),
    ],
)
def test_what_was_remembered_is_forgotten_to_the_byte(run: Run, tmp_path: Path, text: str) -> None:
    workspace = write(make_workspace(tmp_path), {"USER_CONTEXT.md": text})
    for pair in ("a=1", "b=[x, y]", "c=z"):
        assert run("remember", pair, cwd=workspace).code == 0
    assert text_of(workspace) != text
    for name in "bac":
        assert run("forget", name, cwd=workspace).code == 0
    assert text_of(workspace) == text


def parsed(raw: bytes) -> ContextFile:
    document = decode("USER_CONTEXT.md", raw)
    assert isinstance(document, Document)
    return context_file(document)


@given(
    texts(),
    st.lists(
        st.tuples(st.sampled_from(SKILLS), st.sampled_from(NAMES), VALUES),
        min_size=1,
        max_size=4,
        unique_by=lambda row: row[:2],
    ),
    st.randoms(use_true_random=False),
)
def test_any_file_is_given_back_to_the_byte(raw: bytes, kept: list[tuple[str, str, object]], random: Random) -> None:
    kept = [row for row in kept if not given_in(blocks_of(raw), *row[:2])]
    context = parsed(raw)
    for skill, name, value in kept:
        context = with_parameter(context, skill, name, flow(value))
    random.shuffle(kept)
    for skill, name, value in kept:
        found = definitions(context, skill, name)[-1].value
        assert found is not None
        assert found.value == value
        context = without_parameter(context, skill, name)
    assert context.document.raw == raw


@given(texts(), st.data())
def test_whatever_a_file_gives_can_be_taken_out(raw: bytes, data: st.DataObject) -> None:
    expected = blocks_of(raw)
    there = [(skill, name) for skill in SKILLS for name in NAMES if given_in(expected, skill, name)]
    if not there:
        return
    skill, name = data.draw(st.sampled_from(there))
    after = blocks_of(without_parameter(parsed(raw), skill, name).document.raw)
    for number in given_in(expected, skill, name):
        del expected[number]["parameters"][skill][name]
    assert filled(after) == filled(expected)


def filled(blocks: list[Any]) -> list[Any]:
    """The blocks without skills that have no values, `parameters` without skills, and blocks with nothing."""
    for block in blocks:
        if isinstance(block, dict) and not isinstance(block.get("parameters"), list):
            skills = {skill: values for skill, values in (block.pop("parameters", None) or {}).items() if values}
            block.update({"parameters": skills} if skills else {})
    return [block for block in blocks if block]


STYLES = toml_table("forgotten")


@each_row("style", STYLES)
def test_what_is_removed_with_a_value(run: Run, tmp_path: Path, style: str) -> None:
    workspace = make_workspace(tmp_path, user_context=STYLES[style]["before"])
    assert run("forget", "a", cwd=workspace).code == 0
    assert text_of(workspace) == STYLES[style]["after"]


def test_what_can_not_be_removed_safely_is_left_to_the_user(run: Run, tmp_path: Path) -> None:
    text = '```yaml\nparameters: {"*": {b: 1, # of b\n  a: 1}}\n```\n'
    workspace = make_workspace(tmp_path, user_context=text)
    outcome = run("forget", "a", cwd=workspace)
    assert outcome.code == 2
    assert outcome.err == (
        "error: USER_CONTEXT.md:3: this form of YAML can't be edited safely; remove a of * yourself\n"
    )
    assert text_of(workspace) == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a"], "USER_CONTEXT.md gives no value for a; it has format (--skill convert), b"),
        (["b", "--skill", "convert"], "USER_CONTEXT.md gives no value for b of convert; it has format"),
        (["format"], "USER_CONTEXT.md gives no value for format; it has format (--skill convert)"),
        ([], "write skillbag session forget NAME, one at a time"),
        (["a", "b"], "write skillbag session forget NAME, one at a time"),
        (["b=1"], "write skillbag session forget NAME, one at a time"),
    ],
)
def test_what_is_not_there_is_named_with_what_is(run: Run, tmp_path: Path, arguments: list[str], said: str) -> None:
    text = '```yaml\nparameters:\n  convert: {format: pdf}\n  "*": {b: 1}\n```\n'
    workspace = make_workspace(tmp_path, user_context=text)
    before = snapshot(workspace)
    outcome = run("forget", *arguments, cwd=workspace)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {said}")
    assert said in call(run, workspace, "forget", *arguments)[1]["error"]
    assert snapshot(workspace)["USER_CONTEXT.md"] == before["USER_CONTEXT.md"]


def test_nothing_is_there_at_all(run: Run, workspace: Path) -> None:
    before = contents(workspace)
    outcome = run("forget", "a", cwd=workspace)
    assert outcome.code == 2
    assert outcome.err == "error: USER_CONTEXT.md gives no value for a; it has none at all\n"
    assert contents(workspace) == before
    with pytest.raises(NoSuchValueError):
        forget(str(workspace), "a")


def test_the_values_of_a_skill_that_is_gone_can_be_forgotten(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context="```yaml\nparameters: {gone: {a: 1}}\n```\n")
    assert run("forget", "a", "--skill", "gone", cwd=workspace).code == 0
    assert text_of(workspace) == ""


def test_many_definitions_go_in_one_pass(run: Run, tmp_path: Path) -> None:
    block = '```yaml\nparameters: {"*": {a: 1}}\n```\n'
    workspace = make_workspace(tmp_path, user_context=block * 3_000 + "End\n")
    assert run("forget", "a", cwd=workspace).code == 0
    assert text_of(workspace) == "End\n"
