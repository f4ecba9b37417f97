"""`check --level`, the order, and paths of which one has nothing to check."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.install.worlds import write
from tests.support import Run

ERROR = "---\nname: Bad Name\ndescription: Bad. Use when bad.\n---\n# B\n\nDo it.\n"
WARNING = "---\nname: good\ndescription: Good. Use when good.\n---\n# G\n\nSee [it](missing.md).\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(tmp_path, {"a/skills/good/SKILL.md": WARNING, "b/skills/bad/SKILL.md": ERROR, "none/x.md": "x\n"})


def test_levels_below_the_chosen_one_are_counted_and_not_shown(tree: Path, run: Run) -> None:
    whole, errors = run("check", ".", cwd=tree), run("check", ".", "--level", "error", cwd=tree)
    assert ("link-broken" in whole.out, "link-broken" in errors.out) == (True, False)
    assert "Not shown: 1 finding of lower levels." in errors.out
    assert whole.code == errors.code == 1
    assert run("check", "a", "--level", "error", cwd=tree).code == 0
    assert run("check", "a", "--level", "error", "--strict", cwd=tree).code == 1


def test_errors_come_first_unless_the_place_is_asked_for(tree: Path, run: Run) -> None:
    first, placed = run("check", ".", cwd=tree).out, run("check", ".", "--config=sort=place", cwd=tree).out
    assert first.index("b/skills") < first.index("a/skills")
    assert placed.index("a/skills") < placed.index("b/skills")


@pytest.mark.parametrize("lacking", ["none", "nowhere"])
def test_a_path_with_nothing_hides_no_other(tree: Path, run: Run, lacking: str) -> None:
    for paths in (("a", lacking), (lacking, "a")):
        done = run("check", *paths, cwd=tree)
        assert done.code == 2
        assert "link-broken" in done.out
        assert lacking in done.err
    # What writes does all or nothing.
    assert "link-broken" not in run("check", "a", lacking, "--fix", cwd=tree).out
