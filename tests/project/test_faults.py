"""Faults that were found by trying to break the program; one that is left is marked."""

from __future__ import annotations

import json

import pytest

from skillbag.report.diff import render_diff
from tests.support import Run, Tree, skill

BROKEN = "no front matter\n"


@pytest.mark.parametrize(
    ("name", "text", "option"),
    [
        ("pyproject.toml", "tool = 1\n", "--config"),
        ("skillbag.toml", "x = " + "[" * 100_000, "--config"),
        ("base.json", "[" * 100_000, "--baseline"),
    ],
    ids=lambda value: value[:20],
)
def test_a_malformed_file_is_wrong_usage(tree: Tree, run: Run, name: str, text: str, option: str) -> None:
    root = tree({"skills/a/SKILL.md": skill("a"), name: text})
    assert run("check", root, option, root / name).code == 2


OTHER = 'skillbag.ignore = ["frontmatter-invalid"]'


@pytest.mark.parametrize("text", [f"[tool]\n{OTHER}\n", f"[tool . skillbag]\n{OTHER[9:]}\n"])
def test_other_spellings_of_the_table(tree: Tree, run: Run, text: str) -> None:
    assert run("check", tree({"skills/a/SKILL.md": BROKEN, "pyproject.toml": text})).code == 0


def test_a_baseline_with_standard_input(tree: Tree, run: Run) -> None:
    root = tree({"skills/a/SKILL.md": BROKEN})
    run("check", "--output=baseline=base.json", cwd=root)
    arguments = ["check", "-", "skills/a/SKILL.md", "--baseline", "base.json"]
    assert run(*arguments, cwd=root, stdin=BROKEN.encode()).code == 0


def test_findings_are_in_order_over_all_targets(tree: Tree, run: Run) -> None:
    files = {"SKILLBAG.md": "SkillBag v0.3.0\n", "skills/z/SKILL.md": BROKEN, "inner/SKILLBAG.md": "x\n"}
    root = tree(files)
    paths = [f["path"] for f in json.loads(run("check", "--format=json", cwd=root).out)["findings"]]
    assert paths == sorted(paths)


def test_a_changed_line_that_looks_like_a_header() -> None:
    out = "".join(render_diff({"/x": b"--a\x1b[31m\n"}, {"/x": b"b\n"}, {}, "/", color=False))
    assert "\x1b" not in out


def test_a_change_behind_a_key_without_its_end_is_shown(tree: Tree, run: Run) -> None:
    key = "    -----BEGIN " + "PRIVATE KEY-----\n    MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCvq7\n"
    text = f"---\nname: a\nmetadata:\n  k: |\n{key}description: Do it. #run/always\n---\n\nRead it.\n"
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "a: Do it. #run/always\n"})
    tree({".skills/a/SKILL.md": text})
    assert 'description: "Do it. #run/always"' in run("check", "--format=diff", cwd=root).out


@pytest.mark.xfail(reason="check_run._show_diff plans once: a fix that only a rename makes possible is not shown")
def test_a_diff_follows_a_rename(tree: Tree, run: Run) -> None:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/a/skill.md": skill("a", "Do it. #run/always")})
    out = run("check", "--format=diff", cwd=root).out
    assert '+description: "Do it. #run/always"' in out
