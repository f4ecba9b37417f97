"""Trees that are deeper than Python calls may be nested: every report is written, and what changed is judged."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.report import FORMATS
from tests.sources.repositories import git
from tests.support import Run, Tree, skill

DEPTH = 1_100
BROKEN = "[x](none.md)\n"


@pytest.fixture
def deep(tree: Tree) -> Iterator[Path]:
    """A skill with a deep tree in it."""
    root = tree({"skills/a/SKILL.md": skill("a") + BROKEN})
    here = os.getcwd()
    os.chdir(root / "skills/a")
    for _ in range(DEPTH):
        os.mkdir("d")
        os.chdir("d")
    Path("x.md").write_text(BROKEN)
    bottom = os.open(".", os.O_RDONLY)
    os.chdir(here)
    yield root
    os.fchdir(bottom)
    os.close(bottom)
    os.unlink("x.md")
    for _ in range(DEPTH):
        os.chdir("..")
        os.rmdir("d")
    os.chdir(here)


def test_every_report_of_a_deep_tree_is_written(run: Run, deep: Path) -> None:
    """A baseline as well."""
    outcome = run("check", *(f"--also={form}=../{form}" for form in FORMATS), cwd=deep)
    assert (outcome.code, outcome.err) == (0, "")
    assert all("none.md" in (deep / f"../{form}").read_text("utf-8") for form in FORMATS)
    assert run("check", "--write-baseline", "known.json", cwd=deep).code == 0
    assert "No findings" in run("check", "--baseline", "known.json", cwd=deep).out


def test_a_deep_path_that_only_git_has(run: Run, tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": skill("a")})
    git(root, "init", "-q")
    name = git(root, "hash-object", "-w", "--stdin", stdin=BROKEN.encode())
    git(root, "add", ".")
    git(root, "update-index", "--add", "--cacheinfo", f"100644,{name},skills/a/{'d/' * (DEPTH)}x.md")
    git(root, "commit", "-qm", "deep")
    outcome = run("check", "--changed-since", "HEAD", cwd=root)
    assert (outcome.code, outcome.err) == (0, "")
