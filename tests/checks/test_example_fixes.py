"""The safe fixes of rules: files end as the examples say, byte for byte, and a second round changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbag.engine.fixes import apply_changes, plan_fixes
from skillbag.engine.lint import lint_target
from skillbag.model.findings import Finding
from skillbag.rules.loader import RuleFile
from skillbag.rules.model import Rule
from skillbag.workspace.discovery import find_targets
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import Kind
from tests.checks.rule_runs import findings
from tests.checks.test_rule_examples import RULE_FILES, bound, build
from tests.support import Tree

FIXED = [
    pytest.param(rule_file, example, id=f"{rule_file.data['id']}-{number}")
    for rule_file in RULE_FILES
    for number, example in enumerate(rule_file.data["examples"]["fail"])
    if "fixed" in example
]


def found(root: Path, rule: Rule, kind: str | None) -> list[Finding]:
    targets = find_targets([str(root)], Kind(kind) if kind else None)
    return [
        f for t in targets for f in lint_target(Workspace(t), [rule], defined={rule.id}, today="2026-06-15").findings
    ]


@pytest.mark.parametrize(("rule_file", "example"), FIXED)
def test_fixed_as_the_example_says(rule_file: RuleFile, example: dict[str, Any], tmp_path: Path) -> None:
    build(tmp_path, example)
    rule = bound(rule_file, example)
    apply_changes(plan_fixes(found(tmp_path, rule, example.get("target"))))
    for name, text in example["fixed"].items():
        assert (tmp_path / name).read_bytes() == text.encode("utf-8")
    assert plan_fixes(found(tmp_path, rule, example.get("target"))) == ()


def fix(root: Path) -> int:
    """Fix until nothing changes; how many rounds changed something."""
    for rounds in range(10):
        changes = plan_fixes(findings(root))
        if not changes:
            return rounds
        apply_changes(changes)
    raise AssertionError("the fixes never end")


def test_a_muddled_catalog_comes_out_right(tree: Tree) -> None:
    text = "---\nname: {0}\ndescription: Do {0}.{1}\n---\n\nDo it.\n"
    root = tree(
        {
            "AGENTS.md": "A SKILLBAG source. Skills live under `.skills/`. No extra installation steps.\n",
            ".skills/SKILLS.md": "\ufeffe: Do e.\r\nb_b: Do b-b.\r\nb: Do other.\r\ngone: Gone.\r\nb: Do b.\r\n",
            **{f".skills/{name}/SKILL.md": text.format(name, "") for name in ("a", "b", "b-b", "c", "e")},
            ".skills/d/SKILL.md": text.format("d", " #run/last"),
        }
    )
    assert fix(root) <= 4
    expected = "a: Do a.\nb: Do b.\nb-b: Do b-b.\nc: Do c.\nd: Do d. #run/last\ne: Do e.\n"
    catalog = (root / ".skills/SKILLS.md").read_bytes()
    assert catalog == b"\xef\xbb\xbf" + expected.replace("\n", "\r\n").encode()
    assert '\ndescription: "Do d. #run/last"\n' in (root / ".skills/d/SKILL.md").read_text("utf-8")
    assert findings(root) == []


def test_a_companion_whose_name_begins_anothers(tree: Tree) -> None:
    text = '---\nname: a\ndescription: "Do it. #use/B_c #use/B, #use/b"\n---\n'
    root = tree({".skills/a/SKILL.md": text})
    apply_changes(plan_fixes(findings(root, "companion-name-not-canonical")))
    assert (root / ".skills/a/SKILL.md").read_text("utf-8") == text.replace("B_c", "b-c").replace("B", "b")


def test_a_catalog_with_a_remark_is_not_sorted(tree: Tree) -> None:
    root = tree({".skills/SKILLS.md": "b: B.\n# about a\na: A.\n"})
    assert plan_fixes(findings(root, "catalog-unsorted")) == ()


@pytest.mark.parametrize(
    "description",
    ["It's fine. #run/last", 'Say "hello". #run/last', "C:\\path. #run/last", 'It\'s "both" \\n. #run/last #use/b'],
)
def test_a_quoted_description_says_what_stood_there(description: str, tree: Tree) -> None:
    import yaml

    root = tree({".skills/a/SKILL.md": f"---\nname: a\ndescription: {description}\n---\n\nDo it.\n"})
    apply_changes(plan_fixes(findings(root, "description-tag-unquoted")))
    front = (root / ".skills/a/SKILL.md").read_text("utf-8").split("---\n")[1]
    assert yaml.safe_load(front)["description"] == description
    assert findings(root, "description-tag-unquoted") == []
