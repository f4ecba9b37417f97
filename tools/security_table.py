"""The tables of the page about security, out of the rule files: what is found in each category."""

from __future__ import annotations

from rule_set import Entry, RuleSet
from tables import table

from skillbag.lint.rules.model import SECURITY

CATEGORIES = tuple([f"AST{number:02}" for number in range(1, 11)])
"""The categories of the OWASP Agentic Skills Top 10."""


def security_tables(rules: RuleSet) -> dict[str, str]:
    """A table of the rules of each category, by the category in small letters, such as `ast01`.

    Raises:
        SystemExit: a rule about security names no category.
    """
    entries = [entry for entry in rules.entries if entry.rule.family == SECURITY]
    for entry in entries:
        if not entry.rule.owasp:
            raise SystemExit(f"rules/security/{entry.rule.id}.yaml names no category: add `owasp: [AST01]` or another")
    return {category.lower(): _table(entries, category) for category in CATEGORIES}


def _table(entries: list[Entry], category: str) -> str:
    rows = [_row(entry) for entry in entries if category in entry.rule.owasp]
    return table(("Rule", "Level", "What it asks for"), *rows) if rows else "No rule.\n"


def _row(entry: Entry) -> tuple[str, str, str]:
    rule = entry.rule
    raised = entry.file.written.raised
    level = f"{rule.level.value}; {raised.level} where {raised.when}" if raised else rule.level.value
    return f"[{rule.id}](rules/{rule.id}.md)", level, rule.summary
