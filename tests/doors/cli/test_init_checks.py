"""`skillbag init --pre-commit` and `--github` beside skills that need no workspace, and where their readers look."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support import Run, Tree, skill

HOOK, WORKFLOW = ".pre-commit-config.yaml", ".github/workflows/skillbag.yml"
GITHUB = ("--github", "--repo", "team/skillbag", "--rev", "0123456789" * 4)
PLAIN = {"skills/tidy/SKILL.md": skill("tidy")}
BELOW = {"apps/one/SKILLBAG.md": "SkillBag v0.3.0\n", "README.md": "Two applications.\n"}
SOURCE = {"AGENTS.md": "This is a SKILLBAG source. Skills are in .skills/; install nothing.\n"}


def written(root: Path, before: set[str]) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()} - before


@pytest.mark.parametrize("files", [PLAIN, {".claude/skills/tidy/SKILL.md": skill("tidy")}, BELOW, SOURCE])
def test_what_is_checked_without_a_workspace_gets_none(tree: Tree, run: Run, files: dict[str, str]) -> None:
    root = tree(files)
    outcome = run("init", "--pre-commit", *GITHUB, cwd=root)
    assert outcome.code == 0
    assert written(root, set(files)) == {HOOK, WORKFLOW}
    assert "The skills here need no workspace, so nothing else was written" in outcome.out
    assert "Next: skillbag check; commit what is new here once it passes\n" in outcome.out
    again = run("init", "--pre-commit", cwd=root)
    assert (again.code, "Everything is in place" in again.out) == (0, True)
    assert written(root, set(files)) == {HOOK, WORKFLOW}


@pytest.mark.parametrize("flags", [["--agents", "claude"], ["--source"]])
def test_a_workspace_or_a_source_that_is_asked_for_is_made(tree: Tree, run: Run, flags: list[str]) -> None:
    root = tree(PLAIN)
    assert run("init", "--pre-commit", *flags, cwd=root).code == 0
    assert {HOOK, "AGENTS.md", ".skills/SKILLS.md"} <= written(root, set())


def test_an_empty_folder_and_half_a_workspace_become_a_workspace(tree: Tree, tmp_path: Path, run: Run) -> None:
    half = tree({".skills/tidy/SKILL.md": skill("tidy")})
    for root in (tmp_path / "new", half):
        outcome = run("init", "--pre-commit", root)
        assert (outcome.code, "need no workspace" in outcome.out) == (0, False)
        assert {HOOK, "SKILLBAG.md", "AGENTS.md"} <= written(root, set())


def test_skills_that_the_hook_would_not_find_are_no_reason_for_a_workspace(tree: Tree, run: Run) -> None:
    files = {"tests/tidy/SKILL.md": skill("tidy")}
    root = tree(files)
    outcome = run("init", "--pre-commit", cwd=root)
    assert outcome.code == 2
    assert "would not find the skills here, such as tests/tidy" in outcome.err
    assert written(root, set(files)) == set()
    assert run("init", cwd=root).code == 0
    assert run("init", "--pre-commit", cwd=root).code == 0


def test_the_next_steps_name_what_switches_the_hook_on(tree: Tree, run: Run) -> None:
    root = tree(PLAIN)
    assert "pre-commit install" not in run("init", "--pre-commit", "--dry-run", cwd=root).out
    answer = json.loads(run("init", "--pre-commit", "--json", cwd=root).out)
    assert [file["path"] for file in answer["files"]] == [HOOK]
    assert any("pre-commit install" in step for step in answer["next"])


@pytest.mark.parametrize(("option", "more"), [("--pre-commit", ()), ("--github", GITHUB[1:])])
def test_below_the_top_of_a_repository_nobody_would_read_it(
    tree: Tree, run: Run, option: str, more: tuple[str, ...]
) -> None:
    root = tree(BELOW)
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    outcome = run("init", option, *more, cwd=root / "apps/one")
    assert outcome.code == 2
    assert f"skillbag init {option} {root}" in outcome.err
    assert HOOK not in "".join(written(root, set(BELOW)))
    assert run("init", option, *more, root).code == 0
    assert (root / (HOOK if option == "--pre-commit" else WORKFLOW)).is_file()


def test_the_workflow_of_the_action_has_the_base_of_a_pull_request(tree: Tree, run: Run) -> None:
    root = tree(PLAIN)
    assert run("init", *GITHUB, cwd=root).code == 0
    first, *_, last = yaml.safe_load((root / WORKFLOW).read_text("utf-8"))["jobs"]["check"]["steps"]
    assert (first["with"]["fetch-depth"], last["uses"]) == (2, f"team/skillbag@{GITHUB[-1]}")


def test_without_network_the_next_step_is_one_that_init_has(tmp_path: Path, run: Run) -> None:
    outcome = run("init", "--github", "--repo", "https://skillbag.invalid/x.git", cwd=tmp_path)
    assert outcome.code == 4
    assert "give --rev with a full commit hash" in outcome.err
    assert "--offline" not in outcome.err
    assert list(tmp_path.iterdir()) == []
