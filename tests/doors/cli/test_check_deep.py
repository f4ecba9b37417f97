"""Trees that are deeper than Python calls may be nested: every report is written, and what changed is judged."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from traceback import walk_stack

import pytest

from skillbag.report import FORMATS
from tests.supply.sources.repositories import git
from tests.support import Run, Tree, skill

# The interpreter's limit is 1,000 calls; pytest can't remove a tree as deep, nor one with more levels than descriptors.
CALLS, DEPTH = 150, 200
DEEP = "d/" * DEPTH
BROKEN = "[x](none.md)\n"


@pytest.fixture(autouse=True)
def few_calls() -> Iterator[None]:
    """Only so many calls may be nested in a test."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(sum(1 for _ in walk_stack(None)) + CALLS)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def test_every_report_of_a_deep_tree_is_written(run: Run, tree: Tree) -> None:
    """A baseline as well."""
    root = tree({"skills/a/SKILL.md": skill("a") + BROKEN})
    for depth in range(1, DEPTH + 1):
        (root / "skills/a" / ("d/" * depth)).mkdir()
    (root / "skills/a" / DEEP / "x.md").write_text(BROKEN)
    outcome = run("check", *(f"--output={form}=../{form}" for form in FORMATS), cwd=root)
    assert (outcome.code, outcome.err) == (0, "")
    assert all("none.md" in (root / f"../{form}").read_text("utf-8") for form in FORMATS)
    assert run("check", "--output=baseline=known.json", cwd=root).code == 0
    assert "No findings" in run("check", "--baseline", "known.json", cwd=root).out


def test_a_deep_path_that_only_git_has(run: Run, tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": skill("a")})
    git(root, "init", "-q")
    name = git(root, "hash-object", "-w", "--stdin", stdin=BROKEN.encode())
    git(root, "add", ".")
    git(root, "update-index", "--add", "--cacheinfo", f"100644,{name},skills/a/{DEEP}x.md")
    git(root, "commit", "-qm", "deep")
    outcome = run("check", "--changed-since", "HEAD", cwd=root)
    assert (outcome.code, outcome.err) == (0, "")
