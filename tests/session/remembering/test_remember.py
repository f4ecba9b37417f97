"""`skillbag session remember`: what is written, and what it says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag import Session, open_workspace
from skillbag.session.settings.value import typed
from tests.rows import each_row
from tests.session.agents import is_refused
from tests.session.parameters import make
from tests.session.tables import VALUES
from tests.session.user_contexts import blocks_of, text_of, value_in
from tests.supply.install.worlds import call, contents, make_workspace
from tests.support import Run

FRESH = """# User context

## Parameters

```yaml
parameters:
  "*":
    language: en
```
"""


@pytest.mark.proves("inputs", "precedence.persist", "inputs.persist-stable")
def test_a_value_is_kept_in_a_file_that_is_made_for_it(run: Run, workspace: Path) -> None:
    before = contents(workspace)
    outcome = run("remember", "language=en", cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "USER_CONTEXT.md:8: language = en\nUSER_CONTEXT.md was made for it\n"
    assert contents(workspace) == before | {"USER_CONTEXT.md": FRESH.encode()}
    assert value_in(workspace, "language") == typed("en")


@pytest.mark.proves("inputs", "precedence.persist", "inputs.persist-stable")
def test_what_is_kept_counts_in_a_later_session(run: Run, tmp_path: Path) -> None:
    workspace = make(
        tmp_path, "optional:\n  - name: format\n    default: html\n", context="parameters: {convert: {format: docx}}"
    )
    assert call(run, workspace, "resolve", "convert")[1]["parameters"][0]["value"] == "docx"
    assert run("remember", "format=pdf", "--skill", "convert", cwd=workspace).code == 0
    (found,) = call(run, workspace, "resolve", "convert")[1]["parameters"]
    assert (found["value"], found["level"]) == ("pdf", "user-context")
    assert (found["file"], found["line"]) == ("USER_CONTEXT.md", 8)


def test_json_says_what_became_of_it(run: Run, workspace: Path) -> None:
    common = {"version": 1, "command": "remember", "exit": 0, "skill": "*", "name": "n", "file": "USER_CONTEXT.md"}
    git = {"ignored_by": None, "tracked": False, "exposed": False}
    first = {**common, **git, "line": 8, "value": [1, "a"], "before": None, "changed": True, "created": True}
    assert call(run, workspace, "remember", "n=[1, a]") == (0, first)
    second = {**first, "value": True, "before": [1, "a"], "created": False}
    assert call(run, workspace, "remember", "n=true") == (0, second)
    raw = text_of(workspace)
    assert call(run, workspace, "remember", "n=true") == (0, {**second, "before": True, "changed": False})
    assert text_of(workspace) == raw
    assert run("remember", "n=true", cwd=workspace).out == "USER_CONTEXT.md:8: n = true stands there already\n"
    assert run("remember", "n=2", cwd=workspace).out == "USER_CONTEXT.md:8: n = 2 (was true)\n"


def test_from_any_folder_of_the_workspace(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "w")
    (workspace / "deep/er").mkdir(parents=True)
    assert run("remember", "a=b", cwd=workspace / "deep/er").code == 0
    assert run("remember", "a=c", "--workspace", workspace / "deep", cwd=tmp_path).code == 0
    assert value_in(workspace, "a") == typed("c")
    is_refused(run("remember", "a=b", cwd=tmp_path), "no workspace is here")


@each_row(("typed_in", "value", "written"), VALUES["kept by `remember`: text, value, YAML"])
def test_a_value_keeps_its_type_and_its_spelling(
    run: Run, tmp_path: Path, typed_in: str, value: object, written: str
) -> None:
    workspace = make_workspace(tmp_path)
    assert run("remember", f"n={typed_in}", "--explicit", cwd=workspace).code == 0
    assert f'\n    "n": {written}\n' in text_of(workspace)
    found = value_in(workspace, "n")
    assert found is not None
    assert repr(found.value) == repr(value)


@pytest.mark.parametrize("skill", ["*", "convert"])
def test_for_all_skills_or_for_one(run: Run, tmp_path: Path, skill: str) -> None:
    workspace = make(tmp_path, "optional:\n  - name: format\n")
    more = () if skill == "*" else ("--skill", skill)
    assert run("remember", "format=pdf", *more, cwd=workspace).code == 0
    (block,) = blocks_of(text_of(workspace).encode())
    assert block == {"parameters": {skill: {"format": "pdf"}}}
    # `*` alone would be an alias, and no YAML at all.
    assert ('"*":' in text_of(workspace)) == (skill == "*")


def test_a_session_of_the_public_interface_remembers_too(tmp_path: Path) -> None:
    session = Session(open_workspace(str(make_workspace(tmp_path))))
    kept = session.remember("sizes", [1, 2.5, "a"])
    assert (kept.changed, kept.created, str(kept.place)) == (True, True, "USER_CONTEXT.md:8")
    assert value_in(tmp_path, "sizes") == typed([1, 2.5, "a"])
    assert session.forget("sizes").before == typed([1, 2.5, "a"])
