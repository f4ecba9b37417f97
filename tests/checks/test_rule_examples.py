"""Every example of every rule file: findings are exactly where it says, and fixes give exactly its files."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.base.package_data import folder
from skillbag.engine.fixes import apply_changes, plan_fixes
from skillbag.engine.lint import lint_target
from skillbag.model.findings import Finding
from skillbag.rules.loader import RuleFile, read_folder
from skillbag.rules.model import Rule, load_clauses, load_rules
from skillbag.workspace.discovery import find_targets
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import Kind
from tests.checks.rule_runs import findings
from tests.support import Tree

pytestmark = pytest.mark.boundary

RULE_FILES = list(read_folder(folder("rules")))
CLAUSES = {clause.id: clause for clause in load_clauses()}


def cases(kind: str) -> Iterator[Any]:
    for rule_file in RULE_FILES:
        for number, example in enumerate(rule_file.data["examples"][kind]):
            yield pytest.param(rule_file, example, id=f"{rule_file.data['id']}-{number}")


def build(root: Path, example: dict[str, Any]) -> None:
    coded = {name: base64.b64decode(text) for name, text in example.get("bytes", {}).items()}
    for name, data in ({name: text.encode("utf-8") for name, text in example["files"].items()} | coded).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    for name, target in example.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    for name in example.get("executable", []):
        (root / name).chmod(0o755)
    if "git" in example:
        subprocess.run(["git", "init", "-q", root], check=True)
        if example["git"]:
            subprocess.run(["git", "-C", root, "add", "-f", "--", *example["git"]], check=True)


def findings_of(root: Path, rule: Rule, example: dict[str, Any]) -> Iterator[Finding]:
    """The findings of one rule; only this rule runs, with the options of the example.

    The rules about suppressions depend on the findings of others, so with one of them all rules run.
    """
    kind = Kind(example["target"]) if "target" in example else None
    running = load_rules() if rule.family == "suppressions" else (rule,)
    for target in find_targets([str(root)], kind):
        linted = lint_target(Workspace(target), running, defined={other.id for other in running}, today="2026-06-15")
        yield from (finding for finding in linted.findings if finding.rule == rule.id)


def found(root: Path, rule: Rule, example: dict[str, Any]) -> list[str]:
    """`path:line:column` of the findings of one rule."""
    places = []
    for finding in findings_of(root, rule, example):
        assert "{" not in finding.message or "{" in str(example["files"])
        relative = os.path.relpath(finding.path, root).replace(os.sep, "/")
        places.append(f"{relative}:{finding.line}:{finding.column}")
    return places


def bound(rule_file: RuleFile, example: dict[str, Any]) -> Rule:
    rule = rule_file.bind(CLAUSES, set())
    if "options" in example:
        given = {**rule_file.data.get("options", {}), **example["options"]}
        rule = rule._replace(given=given)
    return rule


@pytest.mark.parametrize(("rule_file", "example"), list(cases("pass")))
def test_pass(rule_file: RuleFile, example: dict[str, Any], tmp_path: Path) -> None:
    build(tmp_path, example)
    assert found(tmp_path, bound(rule_file, example), example) == []


@pytest.mark.parametrize(("rule_file", "example"), list(cases("fail")))
def test_fail(rule_file: RuleFile, example: dict[str, Any], tmp_path: Path) -> None:
    build(tmp_path, example)
    places = found(tmp_path, bound(rule_file, example), example)
    # An example that gives no column is held to the line alone.
    columns = [expected.count(":") == 2 for expected in example["expect"]]
    trimmed = [p if c else p.rpartition(":")[0] for p, c in zip(places, columns, strict=False)]
    assert trimmed + places[len(columns) :] == example["expect"]
    if "fixed" in example:
        rule = bound(rule_file, example)
        apply_changes(plan_fixes(findings_of(tmp_path, rule, example)))
        for name, text in example["fixed"].items():
            assert (tmp_path / name).read_bytes() == text.encode("utf-8")
        assert plan_fixes(findings_of(tmp_path, rule, example)) == ()


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
def test_a_quoted_description_keeps_its_text(description: str, tree: Tree) -> None:
    import yaml

    root = tree({".skills/a/SKILL.md": f"---\nname: a\ndescription: {description}\n---\n\nDo it.\n"})
    apply_changes(plan_fixes(findings(root, "description-tag-unquoted")))
    front = (root / ".skills/a/SKILL.md").read_text("utf-8").split("---\n")[1]
    assert yaml.safe_load(front)["description"] == description
    assert findings(root, "description-tag-unquoted") == []
