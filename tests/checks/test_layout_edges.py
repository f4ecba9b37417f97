"""Things in the wrong place of a tree: files for folders, links, names that are no text."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.checks.rule_runs import findings, messages, places
from tests.support import Tree, skill

HEAD = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""}


def test_a_file_in_the_place_of_the_folder_of_skills(tree: Tree) -> None:
    root = tree({"AGENTS.md": "A SKILLBAG source.\n", ".skills": "no folder\n"})
    (message,) = [text for text in messages(root, "source-incomplete") if ".skills/" in text]
    assert "something else stands in its place" in message
    (root / "AGENTS.md").rename(root / "SKILLBAG.md")
    assert places(root, "skill-root-missing") == [".skills:1:1"]


def test_a_gitignore_that_is_no_text_or_a_link_is_not_touched(tree: Tree) -> None:
    root = tree({**HEAD, "USER_CONTEXT.md": "# Mine\n"})
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".gitignore").symlink_to("nowhere")
    assert [f.edits for f in findings(root, "user-context-not-ignored")] == [()]
    (root / ".gitignore").unlink()
    (root / ".gitignore").write_bytes(b"\xff\n")
    assert [f.edits for f in findings(root, "user-context-not-ignored")] == [()]
    (root / ".gitignore").unlink()
    assert [len(f.edits) for f in findings(root, "user-context-not-ignored")] == [1]


def test_without_git_nothing_is_told_and_nothing_left_out(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tree({**HEAD, "USER_CONTEXT.md": "# Mine\n", "x/skills/a/SKILL.md": "x\n", ".gitignore": "x/\n"})
    subprocess.run(["git", "init", "-q", root], check=True)
    assert places(root, "frontmatter-invalid") == []
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    assert places(root, "frontmatter-invalid") == ["x/skills/a/SKILL.md:1:1"]


def test_a_script_that_is_gone_or_a_link_lacks_no_bit(tree: Tree) -> None:
    body = "\n```sh\n./scripts/link.sh\n./scripts/gone.sh\n./scripts/plain.sh\n./scripts/x.sh\n./scripts\n```\n"
    root = tree({"skills/a/SKILL.md": skill("a") + body, "skills/a/scripts/x.sh": "#!/bin/sh\n"})
    tree({"skills/a/scripts/plain.sh": "echo no shebang\n"})
    (root / "skills/a/scripts/link.sh").symlink_to("x.sh")
    assert [f.message.count("x.sh") for f in findings(root, "script-not-executable")] == [1]


@pytest.mark.skipif(os.name != "posix", reason="names of bytes are POSIX's")
def test_a_name_that_is_no_text(tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": skill("a")})
    os.mkdir(os.fsencode(root / "skills") + b"/\xff")
    Path(os.fsdecode(os.fsencode(root / "skills") + b"/\xff/SKILL.md")).write_text("broken\n")
    assert [f.rule for f in findings(root)] == ["frontmatter-invalid"]


def test_a_link_within_the_tree_is_one_skill(tree: Tree) -> None:
    root = tree({"skills/a/SKILL.md": "broken\n", "other/x": ""})
    (root / "skills/b").symlink_to("a")
    assert len(findings(root, "frontmatter-invalid")) == 1


def test_a_card_of_an_unreadable_skill_is_kept_out_of_the_catalog(tree: Tree) -> None:
    root = tree({**HEAD, ".skills/a/SKILL.md": "broken\n", ".skills/.hidden/SKILL.md": "x\n", ".skills/file": "x\n"})
    tree({".skills/SKILLS.md": "a: Words that were there.\n"})
    assert findings(root, "catalog-entry-missing", "catalog-entry-unknown", "catalog-description-mismatch") == []


def test_dropped_pages_have_no_anchors_to_miss(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    body = "\n[a](references/bad.md#x) [b](references/good.md#x) [c](references/good.md#y)\n"
    root = tree({"skills/a/SKILL.md": skill("a") + body, "skills/a/references/good.md": "# X\n"})
    (root / "skills/a/references/bad.md").write_bytes(b"# \xff\n")
    assert [message.count("#y") or message for message in messages(root, "link-anchor-broken")] == [1]
