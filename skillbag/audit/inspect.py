"""What a folder holds, checked: findings, skills and dependencies, as rows of a record."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from skillbag.audit import minhash
from skillbag.audit.dependencies import dependency_rows
from skillbag.audit.settings import Settings, chosen
from skillbag.audit.texts import clean, relative
from skillbag.documents.source import Document, read_document
from skillbag.engine.lint import Linted, lint_target
from skillbag.model.findings import Finding, Level, fingerprinted
from skillbag.workspace.discovery import find_targets
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import SkillSummary
from skillbag.workspace.target import Kind, Target
from skillbag.workspace.tree_hash import tree_hash

_LONGEST = 1000
"""Characters of a text that is kept in a record."""


class Inspected(NamedTuple):
    """The rows of one source: plain values, with paths relative to its root, with `/`."""

    targets: list[dict[str, Any]]
    counts: dict[str, Any]
    findings: list[dict[str, Any]]
    skills: list[dict[str, Any]]
    dependencies: list[dict[str, Any]]


def inspect(root: str, settings: Settings) -> Inspected:
    """Check all that is at or below the absolute `root`; nothing of it is written to or executed.

    The configuration of whoever owns it has no say. Patterns of the audit's own are relative to `root`.

    Raises:
        NothingToCheckError: there is nothing that a check could look at.
        OSError: a part of it can't be looked at.
    """
    config = settings.config._replace(folder=root)
    found = Inspected([], {}, [], [], [])
    counted: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    seen: set[str] = set()
    for target in find_targets([root], None, root):
        if config.excludes(target.root):
            continue
        linted = lint_target(
            Workspace(target),
            (chose := chosen(settings)).rules,
            defined=chose.families.keys(),
            today=settings.today,
            suppressions=settings.suppressions,
        )
        kept = [config.keep(finding, chose.families[finding.rule]) for finding in linted.findings]
        findings = fingerprinted(finding for finding in kept if finding is not None)
        found.targets.append(_target_row(target, linted, findings, root))
        found.findings.extend(_finding_row(finding, root) for finding in findings)
        cards = [card for card in linted.summaries if not config.excludes(card.path)]
        found.skills.extend(_skill_rows(cards, root, seen))
        found.dependencies.extend(dependency_rows(target, cards, root))
        counted.update(finding.level for finding in findings)
        counted.update(suppressed=linted.suppressed, excused=kept.count(None), files=linted.files)
        rules.update(finding.rule for finding in findings)
    names = (*Level, "suppressed", "excused", "files")
    found.counts.update({str(name): counted[name] for name in names}, rules=dict(sorted(rules.items())))
    return found


def _target_row(target: Target, linted: Linted, findings: Iterable[Finding], root: str) -> dict[str, Any]:
    errors = any(finding.level is Level.ERROR for finding in findings)
    # As `Result.conforms`: plain skills are not held to the standard, and what was not read proves nothing.
    held = target.kind is not Kind.SKILLS and linted.files > 0
    return {
        "kind": target.kind.value,
        "path": relative(target.root, root),
        "skills": linted.skills,
        "files": linted.files,
        "conforms": held and not errors,
    }


def _finding_row(finding: Finding, root: str) -> dict[str, Any]:
    return {
        "path": relative(finding.path, root),
        "line": finding.line,
        "column": finding.column,
        "rule": finding.rule,
        "clause": finding.clause,
        "level": finding.level.value,
        "message": clean(finding.message)[:_LONGEST],
        "fingerprint": finding.fingerprint,
    }


def _skill_rows(cards: Iterable[SkillSummary], root: str, seen: set[str]) -> Iterator[dict[str, Any]]:
    """A row for each skill; one that two targets show is one."""
    for card in cards:
        real = os.path.realpath(card.directory)
        if real in seen:
            continue
        seen.add(real)
        document = read_document(card.path, root)
        text = document.text if isinstance(document, Document) else ""
        drawn = minhash.sketch(text)
        yield {
            "name": clean(card.name.value if card.name else card.folder)[:_LONGEST],
            "path": relative(card.directory, root),
            "description": clean(card.description.value)[:_LONGEST] if card.description else None,
            "valid": card.valid,
            "tree": _tree(card.directory),
            "sketch": minhash.to_text(drawn) if drawn else None,
            # As the rule about the size of a skill counts them.
            "tokens": len(text) // 4,
        }


def _tree(folder: str) -> str | None:
    try:
        return tree_hash(folder)
    except OSError:
        return None
