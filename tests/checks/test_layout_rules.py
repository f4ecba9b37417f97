"""Sources, entrypoints, the user's context in git, and the reserved skill, beyond the rules' examples."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.engine.fixes import plan_fixes
from skillbag.workspace.target import Kind
from tests.checks.rule_runs import findings, messages, places
from tests.support import PROJECT, Tree

STANDARD = PROJECT.parent / "shared" / "spec" / "SKILLBAG-v0.3.0.md"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("No additional installation steps required.", True),
        ("There is nothing else to install.", True),
        ("## Setup\n\nRun make.", True),
        ("Extra steps: none.", True),
        ("Set-up is not needed.", True),
        ("Prerequisite: git.", True),
        ("Instances of sets are upended.", False),
        ("The skills live here.", False),
    ],
)
def test_extra_steps_by_their_words(words: str, said: bool, tree: Tree) -> None:
    root = tree({"AGENTS.md": f"A SKILLBAG source.\n\n{words}\n"})
    assert (places(root, "source-extra-steps-missing") == []) is said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("under `.skills/`", True),
        ("in the folder .skills.", True),
        ("[skills](.skills/)", True),
        ("`.skills/<name>/SKILL.md`", True),
        ("./.skills", True),
        ("`.skills/SKILLS.md`", False),
        ("`old/.skills`", False),
        (".skills-old", False),
        ("my.skills", False),
    ],
)
def test_location_by_its_path(words: str, said: bool, tree: Tree) -> None:
    root = tree({"AGENTS.md": f"A SKILLBAG source: {words}\n"})
    assert (places(root, "source-location-missing") == []) is said


@pytest.mark.parametrize(
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
    found = [f for f in findings(corpus("skillbag-utils"), kind=Kind.SOURCE) if f.clause]
    assert {(finding.rule, finding.level.value) for finding in found} == {("description-tag-unquoted", "warning")}
    assert len(found) == 4
