"""The summary of an audit, made in one pass over its records: memory does not grow with the number of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from skillbag import STANDARD_VERSION, __version__
from skillbag.fleet.audit.similarity import Likeness
from skillbag.fleet.audit.summary_values import (
    AuditFailure,
    AuditFailures,
    AuditSummary,
    BrokenRule,
    LevelCounts,
    RuleInSource,
    SkillCounts,
    StatusCounts,
    TargetCounts,
    Unpinned,
    UnpinnedDependencies,
    UnpinnedDependency,
    UnpinnedSources,
    WorstSource,
)
from skillbag.fleet.audit.values import FAILED, FORMAT, AuditedFinding, Inspected, SourceRecord

_T = TypeVar("_T")

WORST = 10
"""The number of worst sources that are named, of each rule and of all."""

LISTED = 1000
"""The longest list of failures, unpinned sources, dependencies or groups of skills; the records have them all."""

_SHOWN = 20
"""The number of skills that are named of a group."""


def summarize(records: Iterable[SourceRecord]) -> AuditSummary:
    """The summary of the records."""
    with Likeness() as likeness:
        counted = _Counted(likeness)
        for record in records:
            counted.add(record)
        likeness.group()
        return counted.summary()


class _First(Generic[_T]):
    """The first `limit` entries in an order, and the number of all."""

    def __init__(self, limit: int, key: Callable[[_T], Any]) -> None:
        self._limit, self._key = limit, key
        self.count = 0
        self._entries: list[_T] = []

    def add(self, entry: _T) -> None:
        self.count += 1
        self._entries.append(entry)
        if len(self._entries) > 2 * self._limit:
            self.first()

    def first(self) -> tuple[_T, ...]:
        self._entries.sort(key=self._key)
        del self._entries[self._limit :]
        return tuple(self._entries)


class _Rule:
    """What is counted of one rule."""

    def __init__(self, finding: AuditedFinding) -> None:
        self.clause, self.level = finding.clause, finding.level
        self.findings = self.sources = self.skills = 0
        self.worst = _First[RuleInSource](WORST, lambda row: (-row.findings, row.source))


class _Counted:
    """The counts and lists of a summary."""

    def __init__(self, likeness: Likeness) -> None:
        self._runs: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._worst = _First[WorstSource](WORST, lambda row: (-row.errors, -row.warnings, row.source))
        self._unpinned = _First[str](LISTED, str)
        self._dependencies = _First[UnpinnedDependency](LISTED, _texts)
        self._failures = _First[AuditFailure](LISTED, _texts)
        self._rules: dict[str, _Rule] = {}
        self._likeness = likeness

    def add(self, record: SourceRecord) -> None:
        head, numbers = record.head, self._numbers
        source = head.source if head.version is None else f"{head.source} @ {head.version}"
        self._runs[head.run] += 1
        self._statuses[head.status] += 1
        numbers.update(bytes=head.bytes, milliseconds=round(head.seconds * 1000))
        if head.pinned is not None:
            numbers["pinned" if head.pinned else "unpinned"] += 1
        if head.pinned is False:
            self._unpinned.add(source)
        if head.status == FAILED:
            self._failures.add(AuditFailure(source, head.error))
        if record.found:
            self._add_found(source, record.found)

    def _add_found(self, source: str, found: Inspected) -> None:
        counts, numbers = found.counts, self._numbers
        numbers.update({name: getattr(counts, name) for name in (*LevelCounts._fields, "files")})
        numbers["targets"] += len(found.targets)
        numbers["held"] += sum(target.kind != "skills" for target in found.targets)
        numbers["conforming"] += sum(target.conforms for target in found.targets)
        numbers["skills"] += len(found.skills)
        numbers["tokens"] += sum(skill.tokens for skill in found.skills)
        if counts.error or counts.warning:
            self._worst.add(WorstSource(source, counts.error, counts.warning))
        self._add_findings(source, found)
        for skill in found.skills:
            self._likeness.add(source, skill)
        numbers["dependencies"] += len(found.dependencies)
        for dependency in found.dependencies:
            if dependency.pinned is False and not dependency.locked:
                what = (dependency.who, dependency.name, dependency.source, dependency.version)
                self._dependencies.add(UnpinnedDependency(source, *what))

    def _add_findings(self, source: str, found: Inspected) -> None:
        skills = {skill.path for skill in found.skills}
        hit: dict[str, set[str]] = {}
        for finding in found.findings:
            rule = self._rules.get(finding.rule)
            if rule is None:
                rule = self._rules[finding.rule] = _Rule(finding)
            rule.findings += 1
            hit.setdefault(finding.rule, set()).update(_skill_of(finding.path, skills))
        for name, those in hit.items():
            rule = self._rules[name]
            rule.sources += 1
            rule.skills += len(those)
            if findings := found.counts.rules[name]:
                rule.worst.add(RuleInSource(source, findings))

    def _broken(self) -> Iterator[BrokenRule]:
        """Each rule, those first that most sources break."""
        for name, rule in sorted(self._rules.items(), key=lambda item: (-item[1].sources, -item[1].findings, item[0])):
            counts = (rule.sources, rule.skills, rule.findings)
            yield BrokenRule(name, rule.clause, rule.level, *counts, rule.worst.first())

    def summary(self) -> AuditSummary:
        """The summary of what was added; the near-copies are grouped already."""
        numbers, statuses = self._numbers, self._statuses
        return AuditSummary(
            FORMAT,
            __version__,
            STANDARD_VERSION,
            runs=dict(sorted(self._runs.items())),
            sources=StatusCounts(
                statuses.total(),
                **{name: statuses[name] for name in ("ok", "nothing", "failed")},
                **{name: numbers[name] for name in ("pinned", "unpinned")},
            ),
            targets=TargetCounts(numbers["targets"], numbers["held"], numbers["conforming"]),
            skills=SkillCounts(numbers["skills"], self._likeness.trees, numbers["tokens"]),
            findings=LevelCounts(*(numbers[name] for name in LevelCounts._fields)),
            dependencies=numbers["dependencies"],
            files=numbers["files"],
            bytes=numbers["bytes"],
            seconds=numbers["milliseconds"] / 1000,
            rules=tuple(self._broken()),
            worst=self._worst.first(),
            copies=self._likeness.copies(LISTED, _SHOWN),
            near_copies=self._likeness.near(LISTED, _SHOWN),
            unpinned=Unpinned(
                UnpinnedSources(self._unpinned.count, self._unpinned.first()),
                UnpinnedDependencies(self._dependencies.count, self._dependencies.first()),
            ),
            failures=AuditFailures(self._failures.count, self._failures.first()),
        )


def _texts(entry: tuple[str | None, ...]) -> list[str]:
    return [text or "" for text in entry]


def _skill_of(path: str, skills: set[str]) -> Iterator[str]:
    """The innermost of the skills that a path lies in, if any."""
    while path:
        if path in skills:
            yield path
            return
        path = path.rpartition("/")[0]
