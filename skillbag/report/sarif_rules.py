"""The rules of a SARIF run, as GitHub's pages show them."""

from __future__ import annotations

from skillbag.model.findings import Level
from skillbag.model.result import RuleInfo
from skillbag.report.sanitize import shown, shown_page

_LONGEST_DESCRIPTION = 1_024
_SEVERITIES = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}


def described(rule: RuleInfo) -> dict[str, object]:
    """A `reportingDescriptor`. It has no `helpUri`, since the page itself is in `help`."""
    advice = "" if rule.fix is None else f"\n{shown(rule.fix)}"
    tags = dict.fromkeys(shown(tag) for tag in (rule.family, rule.clause) if tag)
    return {
        "id": shown(rule.id),
        "shortDescription": {"text": limited(shown(rule.title), _LONGEST_DESCRIPTION)},
        "fullDescription": {"text": limited(shown_page(rule.why), _LONGEST_DESCRIPTION)},
        "help": {"text": shown_page(rule.why) + advice, "markdown": shown_page(rule.help)},
        "defaultConfiguration": {"level": rule.level.value},
        "properties": {"tags": list(tags), "problem.severity": _SEVERITIES[rule.level]},
    }


def limited(text: str, most: int) -> str:
    """`text`, or its first `most` characters with `…` as the last of them."""
    return text if len(text) <= most else text[: most - 1] + "…"
