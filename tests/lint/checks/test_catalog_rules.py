"""The catalog rules together: one fault is one finding, and the fewest lines are out of order."""

from __future__ import annotations

import random
from pathlib import Path

from tests.lint.checks.rule_runs import findings, places
from tests.rows import each_row
from tests.support import Tree

AGENTS = "A SKILLBAG source. Skills live under `.skills/`. No extra installation steps.\n"
TEXT = "---\nname: {}\ndescription: Do it.\n---\n\nDo it well.\n"


def workspace(tree: Tree, catalog: str, **skills: str) -> Path:
    """A source with this catalog and skills, folder (with `_` for `-`) to name."""
    named = {f".skills/{folder.replace('_', '-')}/SKILL.md": TEXT.format(name) for folder, name in skills.items()}
    return tree({"AGENTS.md": AGENTS, ".skills/SKILLS.md": catalog, **named})


@each_row(
    ("catalog", "skills", "rules"),
    [
        ("a: Do it.\n", {"a": "a"}, []),
        ("a: Do it.\n\n\n", {"a": "a"}, []),
        ("a:\tDo  it.\t\r\n", {"a": "a"}, []),
        ("a: Do it!\n", {"a": "a"}, ["catalog-description-mismatch"]),
        ("", {"a": "a"}, ["catalog-entry-missing"]),
        ("a: Do it.\nb: Gone.\n", {"a": "a"}, ["catalog-entry-unknown"]),
        ("b: Do it.\na: Do it.\n", {"a": "a", "b": "b"}, ["catalog-unsorted"]),
        ("- a: Do it.\n", {"a": "a"}, ["catalog-line-invalid"]),
        ("* **a**: Do it.\n", {"a": "a"}, ["catalog-line-invalid"]),
        ("a_b: Do it.\n", {"a_b": "a-b"}, ["name-not-canonical"]),
        ("A-B: Do it.\n", {"a_b": "a-b"}, ["name-not-canonical"]),
        ("b: Do it.\n", {"a": "b"}, ["catalog-name-mismatch", "name-folder-mismatch"]),
        ("a: Do it.\n", {"a": "b"}, ["catalog-name-mismatch", "name-folder-mismatch"]),
        ("a: Do it.\na: Do it.\n", {"a": "a"}, ["catalog-entry-duplicate"]),
        ("a: Do it.\na: Do something.\n", {"a": "a"}, ["catalog-entry-duplicate", "catalog-description-mismatch"]),
        ("c_d: Gone.\n", {}, ["name-not-canonical", "catalog-entry-unknown"]),
    ],
)
def test_each_fault_once(catalog: str, skills: dict[str, str], rules: list[str], tree: Tree) -> None:
    root = workspace(tree, catalog, **skills)
    assert sorted(finding.rule for finding in findings(root)) == sorted(rules)


def test_a_moved_block_is_reported_by_its_own_lines(tree: Tree) -> None:
    names = ["x", "y", *"abcdefgh"]
    root = workspace(tree, "".join(f"{name}: Do it.\n" for name in names))
    assert places(root, "catalog-unsorted") == [".skills/SKILLS.md:1:1", ".skills/SKILLS.md:2:1"]


def test_names_are_compared_without_the_colon(tree: Tree) -> None:
    sound = ["a", "a-b", "a0", "ab"]
    root = workspace(tree, "".join(f"{name}: Do it.\n" for name in sound))
    assert places(root, "catalog-unsorted") == []


def test_a_large_catalog_in_disorder_is_quick(tree: Tree) -> None:
    names = [f"s{number}" for number in range(8000)]
    random.Random(1).shuffle(names)
    root = workspace(tree, "".join(f"{name}: Do it.\n" for name in names))
    lines = [int(place.split(":")[1]) for place in places(root, "catalog-unsorted")]
    kept = [name for number, name in enumerate(names, 1) if number not in lines]
    assert kept == sorted(kept)
    assert len(lines) == len(set(lines))


def test_skills_come_in_where_their_lines_belong(tree: Tree) -> None:
    root = workspace(tree, "c: Do it.\nb: Do it.\ne: Do it.\n", a="a", d="d", f="f")
    assert places(root, "catalog-entry-missing") == [
        ".skills/SKILLS.md:1:1",
        ".skills/SKILLS.md:3:1",
        ".skills/SKILLS.md:3:10",
    ]
