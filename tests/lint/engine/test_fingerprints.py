"""Fingerprints: a finding is known again after lines, files, folders and targets have moved."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.support import Run, Tree, skill

FAULTY = skill("a") + "\n[x](gone.md)\n\n[y](lost.md)\n"
HELD = {"SKILLBAG.md": "SkillBag v0.3.0\n"}


def prints(run: Run, root: Path) -> Counter[str]:
    """The fingerprints of a check."""
    (log,) = json.loads(run("check", "--select=link-broken", "--format=sarif", cwd=root).out)["runs"]
    return Counter(result["partialFingerprints"]["skillbag/v2"] for result in log["results"])


@pytest.fixture
def before(tree: Tree, run: Run) -> Counter[str]:
    root = tree({"skills/a/SKILL.md": FAULTY, "skills/a/references/b.md": "# B\n\n[z](none.md)\n"})
    found = prints(run, root)
    assert sorted(found.values()) == [1, 1, 1]
    return found


@pytest.mark.parametrize("place", ["packages/skills/a", ".claude/skills/a", "skills/writing/a"])
def test_a_skill_that_moves_keeps_them(before: Counter[str], tmp_path: Path, run: Run, place: str) -> None:
    shutil.move(tmp_path / "skills/a", tmp_path / "moved")
    shutil.rmtree(tmp_path / "skills")
    shutil.copytree(tmp_path / "moved", tmp_path / place)
    shutil.rmtree(tmp_path / "moved")
    assert prints(run, tmp_path) == before


def test_a_target_that_moves_keeps_them(before: Counter[str], tmp_path: Path, run: Run) -> None:
    shutil.copytree(tmp_path / "skills", tmp_path / "x/y/skills")
    assert prints(run, tmp_path / "x/y") == before


def test_lines_and_files_of_a_skill_keep_them(before: Counter[str], tmp_path: Path, run: Run, tree: Tree) -> None:
    (tmp_path / "skills/a/docs").mkdir()
    (tmp_path / "skills/a/references/b.md").rename(tmp_path / "skills/a/docs/b.md")
    tree({"skills/a/SKILL.md": skill("a") + "\nMore.\n\n[y](lost.md)\n\n  [x](gone.md)\n"})
    assert prints(run, tmp_path) == before


@pytest.mark.parametrize(("old", "new"), [("skills/a", "skills/b"), ("skills/a/references/b.md", "skills/a/c.md")])
def test_another_name_is_another_finding(before: Counter[str], tmp_path: Path, run: Run, old: str, new: str) -> None:
    (tmp_path / old).rename(tmp_path / new)
    left = sum((prints(run, tmp_path) & before).values())
    assert left == (0 if old == "skills/a" else 2)


def test_what_is_equal_is_numbered(before: Counter[str], tmp_path: Path, run: Run, tree: Tree) -> None:
    tree({"skills/a/SKILL.md": FAULTY + "\n[x](gone.md)\n"})
    shutil.copytree(tmp_path / "skills/a", tmp_path / "packages/skills/a")
    found = prints(run, tmp_path)
    assert set(found.values()) == {1}
    assert len(found) == 8
    assert found > before


def test_a_file_of_no_skill_has_its_own_name(tree: Tree, run: Run) -> None:
    root = tree({**HELD, "CONTEXT.md": "[x](gone.md)\n", ".skills/SKILLS.md": ""})
    found = prints(run, root)
    tree({"CONTEXT.md": "More.\n\n[x](gone.md)\n"})
    assert prints(run, root) == found
    assert len(found) == 1
