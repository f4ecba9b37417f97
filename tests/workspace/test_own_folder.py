"""`.skillbag/`, where backups and half-written changes lie, is nobody's skill and nobody's target."""

from __future__ import annotations

from pathlib import Path

from skillbag.workspace.discovery import find_targets
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import Kind
from skillbag.workspace.tree_hash import tree_hash
from tests.support import Tree, skill

BACKUP = {
    ".skillbag/.gitignore": "*\n",
    ".skillbag/backup/skills/old/SKILL.md": skill("old"),
    ".skillbag/backup/nested-1/.skills/inner/SKILL.md": skill("inner"),
    ".skillbag/transaction/new/0001/AGENTS.md": "This is a SKILLBAG source.\n",
}


def roots(path: Path) -> list[tuple[Kind, str]]:
    return [(target.kind, target.root) for target in find_targets([str(path)])]


def test_what_is_kept_in_a_workspace_is_no_target_of_its_own(tree: Tree) -> None:
    root = tree({**BACKUP, "SKILLBAG.md": "# SkillBag\n", ".skills/a/SKILL.md": skill("a")})
    assert roots(root) == [(Kind.WORKSPACE, str(root))]


def test_what_is_kept_beside_plain_skills_is_none_of_them(tree: Tree) -> None:
    kept = {f"skills/{name}": text for name, text in BACKUP.items()}
    root = tree({**BACKUP, **kept, "skills/.skillbag/SKILL.md": skill("kept"), "skills/a/SKILL.md": skill("a")})
    (target,) = find_targets([str(root)])
    assert [folder.name for folder in Workspace(target).skill_folders] == ["a"]


def test_what_is_kept_within_a_skill_is_no_part_of_it(tree: Tree) -> None:
    root = tree({"a/SKILL.md": skill("a")})
    before = tree_hash(str(root / "a"))
    tree({f"a/{name}": text for name, text in BACKUP.items()})
    assert tree_hash(str(root / "a")) == before
