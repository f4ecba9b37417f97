"""What may not be read is a finding in its place; what may not be written is exit code 4, with the tree as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.support import Tree, skill
from tests.unprivileged import unprivileged

pytestmark = pytest.mark.boundary

WORKSPACE = {
    "SKILLBAG.md": "SkillBag v0.3.0\n",
    "CONTEXT.md": "# Ours\n",
    ".skills/SKILLS.md": "b: x\n",
    ".skills/a/SKILL.md": skill("a"),
    ".skills/a/references/guide.md": "# Guide\n",
    ".skills/b/SKILL.md": "no front matter\n",
}


def listing(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@each_row(
    ("name", "place"),
    [
        ("SKILLBAG.md", "SKILLBAG.md"),
        ("CONTEXT.md", "CONTEXT.md"),
        (".skills/SKILLS.md", ".skills/SKILLS.md"),
        (".skills/a/SKILL.md", ".skills/a/SKILL.md"),
        (".skills/a", ".skills/a/SKILL.md"),
        (".skills", ".skills"),
    ],
)
def test_without_permission_to_read(tree: Tree, name: str, place: str) -> None:
    root = tree(WORKSPACE)
    (root / name).chmod(0)
    outcome = unprivileged(root, "check", "--format=json")
    found = {(f["rule"], f["path"]) for f in json.loads(outcome.stdout)["findings"]}
    (root / name).chmod(0o755)
    assert ("document-unreadable", place) in found
    assert outcome.returncode == 1
    # The finding in the other file is reported anyway.
    assert (("frontmatter-invalid", ".skills/b/SKILL.md") in found) is (name != ".skills")


@pytest.mark.parametrize("name", [".skills/a/references/guide.md", ".skills/a/references"])
def test_a_resource_without_permission(tree: Tree, name: str) -> None:
    root = tree(WORKSPACE)
    (root / name).chmod(0)
    outcome = unprivileged(root, "check", "--format=json", "--select=resource-unreadable")
    (root / name).chmod(0o755)
    assert [f["path"] for f in json.loads(outcome.stdout)["findings"]] == [name]


def test_a_closed_folder_is_a_fact_that_deny_refuses(tree: Tree) -> None:
    root = tree(WORKSPACE)
    (root / ".skills/a/references").chmod(0)
    outcome = unprivileged(root, "capabilities", "--deny", "opaque-file")
    (root / ".skills/a/references").chmod(0o755)
    assert outcome.returncode == 1
    assert "a folder that can't be opened" in outcome.stdout


@each_row(
    ("arguments", "locked"),
    [
        (("check", "--fix"), ".skills"),
        (("check", "--output=baseline=base.json"), "."),
        (("check", "-o", "report.txt"), "."),
        (("init",), "."),
        (("new", "c"), ".skills"),
    ],
)
def test_a_folder_that_may_not_be_written(tree: Tree, arguments: tuple[str, ...], locked: str) -> None:
    root = tree(WORKSPACE)
    before = listing(root)
    (root / locked).chmod(0o555)
    outcome = unprivileged(root, *arguments)
    (root / locked).chmod(0o755)
    assert outcome.returncode == 4
    assert "Permission denied" in outcome.stderr
    assert "`ls -ld` of it and of its folder shows whose they are" in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert listing(root) == before


@each_row(
    ("name", "arguments"),
    [
        ("skillbag.lock", ("check",)),
        ("skillbag.lock", ("verify",)),
        ("CONTEXT.md", ("check",)),
        ("CONTEXT.md", ("install",)),
        (".skills/SKILLS.md", ("check",)),
        (".skills/SKILLS.md", ("enter",)),
    ],
)
def test_a_file_that_may_not_be_read_is_not_to_be_deleted(tree: Tree, name: str, arguments: tuple[str, ...]) -> None:
    root = tree({**WORKSPACE, **({name: ""} if name == "skillbag.lock" else {})})
    (root / name).chmod(0)
    outcome = unprivileged(root, *arguments)
    (root / name).chmod(0o644)
    said = outcome.stdout + outcome.stderr
    assert "permission denied" in said
    assert "`chmod u+r` lets you read it" in said
    assert "delete skillbag.lock" not in said
    assert "Replace it" not in said


def test_a_configuration_without_permission(tree: Tree) -> None:
    root = tree({**WORKSPACE, "skillbag.toml": ""})
    (root / "skillbag.toml").chmod(0)
    outcome = unprivileged(root, "check")
    assert outcome.returncode == 2
    assert "skillbag.toml: it can't be read: permission denied" in outcome.stderr


def test_a_tree_that_may_not_be_listed_is_passed_over(tree: Tree) -> None:
    root = tree({"one/skills/a/SKILL.md": skill("a"), "two/skills/b/SKILL.md": skill("b"), "skills/c/x/SKILL.md": ""})
    for name in ("two", "skills/c"):
        (root / name).chmod(0)
    outcome = unprivileged(root, "check", "--format=json", ".")
    for name in ("two", "skills/c"):
        (root / name).chmod(0o755)
    assert outcome.stderr == ""
    assert [target["root"] for target in json.loads(outcome.stdout)["targets"]] == ["one"]
