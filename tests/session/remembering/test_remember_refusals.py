"""`skillbag session remember`: which names, skills and values it takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.session.remembering.remember import remember
from skillbag.session.settings.value import typed
from tests.rows import each_row
from tests.session.agents import is_refused
from tests.session.parameters import make
from tests.session.user_contexts import blocks_of, text_of
from tests.supply.install.worlds import call, write
from tests.support import Run


@pytest.mark.parametrize("name", ["", "a\nb", " a", "a ", "a" * 101, "\x1b[31m", "a\u202eb", "a=b"])
def test_what_is_no_name_is_refused(workspace: Path, name: str) -> None:
    with pytest.raises(UserError, match="name is one line"):
        remember(str(workspace), name, typed("x"))
    assert not (workspace / "USER_CONTEXT.md").exists()


@pytest.mark.parametrize("name", ["*", "a.b", "größe", "with blank", "null", "a: b", "#x", "'", "y", "-"])
def test_any_other_name_is_written_so_that_it_reads_back(run: Run, workspace: Path, name: str) -> None:
    assert run("remember", "--", f"{name}=1", cwd=workspace).code == 0
    assert run("remember", "--", f"{name}=2", cwd=workspace).code == 0
    assert blocks_of(text_of(workspace).encode()) == [{"parameters": {"*": {name: "2"}}}]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "one at a time"),
        (["a=1", "b=2"], "one at a time"),
        (["a"], "with an equals sign"),
        (["=a"], "with an equals sign"),
        (["a="], "skillbag session forget a to take it out"),
        (["a=null"], "skillbag session forget a removes the value"),
        (["a=" + "x" * 8001, "--explicit"], "more than 8000 characters"),
        ([os.fsdecode(b"a=\xff")], "not text"),
        (["a=\x1b[31m", "--explicit"], "a: the value has the control character U+001B"),
        (['a=["\x9b"]', "--explicit"], "the control character U+009B"),
        (['a={"\x7f": 1}', "--explicit"], "the control character U+007F"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(run: Run, workspace: Path, arguments: list[str], said: str) -> None:
    is_refused(run("remember", *arguments, cwd=workspace), said)
    assert not (workspace / "USER_CONTEXT.md").exists()
    assert said in call(run, workspace, "remember", *arguments)[1]["error"]


@each_row("seconds", ["-1", "soon", "nan"])
def test_a_wait_that_is_no_time_is_refused(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch, seconds: str
) -> None:
    monkeypatch.setenv("SKILLBAG_WAIT", seconds)
    is_refused(run("remember", "a=1", cwd=workspace), f"SKILLBAG_WAIT is '{seconds}': give a number of seconds")


@pytest.mark.parametrize(
    ("name", "skill", "said"),
    [
        ("format", "convrt", "there is no such skill here; did you mean convert?"),
        ("format", "con_vert", "there is no such skill here"),
        ("format", "Convert", "did you mean convert?"),
        ("fromat", "convert", "convert has no parameter fromat (did you mean format?); it has format, page-size"),
        ("page_size", "convert", "did you mean page-size?"),
        ("confirm", "convert", "no such risk to accept"),
        ("format", "gone", "gone is listed, but .skills/gone/SKILL.md is missing"),
    ],
)
def test_a_skill_and_its_parameter_must_be_there(run: Run, tmp_path: Path, name: str, skill: str, said: str) -> None:
    workspace = make(tmp_path, "optional:\n  - name: format\n  - name: page-size\n")
    with (workspace / ".skills/SKILLS.md").open("a") as catalog:
        catalog.write("gone: It is not there. Use it.\n")
    is_refused(run("remember", f"{name}=a", "--skill", skill, cwd=workspace), said)
    assert not (workspace / "USER_CONTEXT.md").exists()
    # For all skills, any name will do.
    assert run("remember", f"{name}=a", cwd=workspace).code == 0


def test_only_what_is_needed_is_read(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, "optional:\n  - name: format\n")
    write(workspace, {".skills/other/SKILL.md": "x"})
    _, values = call(run, workspace, "remember", "format=pdf", "--skill", "convert", "--trace")
    read = [
        opened["path"].removeprefix(f"{workspace}/") for opened in values["trace"] if ".skillbag/" not in opened["path"]
    ]
    assert read == ["SKILLBAG.md", ".skills/SKILLS.md", ".skills/convert/SKILL.md"]
    _, values = call(run, workspace, "remember", "format=html", "--trace")
    read = [
        opened["path"].removeprefix(f"{workspace}/") for opened in values["trace"] if ".skillbag/" not in opened["path"]
    ]
    assert read == ["SKILLBAG.md", "USER_CONTEXT.md"]
