"""Preconditions spare a text the expressions of its rules, and hide nothing from them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from skillbag.kernel.workspace.target import SkillFolder
from skillbag.lint.checks.lazy_predicate import LazyPredicate
from skillbag.lint.engine.lint import lint_skill
from skillbag.lint.engine.rule_set import RuleSet
from tests.lint.checks.attack_texts import EDITS, attack_texts
from tests.lint.checks.rule_runs import RULES
from tests.rows import each_row
from tests.sampling import NIGHTLY, sample
from tests.support import skill

pytestmark = pytest.mark.boundary

_GUARDED = RuleSet(tuple(rule for rule in RULES.values() if rule.predicate.needs))
_TRIED = 5_000 if NIGHTLY else 150
Place = tuple[str, int, int, str]


@cache
def texts() -> list[tuple[str, str]]:
    return attack_texts()


def found(root: Path) -> list[Place]:
    """The findings in the skill of a workspace."""
    folder = SkillFolder("tidy", str(root / "skills" / "tidy"), str(root / "skills"))
    verdict, _ = lint_skill(folder, str(root), _GUARDED)
    return [(finding.rule, finding.line, finding.column, finding.level) for finding in verdict.findings]


def hidden(root: Path, name: str, text: str) -> list[Place]:
    """What is found in a file without preconditions only."""
    tidy = root / "skills" / "tidy"
    shutil.rmtree(tidy, ignore_errors=True)
    (tidy / name).parent.mkdir(parents=True)
    (tidy / "SKILL.md").write_text(skill("tidy"), "utf-8")
    (tidy / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with patch.object(LazyPredicate, "is_needed", lambda *_: True):
        all_places = found(root)
    seen = found(root) if all_places else []
    return [place for place in all_places if place not in seen]


@each_row("edit", EDITS)
def test_a_precondition_hides_nothing(edit: str, tmp_path: Path) -> None:
    lost = {
        text: places
        for name, text in sample(f"preconditions {edit}", texts(), _TRIED)
        if (places := hidden(tmp_path, name, EDITS[edit](text)))
    }
    assert lost == {}


def in_every_language(text: str) -> Iterator[tuple[str, str]]:
    for name in ("references/a.md", "scripts/a.py", "scripts/a.sh", "a.json", "a.txt", "scripts/a.js", "a.yaml"):
        yield name, text


def test_a_precondition_hides_nothing_in_any_language(tmp_path: Path) -> None:
    cases = [case for _, text in texts() for case in in_every_language(text)]
    assert [
        (name, text, places)
        for name, text in sample("languages", cases, _TRIED)
        if (places := hidden(tmp_path, name, text))
    ] == []
