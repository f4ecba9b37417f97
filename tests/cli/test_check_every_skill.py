"""Every `SKILL.md` below a target is judged as a skill, or named as one that is not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_check_targets import report
from tests.support import Run, Tree, skill

BROKEN = "---\nname: [broken\ndescription: D.\n---\n\nDo it.\n"
CATALOG = "game: Tidy a folder. Use when files lie about.\n"


def found(value: Any, *rules: str) -> list[tuple[str, str]]:
    return [(f["rule"], f["path"]) for f in value["findings"] if f["rule"] in rules]


def not_judged(value: Any) -> dict[str, str]:
    return {one["path"]: one["reason"] for one in value["not_judged"]}


@pytest.mark.parametrize("where", ["skills", ".skills", ".claude/skills", "skills/.curated", "skills/group"])
def test_a_broken_skill_within_a_skill_is_an_error(tree: Tree, run: Run, where: str) -> None:
    root = tree({f"{where}/game/SKILL.md": skill("game"), f"{where}/game/2d/SKILL.md": BROKEN})
    value = report(run, root)
    assert found(value, "frontmatter-yaml-invalid") == [("frontmatter-yaml-invalid", f"{where}/game/2d/SKILL.md")]
    assert not_judged(value) == {}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("No front matter.\n", "frontmatter-invalid"),
        ("---\nname: 2d\n---\n\nDo it.\n", "required-key-missing"),
        (skill("other"), "skill-name-folder-mismatch"),
        ("---\nname: 2d\ndescription: D.\nallowed-tools: [a]\n---\n\nDo it.\n", "skill-allowed-tools-not-text"),
    ],
)
def test_a_skill_within_a_skill_is_held_to_the_rules_of_one(tree: Tree, run: Run, text: str, rule: str) -> None:
    root = tree({"skills/game/SKILL.md": skill("game"), "skills/game/deep/2d/SKILL.md": text})
    assert found(report(run, root), rule) == [(rule, "skills/game/deep/2d/SKILL.md")]


def test_a_skill_within_one_of_a_workspace_is_no_entry_of_the_catalog(tree: Tree, run: Run) -> None:
    root = tree(
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            ".skills/SKILLS.md": CATALOG,
            ".skills/game/SKILL.md": skill("game"),
            ".skills/game/2d/SKILL.md": skill("2d"),
            ".skills/game/3d/SKILL.md": skill("4d"),
        }
    )
    value = report(run, root, "--ignore", "bootstrap-missing,skill-nested")
    assert {(f["rule"], f["path"]) for f in value["findings"]} == {("name-folder-mismatch", ".skills/game/3d/SKILL.md")}


SAMPLES = ["assets", "templates", "examples", "tests/fixtures"]


@pytest.mark.parametrize("sample", SAMPLES)
def test_samples_within_a_skill_are_named_and_not_judged(tree: Tree, run: Run, sample: str) -> None:
    root = tree({"skills/game/SKILL.md": skill("game"), f"skills/game/{sample}/x/SKILL.md": BROKEN})
    value = report(run, root)
    assert not found(value, "frontmatter-yaml-invalid", "frontmatter-invalid")
    assert not_judged(value) == {f"skills/game/{sample}/x/SKILL.md": "it is a sample within a skill"}
    shown = run("check", "--no-cache", cwd=root).out
    assert f"Not judged: skills/game/{sample}/x/SKILL.md: it is a sample within a skill." in " ".join(shown.split())


def test_what_lies_in_no_folder_of_skills_is_named(tree: Tree, run: Run) -> None:
    root = tree(
        {
            "SKILLBAG.md": "SkillBag v0.3.0\n",
            ".skills/SKILLS.md": CATALOG,
            ".skills/game/SKILL.md": skill("game"),
            ".skills/.draft/SKILL.md": BROKEN,
            ".skills/.old/group/x/SKILL.md": BROKEN,
            "docs/thing/SKILL.md": BROKEN,
            "tests/skills/x/SKILL.md": BROKEN,
            "tests/fixtures/y/SKILL.md": BROKEN,
        }
    )
    expected = {
        ".skills/.draft/SKILL.md": "its folder is hidden",
        ".skills/.old/group/x/SKILL.md": "its folder is hidden",
        "docs/thing/SKILL.md": "it lies in no folder of skills; name its folder to check it",
        "tests/fixtures/y/SKILL.md": "it is test data",
        "tests/skills/x/SKILL.md": "it is test data",
    }
    for _ in range(2):  # what is remembered says the same
        value = report(run, root)
        assert not_judged(value) == expected
        assert not found(value, "frontmatter-yaml-invalid")
    tree({"docs/other/SKILL.md": BROKEN})
    assert "docs/other/SKILL.md" in not_judged(report(run, root))
    assert found(report(run, root, "docs/thing"), "frontmatter-yaml-invalid")


def test_very_many_are_summed_up_in_the_text(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), **{f"docs/{n}/SKILL.md": BROKEN for n in range(9)}})
    text = run("check", cwd=root).out
    assert text.count("Not judged:") == 6
    assert "Not judged: 4 more; --format json names all." in text


def test_what_is_excluded_or_ignored_by_git_is_not_named(tree: Tree, run: Run) -> None:
    root = tree(
        {
            "skills/a/SKILL.md": skill("a"),
            "skills/a/assets/x/SKILL.md": BROKEN,
            "docs/x/SKILL.md": BROKEN,
            "build/y/SKILL.md": BROKEN,
            ".gitignore": "build/\n",
        }
    )
    subprocess.run(["git", "init", "-q", root], check=True)
    assert set(not_judged(report(run, root))) == {"docs/x/SKILL.md", "skills/a/assets/x/SKILL.md"}
    assert not_judged(report(run, root, "--exclude", "docs", "--exclude", "skills/a/assets")) == {}


def test_a_published_tree_has_each_skill_judged_or_named(corpus: Callable[[str], Path], run: Run) -> None:
    root = corpus("awesome-skills")
    value = report(run, root)
    assert list(not_judged(value)) == ["skills/app-builder/templates/SKILL.md"]
    inner = root / "skills/game-development/2d-games/SKILL.md"
    inner.write_text(BROKEN, "utf-8")
    assert ("frontmatter-yaml-invalid", os.path.relpath(inner, root).replace(os.sep, "/")) in found(
        report(run, root), "frontmatter-yaml-invalid"
    )
