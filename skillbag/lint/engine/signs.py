"""Warnings about one skill that are signs of malice of different kinds: together they are errors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.workspace.target import SKILL_FILE


def raised_together(findings: Sequence[Finding], signs: Mapping[str, str], root: str) -> Iterator[Finding]:
    """The findings of the target at `root`; where signs of two kinds are warnings about a skill, each is an error.

    `signs` are the kinds by rule. What a README says to people is no sign, and each inner skill stands for itself.
    """
    kinds: dict[str, dict[str, Finding]] = {}
    places = [_skill(finding.path, root) if _is_sign(finding, signs) else "" for finding in findings]
    for finding, place in zip(findings, places, strict=True):
        if place:
            kinds.setdefault(place, {}).setdefault(signs[finding.rule], finding)
    for finding, place in zip(findings, places, strict=True):
        for other in [other for kind, other in kinds.get(place, {}).items() if kind != signs.get(finding.rule)][:1]:
            beside = f"`{other.rule}` in {os.path.relpath(other.path, place).replace(os.sep, '/')}:{other.line}"
            message = f"{finding.message} (an error, not a warning, since there is {beside} as well)"
            finding = finding._replace(level=Severity.ERROR, message=message)
        yield finding


def _is_sign(finding: Finding, signs: Mapping[str, str]) -> bool:
    name = os.path.basename(finding.path).upper()
    return finding.level is Severity.WARNING and finding.rule in signs and not name.startswith("README")


def _skill(path: str, root: str) -> str:
    """The folder of the skill that a file belongs to; empty if it is in none."""
    while path != root and path != os.path.dirname(path):
        path = os.path.dirname(path)
        if tracked.exists(os.path.join(path, SKILL_FILE)):
            return path
    return ""
