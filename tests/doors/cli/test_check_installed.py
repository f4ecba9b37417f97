"""Findings in installed skills: marked, left alone by `--fix` and `--strict`, and errors all the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doors.cli.test_check_targets import report
from tests.supply.install.worlds import DESCRIPTION, call, make_workspace, skill_text, snapshot, source_files, write
from tests.supply.sources.repositories import git
from tests.support import Run

TAGGED = skill_text("a").replace(DESCRIPTION, f"{DESCRIPTION} #run/last")
"""A skill as published sources have them: to a YAML parser its tag is a comment, which is a warning with a fix."""
LINE = f"a: {DESCRIPTION} #run/last\n"


@pytest.fixture
def workspace(run: Run, tmp_path: Path) -> Path:
    """A workspace in which `a` is installed, which has a warning."""
    write(tmp_path / "one", {**source_files({"a": TAGGED}), ".skills/SKILLS.md": LINE})
    workspace = make_workspace(tmp_path / "work")
    assert run("install", "a", "--source", "../one", cwd=workspace).code == 0
    return workspace


def findings(run: Run, workspace: Path, *arguments: str) -> list[tuple[str, str, bool]]:
    found = report(run, workspace, *arguments)["findings"]
    return [(finding["path"], finding["rule"], finding["installed"]) for finding in found]


def own(workspace: Path) -> None:
    """Give the workspace a skill of its own with the same warning."""
    write(workspace, {".skills/b/SKILL.md": TAGGED.replace("name: a", "name: b")})
    catalog = workspace / ".skills/SKILLS.md"
    lines = [*catalog.read_text("utf-8").splitlines(keepends=True), LINE.replace("a:", "b:", 1)]
    catalog.write_text("".join(sorted(lines)), "utf-8")


def test_the_documented_line_passes_with_a_published_source(
    run: Run, tmp_path: Path, corpus: Callable[[str], Path]
) -> None:
    source = corpus("skillbag-utils")
    workspace = make_workspace(tmp_path / "work")
    assert run("install", "--all", "--source", source, cwd=workspace).code == 0
    assert run("install", "--frozen", cwd=workspace).code == 0
    outcome = run("check", "--strict", cwd=workspace)
    assert outcome.code == 0
    assert "SKILL.md  (installed skill)\n" in outcome.out
    before = snapshot(workspace / ".skills")
    outcome = run("check", "--fix", cwd=workspace)
    assert outcome.code == 0
    assert "left alone: 4 findings in installed skills" in outcome.err
    assert snapshot(workspace / ".skills") == before
    assert run("verify", cwd=workspace).code == 0


def test_strict_fails_only_on_warnings_of_own_skills(run: Run, workspace: Path) -> None:
    assert findings(run, workspace) == [(".skills/a/SKILL.md", "description-tag-unquoted", True)]
    outcome = run("check", "--strict", cwd=workspace)
    assert outcome.code == 0
    assert "--strict is on" not in outcome.out
    own(workspace)
    assert [path for path, _, installed in findings(run, workspace) if not installed] == [".skills/b/SKILL.md"]
    assert run("check", "--strict", cwd=workspace).code == 1


def test_a_skill_of_another_lock_that_nobody_edited_is_installed_too(run: Run, workspace: Path) -> None:
    lock = workspace / "skillbag.lock"
    tree = json.loads(lock.read_text("utf-8"))["skills"]["a"]["tree"]
    lock.write_text(lock.read_text("utf-8").replace(tree, f"sha256:{'0' * 64}"), "utf-8")
    assert findings(run, workspace) == [(".skills/a/SKILL.md", "description-tag-unquoted", True)]


@pytest.mark.parametrize("home", [".claude/skills", ".agents/skills"])
def test_what_is_installed_in_the_folder_of_an_agent_is_installed_too(
    run: Run, tmp_path: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = skill_text("a") + "\n[gone](gone.md)\n"
    write(tmp_path / "one", {"skills/a/SKILL.md": fault})
    project = tmp_path / "site"
    write(project, {f"{home}/b/SKILL.md": fault.replace("name: a", "name: b")})
    assert run("install", "a", "--source", "../one", cwd=project).code == 0
    assert {(path, installed) for path, _, installed in findings(run, project)} == {
        (f"{home}/a/SKILL.md", True),
        (f"{home}/b/SKILL.md", False),
    }
    outcome = run("rename", "a", "z", cwd=project)
    assert outcome.code == 2
    assert "`a` was installed from ../one" in outcome.err
    lock = project / "skillbag.lock"
    tree = json.loads(lock.read_text("utf-8"))["skills"]["a"]["tree"]
    git(project, "init", "-q")
    git(project, "add", "skillbag.lock")
    git(project, "commit", "-qm", "lock")
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "state"))
    lock.write_text(lock.read_text("utf-8").replace(tree, f"sha256:{'0' * 64}"), "utf-8")
    shutil.rmtree(project / home / "b")
    assert run("check", "--strict", cwd=project).code == 0


def test_fixes_touch_nothing_that_is_installed(run: Run, workspace: Path) -> None:
    own(workspace)
    # A finding of the catalog is the workspace's own, whatever skill it is about.
    catalog = workspace / ".skills/SKILLS.md"
    catalog.write_text("".join(line for line in catalog.open(encoding="utf-8") if not line.startswith("a:")), "utf-8")
    before = snapshot(workspace / ".skills/a")
    diff = run("check", "--format=diff", cwd=workspace).out
    assert "b/SKILL.md" in diff
    assert "SKILLS.md" in diff
    assert "/a/SKILL.md" not in diff
    outcome = run("check", "--fix", cwd=workspace)
    assert "fixed .skills/b/SKILL.md" in outcome.err
    assert "fixed .skills/SKILLS.md" in outcome.err
    assert "left alone: 1 finding in installed skills" in outcome.err
    assert snapshot(workspace / ".skills/a") == before
    assert LINE in catalog.read_text("utf-8")
    assert "check --fix" not in outcome.out
    assert "that is for its source to do." in outcome.out
    run("check", "--fix", "--config=target=skills", ".skills", cwd=workspace)
    assert snapshot(workspace / ".skills/a") == before


def test_errors_count_wherever_they_are(run: Run, workspace: Path) -> None:
    lock = workspace / "skillbag.lock"
    skill = workspace / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text("utf-8").replace("name: a", "name: z"), "utf-8")
    tree = json.loads(lock.read_text("utf-8"))["skills"]["a"]["tree"]
    now = next(row["tree"] for row in call(run, workspace, "list")[1]["skills"] if row["name"] == "a")
    lock.write_text(lock.read_text("utf-8").replace(tree, now), "utf-8")
    assert (".skills/a/SKILL.md", "name-folder-mismatch", True) in findings(run, workspace)
    assert run("check", cwd=workspace).code == 1


def test_a_skill_with_local_edits_counts_as_own(run: Run, workspace: Path) -> None:
    assert run("check", "--strict", cwd=workspace).code == 0
    skill = workspace / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text("utf-8") + "\nOne more line.\n", "utf-8")
    assert findings(run, workspace) == [(".skills/a/SKILL.md", "description-tag-unquoted", False)]
    assert run("check", "--strict", cwd=workspace).code == 1


@pytest.mark.parametrize("lock", [None, "{", "<<<<<<< ours\n", '{"version": 2, "skills": {}}'])
def test_without_a_readable_lock_every_skill_counts_as_own(run: Run, workspace: Path, lock: str | None) -> None:
    assert run("check", "--strict", cwd=workspace).code == 0
    path = workspace / "skillbag.lock"
    path.unlink() if lock is None else path.write_text(lock, "utf-8")
    assert (".skills/a/SKILL.md", "description-tag-unquoted", False) in findings(run, workspace)
    assert run("check", "--strict", cwd=workspace).code == 1


def test_every_output_says_that_a_skill_is_installed(run: Run, workspace: Path) -> None:
    def output(form: str) -> str:
        outcome = run("check", "--strict", "--format", form, cwd=workspace)
        assert outcome.code == 0
        return outcome.out

    assert json.loads(output("sarif"))["runs"][0]["results"][0]["properties"] == {"installed": True}
    assert json.loads(output("gitlab"))[0]["description"].startswith("In an installed skill: ")
    assert " in an installed skill::" in output("github")
    assert "(installed skill)" in output("markdown").replace("\\", "")
    assert 'failures="0"' in output("junit")
    assert "Of these, 1 is in installed skills" in " ".join(output("text").split())
    own(workspace)
    assert 'failures="1"' in run("check", "--strict", "--format=junit", cwd=workspace).out
