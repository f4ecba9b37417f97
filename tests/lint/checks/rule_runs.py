"""Runs single rules on a tree, for tests that need more than the examples in the rule files."""

from __future__ import annotations

import os
from pathlib import Path

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.engine.lint import lint_target
from skillbag.lint.rules.builtin import load_rules
from skillbag.lint.rules.model import Rule
from tests.support import skill

RULES: dict[str, Rule] = {rule.id: rule for rule in load_rules()}


def findings(root: Path, *ids: str, kind: TargetKind | None = None) -> list[Finding]:
    """The findings of these rules in the targets at and below `root`; of all default rules of ours without an id."""
    chosen = [RULES[name] for name in ids] or [rule for rule in RULES.values() if rule.default]
    found: list[Finding] = []
    for target in find_targets([str(root)], kind):
        found += lint_target(Workspace(target), chosen, defined=set(RULES), today="2026-06-15").findings
    return found


def in_skill(root: Path, text: str, *ids: str, name: str = "SKILL.md") -> list[Finding]:
    """The findings of these rules in one file of a skill, which is otherwise valid."""
    path = root / "skills" / "tidy" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    (root / "skills" / "tidy" / "SKILL.md").write_text(skill("tidy"), encoding="utf-8")
    path.write_bytes(text.encode("utf-8"))
    return [finding for finding in findings(root, *ids) if finding.path == str(path)]


def places(root: Path, *ids: str) -> list[str]:
    """`path:line:column` of each finding."""
    return [f"{os.path.relpath(f.path, root)}:{f.line}:{f.column}".replace(os.sep, "/") for f in findings(root, *ids)]


def messages(root: Path, *ids: str) -> list[str]:
    """The message of each finding."""
    return [finding.message for finding in findings(root, *ids)]
