"""Pages of handmade checks, as files for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckedTarget, CheckResult, RuleInfo
from skillbag.report import FORMATS
from skillbag.report.options import ReportOptions

LEVELS = tuple(Severity)
RULES = tuple(
    RuleInfo(name, family, clause, level, f"The title of {name}.", "Because `it` matters.", "Do it.", "# Page", url=url)
    for name, family, clause, level, url in (
        ("name-wrong", "standard", "skill.name", Severity.ERROR, "https://host.example/name-wrong"),
        ("link-broken", "links", None, Severity.WARNING, "https://host.example/link-broken"),
        ("body-long", "prose", "skill.body", Severity.NOTE, None),
    )
)


def finding(number: int, root: Path, **changes: Any) -> Finding:
    """The finding of a number: levels, rules and files take turns."""
    rule = RULES[number % len(RULES)]
    values = {
        "rule": rule.id,
        "clause": rule.clause,
        "level": rule.level,
        "path": str(root / f"skills/skill-{number % 10}/SKILL.md"),
        "root": str(root),
        "line": number + 1,
        "column": 7,
        "end_line": number + 1,
        "end_column": 12,
        "message": f"Finding number {number} is about `thing-{number}`",
        "fix": f"Do what {rule.id} says.",
        "excerpt": f"name: words {number} of the line",
    }
    return Finding(**{**values, **changes})


def check_page(root: Path, *findings: Finding, **changes: Any) -> Path:
    """The file of a check of the skills in a folder, with these findings."""
    for one in findings:
        if "\n" not in one.path and not Path(one.path).exists():
            Path(one.path).parent.mkdir(parents=True, exist_ok=True)
            Path(one.path).write_text("text\n", "utf-8")
    target = CheckedTarget("skills", str(root), 10, 12)
    result = CheckResult(**{"targets": (target,), "findings": findings, "rules": RULES, **changes})
    path = root / "page.html"
    path.write_text(FORMATS["html"].render(result, ReportOptions(str(root), command="skillbag check")), "utf-8")
    return path
