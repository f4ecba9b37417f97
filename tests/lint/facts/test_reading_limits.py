"""Texts made to be slow take time in proportion to their length, and what is not followed is named."""

from __future__ import annotations

import time
from pathlib import Path

from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.lint.engine.lint import lint_target
from tests.lint.checks.rule_runs import RULES, in_skill
from tests.lint.facts.test_flows import FLOWS
from tests.rows import each_row
from tests.support import skill, table

LIMITS = table(__file__, "limits.toml")
_QUICK = 1
"""Seconds within which it does not matter how a time grows."""
_LINEAR = 8
"""Time for four times the text, at most; what is quadratic takes sixteen times as long."""
_COUNT = 200


def made(row: list[str], count: int) -> str:
    _, head, unit, rest, closing = row
    repeated = "".join(unit.replace("§", str(number)) for number in range(count))
    return f"{head}{repeated}{rest}{closing * count}"


def seconds(root: Path, row: list[str], count: int) -> float:
    text = made(row, count) if row[0] != "SKILL.md" else skill("tidy") + made(row, count)
    begun = time.process_time()
    in_skill(root, text, *FLOWS, "powershell-obfuscated", name=row[0])
    return time.process_time() - begun


@each_row("row", LIMITS["linear"])
def test_the_time_is_in_proportion_to_the_text(row: list[str], tmp_path: Path) -> None:
    # Other work on the machine can slow down one measurement, hardly three.
    for _ in range(3):
        whole = seconds(tmp_path, row, _COUNT * 4)
        if whole < _QUICK or whole < _LINEAR * seconds(tmp_path, row, _COUNT):
            return
    raise AssertionError(f"{whole:.1f} s")


@each_row("row", LIMITS["named"])
def test_what_is_not_followed_is_named(row: list[str | int], tmp_path: Path) -> None:
    *form, count, words = row
    path = tmp_path / "skills" / "tidy" / str(form[0])
    path.parent.mkdir(parents=True)
    (path.parent / "SKILL.md").write_text(skill("tidy"), encoding="utf-8")
    path.write_text(made([*map(str, form)], int(count)), encoding="utf-8")
    (target,) = find_targets([str(tmp_path)])
    rules = [RULES[name] for name in FLOWS]
    aside = lint_target(Workspace(target), rules, defined=set(RULES), today="2026-06-15").aside
    assert [each.path for each in aside] == [str(path)]
    assert str(words) in aside[0].reason
