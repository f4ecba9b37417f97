"""What `check --changed-since` refuses, and that git runs no program of the repository's choice for it."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.supply.sources.repositories import committed, git
from tests.support import Run, Tree, skill

BROKEN = "no front matter\n"


@pytest.fixture
def root(tree: Tree) -> Path:
    return committed(tree({"skills/a/SKILL.md": BROKEN, "skills/b/SKILL.md": skill("b")}))


@pytest.mark.parametrize("ref", ["missing", "origin/main", "0" * 40, "HEAD~9", "main..HEAD", "a b", "HEAD:skills"])
def test_a_commit_that_is_not_there(run: Run, root: Path, ref: str) -> None:
    outcome = run("check", "--changed-since", ref, cwd=root)
    assert outcome.code == 2
    assert f"--changed-since {ref}: there is no such commit in" in outcome.err
    assert "git fetch" in outcome.err
    assert "fetch-depth: 0" in outcome.err


@pytest.mark.parametrize("ref", ["--output=x", "-h", "", "a\nb", "\x1b[31m"])
def test_what_is_no_name_of_a_commit(run: Run, root: Path, ref: str) -> None:
    outcome = run("check", f"--changed-since={ref}", cwd=root)
    assert outcome.code == 2
    assert "\x1b" not in outcome.err
    assert not (root / "x").exists()


def test_a_shallow_clone_says_what_to_fetch(run: Run, root: Path, tmp_path: Path) -> None:
    git(root, "switch", "-qc", "topic")
    for branch in ("topic", "main"):
        git(root, "switch", "-q", branch)
        git(root, "commit", "-q", "--allow-empty", "-m", branch)
    clone = tmp_path.parent / f"{tmp_path.name}-clone"
    git(root, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{root}", str(clone))
    outcome = run("check", "--changed-since", "origin/topic", cwd=clone)
    assert outcome.code == 2
    assert "this clone is shallow" in outcome.err
    assert "git fetch --unshallow" in outcome.err


def test_histories_without_a_common_commit(run: Run, root: Path) -> None:
    git(root, "switch", "-q", "--orphan", "other")
    git(root, "commit", "-q", "--allow-empty", "-m", "other")
    (root / "skills/b").mkdir(parents=True)
    (root / "skills/b/SKILL.md").write_text(BROKEN)
    outcome = run("check", "--changed-since", "main", cwd=root)
    assert (outcome.code, "no commit in common with HEAD" in outcome.err) == (2, True)


def test_without_a_commit_or_a_repository(run: Run, tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": skill("a")})
    assert "needs a git repository" in run("check", "--changed-since", "main", cwd=root).err
    git(root, "init", "-q")
    assert "no commit yet" in run("check", "--changed-since", "main", cwd=root).err


@pytest.mark.parametrize("options", [("--changed-since", "main"), ("--staged",)])
def test_without_git(run: Run, root: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    outcome = run("check", *options, cwd=root)
    assert (outcome.code, "needs git; install it" in outcome.err) == (2, True)


@pytest.mark.parametrize("other", ["--staged", "--watch", "--fix", "--format=diff", "--output=baseline=x"])
def test_options_that_do_not_go_together(run: Run, root: Path, other: str) -> None:
    outcome = run("check", "--changed-since", "main", other, cwd=root)
    assert (outcome.code, "--changed-since" in outcome.err or "--watch" in outcome.err) == (2, True)


def test_it_goes_with_timing(run: Run, root: Path) -> None:
    (root / "skills/a/notes.md").write_text("# Notes\n")
    outcome = run("check", "--changed-since", "main", "--config=timing=true", cwd=root)
    assert (outcome.code, "frontmatter-invalid" in outcome.out) == (1, True)


def test_git_runs_no_program_that_the_repository_names(run: Run, root: Path) -> None:
    program = root.parent / "program"
    program.write_text(f'#!/bin/sh\ntouch "{root.parent}/ran"\ncat\n')
    program.chmod(0o755)
    for name in ("clean", "smudge", "process"):
        git(root, "config", f"filter.a=b.{name}", str(program))
        git(root, "config", f"filter.c.{name}", str(program))
    git(root, "config", "filter.c.required", "true")
    git(root, "config", "core.fsmonitor", str(program))
    git(root, "config", "diff.external", str(program))
    git(root, "config", "diff.d.command", str(program))
    git(root, "config", "diff.d.textconv", str(program))
    (root / ".git/info/attributes").write_text("a/* filter=a=b diff=d\n*.md filter=c diff=d\n")
    hook = root / ".git/hooks/post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(program.read_text())
    hook.chmod(0o755)
    # The same size and another time: git has to compare the contents.
    for name in "ab":
        os.utime(root / f"skills/{name}/SKILL.md", (time.time() - 9, time.time() - 9))
    outcome = run("check", "--changed-since", "main", cwd=root)
    assert outcome.code == 0, outcome.out + outcome.err
    assert not (root.parent / "ran").exists()
