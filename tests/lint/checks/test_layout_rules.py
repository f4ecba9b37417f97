"""Sources, entrypoints, user context in git, the reserved skill and misplaced files, beyond the rules' examples."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.engine.fixes import plan_fixes
from tests.lint.checks.rule_runs import findings, messages, places
from tests.rows import each_row
from tests.support import PROJECT, Tree, skill

STANDARD = PROJECT.parent / "shared" / "spec" / "SKILLBAG-v0.3.0.md"


@each_row(
    ("rule", "words", "stated"),
    [
        ("source-extra-steps-missing", "No additional installation steps required.", True),
        ("source-extra-steps-missing", "There is nothing else to install.", True),
        ("source-extra-steps-missing", "## Setup\n\nRun make.", True),
        ("source-extra-steps-missing", "Extra steps: none.", True),
        ("source-extra-steps-missing", "Set-up is not needed.", True),
        ("source-extra-steps-missing", "Prerequisite: git.", True),
        ("source-extra-steps-missing", "Instances of sets are upended.", False),
        ("source-extra-steps-missing", "The skills live here.", False),
        ("source-location-missing", "under `.skills/`", True),
        ("source-location-missing", "in the folder .skills.", True),
        ("source-location-missing", "[skills](.skills/)", True),
        ("source-location-missing", "`.skills/<name>/SKILL.md`", True),
        ("source-location-missing", "./.skills", True),
        ("source-location-missing", "`.skills/SKILLS.md`", False),
        ("source-location-missing", "`old/.skills`", False),
        ("source-location-missing", ".skills-old", False),
        ("source-location-missing", "my.skills", False),
    ],
)
def test_statements_of_a_source(rule: str, words: str, stated: bool, tree: Tree) -> None:
    assert (places(tree({"AGENTS.md": f"A SKILLBAG source.\n\n{words}\n"}), rule) == []) is stated


@each_row(
    ("line", "version"),
    [
        ("SkillBag v0.3.0", None),
        ("SkillBag 0.3.0 (2026)", None),
        ("# How skills work", None),
        ("SkillBag v0.4.0", "0.4.0"),
        ("SkillBag v0.3", "0.3"),
        ("SkillBag v10", None),
    ],
)
def test_version_of_the_entrypoint(line: str, version: str | None, tree: Tree) -> None:
    found = messages(tree({"SKILLBAG.md": line + "\n"}), "standard-version-mismatch")
    assert [message.split(" version ")[1].split(" of ")[0] for message in found] == ([version] if version else [])


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True)


def test_a_workspace_within_a_repository(tree: Tree) -> None:
    root = tree({"app/SKILLBAG.md": "SkillBag v0.3.0\n", "app/USER_CONTEXT.md": "Short answers.\n"})
    git(root, "init")
    assert places(root, "user-context-not-ignored", "user-context-tracked") == ["app/USER_CONTEXT.md:1:1"]
    (change,) = plan_fixes(findings(root, "user-context-not-ignored"))
    assert (change.path, change.new) == (str(root / "app/.gitignore"), b"USER_CONTEXT.md\n")
    (root / ".gitignore").write_text("USER_CONTEXT.md\n")
    assert places(root, "user-context-not-ignored", "user-context-tracked") == []


def test_an_ignore_line_without_effect_is_not_repeated(tree: Tree) -> None:
    ignore = "USER_CONTEXT.md\n!USER_*.md\n"
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", "USER_CONTEXT.md": "Short.\n", ".gitignore": ignore})
    git(root, "init")
    assert places(root, "user-context-not-ignored") == ["USER_CONTEXT.md:1:1"]
    assert plan_fixes(findings(root, "user-context-not-ignored")) == ()


def test_a_lone_entrypoint(tree: Tree) -> None:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n"})
    assert [finding.rule for finding in findings(root)] == ["bootstrap-missing"]


def test_the_template_of_the_standard_is_equivalent(tree: Tree) -> None:
    if not STANDARD.is_file():
        pytest.skip("the standard (../shared/spec) is not beside the project")
    template = re.search(r"^````md\n(.*?)^````", STANDARD.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert template is not None
    root = tree(
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            ".skills/SKILLS.md": "skillbag-get-skills: Install one or more skills into .skills/.\n",
            ".skills/skillbag-get-skills/SKILL.md": template[1],
        }
    )
    assert [finding.rule for finding in findings(root) if finding.clause] == []


def test_a_published_source_has_no_errors(corpus: Callable[[str], Path]) -> None:
    found = [f for f in findings(corpus("skillbag-utils"), kind=TargetKind.SOURCE) if f.clause]
    assert {(finding.rule, finding.level.value) for finding in found} == {("description-tag-unquoted", "warning")}
    assert len(found) == 4


HEAD = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""}


def test_a_file_in_the_place_of_the_folder_of_skills(tree: Tree) -> None:
    root = tree({"AGENTS.md": "A SKILLBAG source.\n", ".skills": "no folder\n"})
    (message,) = [text for text in messages(root, "source-incomplete") if ".skills/" in text]
    assert "something else is in its place" in message
    (root / "AGENTS.md").rename(root / "SKILLBAG.md")
    assert places(root, "skill-root-missing") == [".skills:1:1"]


def test_a_gitignore_that_is_no_text_or_a_link_is_not_touched(tree: Tree) -> None:
    root = tree({**HEAD, "USER_CONTEXT.md": "# Mine\n"})
    git(root, "init")
    (root / ".gitignore").symlink_to("nowhere")
    assert [f.edits for f in findings(root, "user-context-not-ignored")] == [()]
    (root / ".gitignore").unlink()
    (root / ".gitignore").write_bytes(b"\xff\n")
    assert [f.edits for f in findings(root, "user-context-not-ignored")] == [()]
    (root / ".gitignore").unlink()
    assert [len(f.edits) for f in findings(root, "user-context-not-ignored")] == [1]


def test_without_git_nothing_is_reported_and_nothing_left_out(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tree({**HEAD, "USER_CONTEXT.md": "# Mine\n", "x/skills/a/SKILL.md": "x\n", ".gitignore": "x/\n"})
    git(root, "init")
    assert places(root, "frontmatter-invalid") == []
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    assert places(root, "frontmatter-invalid") == ["x/skills/a/SKILL.md:1:1"]


def test_a_missing_or_linked_script_lacks_no_bit(tree: Tree) -> None:
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
