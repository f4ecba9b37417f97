"""Malice in files around skills is found as in a script that the agent is told to run, and in no honest ones."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from skillbag.kernel.model.findings import Severity
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.rows import each_row

ROWS = tomllib.loads(Path(__file__).with_name("host_malice.toml").read_text("utf-8"))
_RANK = ("", Severity.NOTE.value, Severity.WARNING.value, Severity.ERROR.value)


@each_row("name", sorted(ROWS))
def test_the_gravest_finding_about_malice(name: str, tmp_path: Path) -> None:
    row: dict[str, Any] = ROWS[name]
    for path, text in row["files"].items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    found = Checker(CheckRequest((str(tmp_path),))).check()
    families = {rule.id: rule.family for rule in found.rules}
    grave = [f for f in found.findings if families[f.rule] == "security" or f.rule == "hook-sends-events"]
    levels = [finding.level.value for finding in grave]
    assert max(levels, key=_RANK.index, default="") == row["level"], [finding.message for finding in grave]
