"""Which targets a path leads to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import TargetKind
from skillbag.kernel.workspace.tree_hash import tree_hash
from tests.rows import each_row
from tests.support import Tree, skill

WORKSPACE = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", ".skills/a/SKILL.md": skill("a")}
SOURCE = {"AGENTS.md": "This is a `SKILLBAG` source.\n", ".skills/SKILLS.md": "", ".skills/a/SKILL.md": skill("a")}


def below(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


def targets(root: Path, *paths: str, kind: TargetKind | None = None) -> list[tuple[str, str]]:
    found = find_targets([str(root / path) for path in paths or (".",)], kind)
    return [(target.kind.value, os.path.relpath(target.root, root).replace(os.sep, "/")) for target in found]


@each_row("path", ["", ".skills", ".skills/a", ".skills/a/SKILL.md", "docs"])
def test_every_path_within_a_workspace_leads_to_it(tree: Tree, path: str) -> None:
    root = tree({**below("w", WORKSPACE), "w/docs/guide.md": "# Guide\n"})
    assert targets(root, f"w/{path}") == [("workspace", "w")]


def test_the_identity_in_agents_makes_a_source_and_the_entrypoint_a_workspace(tree: Tree) -> None:
    root = tree({**below("s", SOURCE), **below("w", {**WORKSPACE, "AGENTS.md": "A SKILLBAG source.\n"})})
    assert targets(root) == [("source", "s"), ("workspace", "w")]


@each_row("words", ["Read SKILLBAG.md first.", "See ./SKILLBAG.md", "skillbag", "MY_SKILLBAG_DIR"])
def test_words_that_are_no_identity(tree: Tree, words: str) -> None:
    root = tree({"AGENTS.md": words, ".skills/a/SKILL.md": skill("a")})
    assert targets(root) == [("workspace", ".")]


def test_plain_trees_belong_to_the_folder_that_holds_them(tree: Tree) -> None:
    root = tree(
        {
            "one/skills/a/SKILL.md": skill("a"),
            "one/.claude/skills/b/SKILL.md": skill("b"),
            "two/.agents/skills/c/SKILL.md": skill("c"),
            "two/skills/.curated/d/SKILL.md": skill("d"),
        }
    )
    assert targets(root) == [("skills", "one"), ("skills", "two")]
    (one, two) = find_targets([str(root)])
    assert [os.path.relpath(path, root) for path in one.skill_roots] == ["one/.claude/skills", "one/skills"]
    assert [os.path.relpath(path, root) for path in two.skill_roots] == ["two/.agents/skills", "two/skills/.curated"]


@each_row("path", ["skills/a", "skills/a/SKILL.md", "skills/a/references/x.md", "skills/a/references"])
def test_a_path_within_one_skill_narrows_to_it(tree: Tree, path: str) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), "skills/a/references/x.md": "x\n", "skills/b/SKILL.md": skill("b")})
    (target,) = find_targets([str(root / path)])
    assert (target.kind, target.root, target.only) == (TargetKind.SKILLS, str(root), (str(root / "skills/a"),))


def test_a_skill_elsewhere_is_checked_when_it_or_a_folder_around_it_is_named(tree: Tree) -> None:
    root = tree({"docs/thing/SKILL.md": skill("thing")})
    assert targets(root, "docs/thing") == [("skills", "docs/thing")]
    assert targets(root, "docs/thing/SKILL.md") == [("skills", "docs/thing")]
    assert targets(root, "docs") == [("skills", "docs")]
    assert targets(root) == [("skills", ".")]


def test_node_modules_git_and_ignored_plain_trees_are_left_out(tree: Tree) -> None:
    root = tree(
        {
            "node_modules/x/skills/a/SKILL.md": skill("a"),
            "build/skills/b/SKILL.md": skill("b"),
            "skills/c/SKILL.md": skill("c"),
            ".gitignore": "build/\n.skills/\n",
            "w/.skills/d/SKILL.md": skill("d"),
        }
    )
    subprocess.run(["git", "init", "-q", root], check=True)
    assert targets(root) == [("skills", "."), ("workspace", "w")]
    assert targets(root, "build") == [("skills", "build")]


def test_the_innermost_target_owns_a_path(tree: Tree) -> None:
    root = tree({**WORKSPACE, **below("inner", WORKSPACE), ".claude/skills/z/SKILL.md": skill("z")})
    assert targets(root, "inner/.skills/a/SKILL.md") == [("workspace", "inner")]
    assert targets(root, ".claude/skills/z") == [("skills", ".")]
    assert targets(root) == [("skills", "."), ("workspace", "."), ("workspace", "inner")]


def test_a_repository_is_a_boundary_but_a_cloned_skill_is_not(tree: Tree) -> None:
    root = tree(
        {**WORKSPACE, "vendor/lib/readme.md": "x\n", ".skills/a/.git/HEAD": "x\n", "vendor/lib/.git/HEAD": "x\n"}
    )
    assert targets(root, ".skills/a") == [("workspace", ".")]
    with pytest.raises(NothingToCheckError):
        targets(root, "vendor/lib")


def test_links_to_a_tree_are_visited_once(tree: Tree) -> None:
    root = tree(WORKSPACE)
    (root / "again").symlink_to(root, target_is_directory=True)
    assert targets(root, ".", "again") == [("workspace", ".")]


@each_row(
    ("files", "path", "words"),
    [
        ({}, ".", "nothing to check here; looked for a workspace.*Name the folder that has skills; skillbag init"),
        ({"tests/x/SKILL.md": skill("x")}, ".", "1 skill is in folders that are hidden.*, such as .*/tests: name it"),
        (
            {"tests/x/SKILL.md": skill("x"), "b/.y/SKILL.md": skill("y"), "b/.z/SKILL.md": skill("z")},
            ".",
            "3 skills are in folders that are hidden, ignored, or for tests and samples, such as .*/b: name it",
        ),
        ({"skills/readme.md": "x\n"}, ".", "nothing to check here"),
        ({}, "missing", "there is no such file or folder"),
    ],
)
def test_nothing_to_check(tree: Tree, files: dict[str, str], path: str, words: str) -> None:
    root = tree(files)
    with pytest.raises(NothingToCheckError, match=words):
        targets(root, path)


def test_asked_kinds(tree: Tree) -> None:
    root = tree({"AGENTS.md": "Hello.\n", ".skills/a/SKILL.md": skill("a"), "empty/x.txt": ""})
    assert targets(root, ".skills/a", kind=TargetKind.SOURCE) == [("source", ".")]
    assert targets(root, kind=TargetKind.WORKSPACE) == [("workspace", ".")]
    assert targets(root, kind=TargetKind.SKILLS) == [("skills", ".")]


def test_asked_kind_of_an_empty_folder(tmp_path: Path) -> None:
    for kind in TargetKind:
        with pytest.raises(NothingToCheckError):
            find_targets([str(tmp_path)], kind, str(tmp_path))


def test_skills_that_are_links_to_another_target_are_checked_there_alone(tree: Tree) -> None:
    root = tree({**WORKSPACE, ".claude/skills/own/SKILL.md": skill("own"), ".cursor/skills/x.txt": ""})
    (root / ".claude/skills/a").symlink_to("../../.skills/a")
    (root / ".cursor/skills/a").symlink_to("../../.skills/a")
    plain, workspace = find_targets([str(root)])
    assert (plain.only, workspace.kind) == ((str(root / ".claude/skills/own"),), TargetKind.WORKSPACE)
    (root / ".claude/skills/own/SKILL.md").unlink()
    (root / ".claude/skills/own").rmdir()
    assert targets(root) == [("workspace", ".")]
    assert targets(root, ".claude/skills") == [("workspace", ".")]


# `.skillbag/` has backups and half-written changes.
BACKUP = {
    ".skillbag/.gitignore": "*\n",
    ".skillbag/backup/skills/old/SKILL.md": skill("old"),
    ".skillbag/backup/nested-1/.skills/inner/SKILL.md": skill("inner"),
    ".skillbag/transaction/new/0001/AGENTS.md": "This is a SKILLBAG source.\n",
}


def test_backups_in_a_workspace_are_no_target(tree: Tree) -> None:
    root = tree({**BACKUP, "SKILLBAG.md": "# SkillBag\n", ".skills/a/SKILL.md": skill("a")})
    assert targets(root) == [("workspace", ".")]


def test_backups_beside_plain_skills_are_no_skills(tree: Tree) -> None:
    kept = {f"skills/{name}": text for name, text in BACKUP.items()}
    root = tree({**BACKUP, **kept, "skills/.skillbag/SKILL.md": skill("kept"), "skills/a/SKILL.md": skill("a")})
    (target,) = find_targets([str(root)])
    assert [folder.name for folder in Workspace(target).skill_folders] == ["a"]


def test_backups_within_a_skill_are_not_hashed(tree: Tree) -> None:
    root = tree({"a/SKILL.md": skill("a")})
    before = tree_hash(str(root / "a"))
    tree({f"a/{name}": text for name, text in BACKUP.items()})
    assert tree_hash(str(root / "a")) == before
