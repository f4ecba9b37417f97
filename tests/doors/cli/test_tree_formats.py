"""`skillbag tree --format`: what it prints, where it writes, and mistakes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.lint.skill_graph.worlds import needs, skill
from tests.support import PROJECT, Run


@pytest.fixture
def workspace(tmp_path: Path, run: Run) -> Path:
    run("init", cwd=tmp_path)
    skill(tmp_path / ".skills", "user", front=needs("base", "lost"))
    skill(tmp_path / ".skills", "base")
    return tmp_path


@pytest.mark.parametrize(
    ("form", "holds"),
    [
        ("mermaid", 's3["user"]'),
        ("dot", 'label="user"'),
        ("svg", ">user</text>"),
        ("json", '"to": ".skills/lost"'),
        ("text", "└── lost  (missing)"),
    ],
)
def test_each_format_to_the_output_and_to_a_file(workspace: Path, run: Run, form: str, holds: str) -> None:
    printed = run("tree", "--format", form, cwd=workspace)
    assert (printed.code, printed.err) == (0, "")
    assert holds in printed.out
    written = run("tree", "--format", form, "-o", "drawing", cwd=workspace)
    assert (written.code, written.out) == (0, "")
    assert (workspace / "drawing").read_text("utf-8") == printed.out


def test_json_is_the_envelope_with_the_graph(workspace: Path, run: Run) -> None:
    values = json.loads(run("tree", "--json", cwd=workspace).out)
    assert values == json.loads(run("tree", "--format", "json", cwd=workspace).out)
    schema = json.loads((PROJECT / "schemas" / "outcome.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(values)
    assert {node["name"]: node["state"] for node in values["graph"]["nodes"]}["lost"] == "missing"
    assert [row["name"] for row in values["skills"]] == ["base", "skillbag-get-skills", "user"]


def test_links_lead_from_the_file_to_the_skills(workspace: Path, run: Run) -> None:
    (workspace / "docs").mkdir()
    run("tree", "--format", "svg", "-o", "docs/skills.svg", cwd=workspace)
    assert 'href="./../.skills/user/SKILL.md"' in (workspace / "docs" / "skills.svg").read_text("utf-8")


def test_plain_skills_are_drawn_but_have_no_tree(tmp_path: Path, run: Run) -> None:
    skill(tmp_path / "skills", "one", body="[two](../two/SKILL.md)\n")
    skill(tmp_path / "skills", "two")
    assert run("tree", cwd=tmp_path).code == 2
    generated = run("tree", "--format", "mermaid", cwd=tmp_path)
    assert "s0 -. links to .-> s1" in generated.out


def test_svg_without_its_extra_is_exit_4(workspace: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    done = run("tree", "--format", "svg", "-o", "x.svg", cwd=workspace)
    message = "error: --format svg needs fast_sugiyama, which is not installed: pip install 'skillbag[graph]'\n"
    assert (done.code, done.out, done.err) == (4, "", message)
    assert not (workspace / "x.svg").exists()


@pytest.mark.parametrize(
    ("words", "code", "reported"),
    [
        (("--json", "--format", "svg"), 2, "contradict each other"),
        (("--format", "svgg"), 2, "svg"),
        (("--format", "dot", "-o", ""), 2, "it names no file"),
        (("--format", "dot", "--workspace", "nowhere"), 2, "there is no such folder"),
    ],
)
def test_mistakes(workspace: Path, run: Run, words: tuple[str, ...], code: int, reported: str) -> None:
    done = run("tree", *words, cwd=workspace)
    assert done.code == code
    assert reported in done.err + done.out
