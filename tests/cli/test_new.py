"""`skillbag new` where it is called: in a workspace, a source, a plain tree, and where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.bootstrap.skill import PLACEHOLDER
from tests.support import Run, Tree, skill

pytestmark = pytest.mark.boundary

TEXT = "Count the words of a file. Use when a limit is near."


@pytest.mark.parametrize("flags", [[], ["--source"]])
@pytest.mark.parametrize("where", [".", ".skills", "docs/deep"])
def test_in_a_workspace_and_in_a_source(tmp_path: Path, run: Run, flags: list[str], where: str) -> None:
    run("init", tmp_path, *flags)
    (tmp_path / "docs/deep").mkdir(parents=True)
    outcome = run("new", "count-words", "--description", TEXT, cwd=tmp_path / where)
    assert outcome.code == 0
    assert (tmp_path / ".skills/count-words/SKILL.md").read_text().startswith("---\nname: count-words\n")
    assert f"count-words: {TEXT}\n" in (tmp_path / ".skills/SKILLS.md").read_text()
    assert run("check", tmp_path, "--strict").code == 0


@pytest.mark.parametrize("folder", ["skills", ".claude/skills", ".agents/skills"])
def test_in_a_plain_tree(tree: Tree, run: Run, folder: str) -> None:
    root = tree({f"{folder}/a/SKILL.md": skill("a")})
    assert run("new", "count-words", "--description", TEXT, cwd=root).code == 0
    assert sorted(path.name for path in (root / folder).iterdir()) == ["a", "count-words"]
    assert run("check", root, "--strict").code == 0


def test_without_a_description_the_check_warns_until_it_is_written(tmp_path: Path, run: Run) -> None:
    run("init", tmp_path)
    outcome = run("new", "count-words", cwd=tmp_path)
    assert "Replace the placeholder description in .skills/count-words/SKILL.md" in outcome.out
    assert "skillbag check --fix copies it to the catalog" in outcome.out
    assert run("check", tmp_path).code == 0
    report = json.loads(run("check", tmp_path, "--strict", "--format=json").out)
    assert [(finding["rule"], finding["line"]) for finding in report["findings"]] == [("placeholder-description", 3)]

    path = tmp_path / ".skills/count-words/SKILL.md"
    path.write_text(path.read_text("utf-8").replace(f"'{PLACEHOLDER}'", TEXT), "utf-8")
    assert run("check", tmp_path, "--fix", "--strict").code == 0
    assert f"count-words: {TEXT}\n" in (tmp_path / ".skills/SKILLS.md").read_text("utf-8")


@pytest.mark.parametrize("options", [["--description", TEXT], ["--dry-run"]])
def test_no_placeholder_is_announced_where_none_is_written(tmp_path: Path, run: Run, options: list[str]) -> None:
    run("init", tmp_path)
    assert "placeholder" not in run("new", "count-words", *options, cwd=tmp_path).out


def test_in_a_plain_tree_no_catalog_is_mentioned(tree: Tree, run: Run) -> None:
    outcome = run("new", "count-words", cwd=tree({"skills/a/SKILL.md": skill("a")}))
    assert "Replace the placeholder description in skills/count-words/SKILL.md" in outcome.out
    assert "catalog" not in outcome.out


def test_at_a_path(tmp_path: Path, run: Run) -> None:
    run("init", tmp_path / "w")
    assert run("new", "count-words", "--path", "w", cwd=tmp_path).code == 0
    assert (tmp_path / "w/.skills/count-words/SKILL.md").is_file()


def test_a_dry_run_and_a_second_time(tmp_path: Path, run: Run) -> None:
    run("init", tmp_path)
    before = (tmp_path / ".skills/SKILLS.md").read_bytes()
    outcome = run("new", "count-words", "--dry-run", cwd=tmp_path)
    assert (outcome.code, ".skills/count-words/SKILL.md" in outcome.out) == (0, True)
    assert not (tmp_path / ".skills/count-words").exists()
    assert (tmp_path / ".skills/SKILLS.md").read_bytes() == before
    assert run("new", "count-words", cwd=tmp_path).code == 0
    after = (tmp_path / ".skills/count-words/SKILL.md").read_bytes()
    outcome = run("new", "count-words", "--description", "Other words.", cwd=tmp_path)
    assert (outcome.code, "exists already" in outcome.err) == (2, True)
    assert (tmp_path / ".skills/count-words/SKILL.md").read_bytes() == after


def test_where_there_is_no_place_for_it(tmp_path: Path, run: Run) -> None:
    outcome = run("new", "count-words", cwd=tmp_path)
    assert outcome.code == 2
    assert "skillbag init makes a workspace" in outcome.err
    assert list(tmp_path.iterdir()) == []
