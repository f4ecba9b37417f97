"""A verdict is the same in whatever order the system lists a folder, and is given of the real folder."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.rows import each_row
from tests.support import Run, Tree, skill

Order = Callable[[list[Any]], list[Any]]


def shuffled(seed: int) -> Order:
    def order(entries: list[Any]) -> list[Any]:
        random.Random(f"{seed}{[entry.name for entry in entries]}").shuffle(entries)
        return entries

    return order


ORDERS: dict[str, Order] = {
    "by name": lambda entries: entries,
    "backwards": lambda entries: entries[::-1],
    **{f"shuffled {seed}": shuffled(seed) for seed in range(6)},
}


@pytest.fixture(params=ORDERS)
def listed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system lists every folder in another order."""
    scandir, order = os.scandir, ORDERS[request.param]

    class Listed:
        def __init__(self, path: str = ".") -> None:
            with scandir(path) as entries:
                self.entries = order(sorted(entries, key=lambda entry: str(entry.name)))

        def __enter__(self) -> Iterator[Any]:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None:
            pass

        def __iter__(self) -> Iterator[Any]:
            return iter(self.entries)

    monkeypatch.setattr(os, "scandir", Listed)


def folders(root: Path, kind: TargetKind | None = None) -> list[str]:
    found = (Workspace(target).skill_folders for target in find_targets([str(root)], kind))
    return [os.path.relpath(folder.path, root).replace(os.sep, "/") for several in found for folder in several]


@pytest.mark.usefixtures("listed")
@each_row("alias", ["pdf", "zdf"])
def test_a_link_to_a_skill_beside_it_is_that_skill(tree: Tree, alias: str) -> None:
    root = tree({"skills/pdf-official/SKILL.md": skill("pdf"), "skills/docx/SKILL.md": skill("docx")})
    (root / "skills" / alias).symlink_to("pdf-official")
    assert folders(root) == ["skills/docx", "skills/pdf-official"]
    findings = Checker(CheckRequest((str(root),), select=("name-folder-mismatch",))).check().findings
    assert [os.path.relpath(finding.path, root) for finding in findings] == [
        os.path.join("skills", "pdf-official", "SKILL.md")
    ]


@pytest.mark.usefixtures("listed")
def test_the_real_folder_is_judged_whichever_root_holds_it(tree: Tree) -> None:
    root = tree({"skills/real/SKILL.md": skill("real")})
    (root / ".claude" / "skills").mkdir(parents=True)
    (root / ".claude" / "skills" / "alias").symlink_to("../../skills/real")
    assert folders(root) == ["skills/real"]


@pytest.mark.usefixtures("listed")
def test_of_links_to_a_place_that_is_no_skills_root_the_first_one_counts(tree: Tree) -> None:
    root = tree({"lib/real/SKILL.md": skill("real"), "skills/other/SKILL.md": skill("other")})
    for name in ("one", "two", "three"):
        (root / "skills" / name).symlink_to("../lib/real")
    assert folders(root) == ["skills/one", "skills/other"]


@pytest.mark.usefixtures("listed")
def test_a_tree_that_is_named_by_a_link_is_judged_once(tree: Tree, tmp_path: Path) -> None:
    root = tree({"t/skills/pdf-official/SKILL.md": skill("pdf-official")})
    (root / "t" / "skills" / "pdf").symlink_to("pdf-official")
    (root / "again").symlink_to("t", target_is_directory=True)
    assert folders(root / "again") == ["skills/pdf-official"]


@pytest.mark.usefixtures("listed")
def test_a_link_in_a_workspace_is_listed_by_its_own_name(tree: Tree, run: Run) -> None:
    root = tree(
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            ".skills/SKILLS.md": "other: Tidy a folder. Use when files lie about.\n"
            "pdf: Tidy a folder. Use when files lie about.\n",
            ".skills/pdf/SKILL.md": skill("pdf"),
            "lib/other/SKILL.md": skill("other"),
        }
    )
    (root / ".skills" / "other").symlink_to("../lib/other")
    outcome = run(
        "check",
        "--config=cache=false",
        "--select",
        "catalog-entry-unknown,catalog-entry-missing,name-folder-mismatch",
        cwd=root,
    )
    assert outcome.code == 0, outcome.out
    assert folders(root) == [".skills/other", ".skills/pdf"]


@pytest.mark.usefixtures("listed")
def test_a_whole_report_is_the_same_in_any_order(tree: Tree, run: Run) -> None:
    root = tree(
        {
            "w/SKILLBAG.md": "SkillBag v0.3.0\n",
            "w/.skills/SKILLS.md": "a: A.\n",
            "w/.skills/a/SKILL.md": skill("b"),
            "w/.skills/c/skill.md": skill("c"),
            "w/.skills/d/inner/SKILL.md": skill("d"),
            "p/skills/group/x/SKILL.md": skill("y"),
            "p/skills/y/SKILL.md": skill("y"),
            "p/.claude/skills/y/SKILL.md": skill("y"),
            "p/skills/y/references/SKILL.md": "no front matter\n",
            "p/skills/y/a/b/SKILL.md": skill("z"),
            "loose/SKILL.md": skill("loose"),
        }
    )
    (root / "p/skills/z").symlink_to("y")
    (root / "p/skills/group/z").symlink_to("../y")
    once = root / "once.json"
    report = run("check", "--config=cache=false", "--format", "json", "--config=exclude=none", cwd=root).out
    expected = _of_the_first_order.setdefault("report", report)
    assert report == expected, once


_of_the_first_order: dict[str, str] = {}
"""What the first order gave: the paths in a report are relative."""
