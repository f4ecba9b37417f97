"""Every example of every rule file, run through discovery and lint: the findings stand exactly where it says."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.base.package_data import folder
from skillbag.engine.lint import lint_target
from skillbag.rules.loader import RuleFile, read_folder
from skillbag.rules.model import Rule, load_clauses, load_rules
from skillbag.workspace.discovery import find_targets
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import Kind

pytestmark = pytest.mark.boundary

RULE_FILES = list(read_folder(folder("rules")))
CLAUSES = {clause.id: clause for clause in load_clauses()}


def cases(kind: str) -> Iterator[Any]:
    for rule_file in RULE_FILES:
        for number, example in enumerate(rule_file.data["examples"][kind]):
            yield pytest.param(rule_file, example, id=f"{rule_file.data['id']}-{number}")


def build(root: Path, example: dict[str, Any]) -> None:
    for name, text in example["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    for name, text in example.get("bytes", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(base64.b64decode(text))
    for name, target in example.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    for name in example.get("executable", []):
        (root / name).chmod(0o755)
    if "git" in example:
        subprocess.run(["git", "init", "-q", root], check=True)
        if example["git"]:
            subprocess.run(["git", "-C", root, "add", "-f", "--", *example["git"]], check=True)


def found(root: Path, rule: Rule, example: dict[str, Any]) -> list[str]:
    """`path:line:column` of what the rule finds; only this rule runs, with the example's own options.

    What suppressions have to say depends on what the other rules find, so beside one of theirs all rules run.
    """
    kind = Kind(example["target"]) if "target" in example else None
    running = load_rules() if rule.family == "suppressions" else (rule,)
    places = []
    for target in find_targets([str(root)], kind):
        linted = lint_target(Workspace(target), running, defined={other.id for other in running}, today="2026-06-15")
        for finding in linted.findings:
            if finding.rule != rule.id:
                continue
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
