"""Check a folder: its findings, skills and dependencies, as rows of a record."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from skillbag.fleet.audit import minhash
from skillbag.fleet.audit.settings import AuditSettings, chosen
from skillbag.fleet.audit.sources import is_exact
from skillbag.fleet.audit.values import (
    AuditCounts,
    AuditedDependency,
    AuditedFinding,
    AuditedSkill,
    AuditedTarget,
    Inspected,
)
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.secrets.detection import mask
from skillbag.kernel.standard.declarations import BadContextError, read_declarations
from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.lock_file import BadLockError, read_lock
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import CHARACTERS_PER_TOKEN
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import CONTEXT, USER_CONTEXT, Target, TargetKind
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.lint.engine.fingerprints import fingerprinted
from skillbag.lint.engine.lint import lint_target
from skillbag.lint.engine.verdict import Linted
from skillbag.supply.sources.address import without_credentials

_LONGEST = 1000
"""Characters of a text that is kept in a record."""

_SHORTEST = 8
"""A shorter text is not masked."""


def inspect(root: str, settings: AuditSettings) -> Inspected:
    """Check the absolute `root` and everything below it; nothing is written or executed there.

    The repository's own configuration is ignored. Patterns of the audit's configuration are relative to `root`.

    Raises:
        NothingToCheckError: there is nothing that can be checked.
        OSError: a part of it can't be read.
    """
    config, (rules, families) = settings.config._replace(folder=root), chosen(settings)
    targets: list[AuditedTarget] = []
    every: list[AuditedFinding] = []
    rows: list[AuditedSkill] = []
    dependencies: list[AuditedDependency] = []
    counted: Counter[str] = Counter()
    by_rule: Counter[str] = Counter()
    seen: set[str] = set()
    for target in [part for whole in find_targets([root], None, root) for part in (whole, *whole.apart)]:
        if config.excludes(target.root):
            continue
        linted = lint_target(
            Workspace(target),
            rules,
            defined=families.keys(),
            today=settings.today,
            suppressions=settings.suppressions,
        )
        kept = [config.keep(finding, families[finding.rule]) for finding in linted.findings]
        findings = fingerprinted(finding for finding in kept if finding is not None)
        if not target.searched:
            targets.append(_target(target, linted, findings, root))
        every.extend(_finding(finding, root) for finding in findings)
        skills = [skill for skill in linted.summaries if not (target.searched or config.excludes(skill.path))]
        rows.extend(_skills(skills, root, seen))
        dependencies.extend(_dependencies(target, skills, root))
        counted.update(finding.level for finding in findings)
        counted.update(suppressed=linted.suppressed, excused=kept.count(None), files=linted.files)
        by_rule.update(finding.rule for finding in findings)
    numbers = {str(name): counted[name] for name in (*Severity, "suppressed", "excused", "files")}
    counts = AuditCounts(**numbers, rules=dict(sorted(by_rule.items())))
    return Inspected(tuple(targets), counts, tuple(every), tuple(rows), tuple(dependencies))


def _target(target: Target, linted: Linted, findings: Iterable[Finding], root: str) -> AuditedTarget:
    # As `CheckResult.conforms`: the standard does not apply to plain skills, and without files nothing was checked.
    held = target.kind is not TargetKind.SKILLS and linted.files > 0
    errors = any(finding.level is Severity.ERROR for finding in findings)
    return AuditedTarget(
        target.kind, relative(target.root, root), linted.skills, linted.files, conforms=held and not errors
    )


def _finding(finding: Finding, root: str) -> AuditedFinding:
    return AuditedFinding(
        relative(finding.path, root),
        finding.line,
        finding.column,
        finding.rule,
        finding.clause,
        finding.level,
        clean(finding.message)[:_LONGEST],
        finding.fingerprint,
    )


def _skills(skills: Iterable[SkillSummary], root: str, seen: set[str]) -> Iterator[AuditedSkill]:
    """Each skill whose real path is not `seen` yet: two targets may show the same one."""
    for skill in skills:
        real = os.path.realpath(skill.directory)
        if real in seen:
            continue
        seen.add(real)
        document = read_document(skill.path, root)
        text = document.text if isinstance(document, Document) else ""
        sketch = minhash.sketch(text)
        tree = None
        with contextlib.suppress(OSError):
            tree = tree_hash(skill.directory)
        yield AuditedSkill(
            name=clean(skill.name.value if skill.name else skill.folder)[:_LONGEST],
            path=relative(skill.directory, root),
            description=clean(skill.description.value)[:_LONGEST] if skill.description else None,
            valid=skill.valid,
            tree=tree,
            sketch=minhash.to_text(sketch) if sketch else None,
            tokens=len(text) // CHARACTERS_PER_TOKEN,
        )


def _dependencies(target: Target, skills: Iterable[SkillSummary], root: str) -> Iterator[AuditedDependency]:
    """Each dependency that the target's context, its overrides and its skills declare.

    `pinned` is None where no source is named: a skill of the same target is meant. `locked`: it is in the workspace's
    lock.
    """
    declared = [
        (skill.folder, dependency.name.value, dependency.source, dependency.version, dependency.required)
        for skill in skills
        for dependency in skill.dependencies
    ]
    locked = frozenset[str]()
    if target.kind is TargetKind.WORKSPACE:
        declared = [*_declared(target), *declared]
        with contextlib.suppress(BadLockError):
            lock = read_lock(target.root)
            locked = frozenset(lock.skills) if lock else locked
    for who, name, source, version, required in declared:
        yield AuditedDependency(
            target=relative(target.root, root),
            who=clean(who),
            name=clean(name),
            source=None if source is None else clean(without_credentials(source)),
            version=None if version is None else clean(version),
            required=required,
            pinned=None if source is None else is_exact(version),
            locked=name in locked,
        )


def _declared(workspace: Target) -> Iterator[tuple[str, str, str | None, str | None, bool]]:
    try:
        declarations = read_declarations(Workspace(workspace))
    except BadContextError:
        # A rule reports what is malformed.
        return
    for dependency in declarations.dependencies:
        yield CONTEXT, dependency.name, dependency.source, dependency.version, dependency.required
    for override in declarations.overrides.values():
        who = USER_CONTEXT if override.place.file == USER_CONTEXT else CONTEXT
        yield f"{who} (override)", override.name, override.source, override.version, True


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """`text` with its secrets masked, and lone surrogates (bytes of a name that are no text) spelt out."""
    masked = text if len(text) < _SHORTEST else mask(text)
    return masked.encode("utf-8", "backslashreplace").decode()


def relative(path: str, root: str) -> str:
    """A path below `root` as a record has it: relative, with `/`."""
    return clean(os.path.relpath(path, root).replace(os.sep, "/"))
