"""The summary of an audit (`summary.json`, and what `audit --json` prints)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple

from skillbag.fleet.audit.values import Format, Number, Seconds
from skillbag.kernel.base.json_records import fits


class StatusCounts(NamedTuple):
    """The number of sources of each status."""

    all: Number
    ok: Number
    nothing: Number
    failed: Number
    pinned: Number
    unpinned: Number


class TargetCounts(NamedTuple):
    """The number of targets; `held` are workspaces and sources, to which the standard applies."""

    all: Number
    held: Number
    conforming: Number


class SkillCounts(NamedTuple):
    """The number of skills."""

    all: Number
    different: Number
    tokens: Number


class LevelCounts(NamedTuple):
    """The number of findings of each level, and of those that were set aside."""

    error: Number
    warning: Number
    note: Number
    suppressed: Number
    excused: Number


class RuleInSource(NamedTuple):
    """A source that breaks a rule often."""

    source: str
    findings: Number


class BrokenRule(NamedTuple):
    """A rule that is broken somewhere."""

    rule: str
    clause: str | None
    level: str
    sources: Number
    skills: Number
    findings: Number
    worst: tuple[RuleInSource, ...]


class WorstSource(NamedTuple):
    """A source with many findings."""

    source: str
    errors: Number
    warnings: Number


class SkillPlace(NamedTuple):
    """Where a skill is: its source as shown, and its path there."""

    source: str
    path: str


class SimilarSkills(NamedTuple):
    """Skills that are copies (`likeness` 1) or near-copies of one another: how many, in how many sources, and some."""

    name: str
    skills: Number
    sources: Number
    likeness: Annotated[
        float, fits(minimum=0, maximum=1), "The lowest estimated similarity of one of them to the first."
    ]
    places: tuple[SkillPlace, ...]


class SimilarityGroups(NamedTuple):
    """The number of groups of similar skills, how many skills are in them, and the largest of them."""

    groups: Number
    skills: Number
    listed: tuple[SimilarSkills, ...]


class UnpinnedSources(NamedTuple):
    """Sources whose contents may change: their number, and the first thousand, in order."""

    count_: Number
    listed: tuple[str, ...]


class UnpinnedDependency(NamedTuple):
    """A dependency whose contents may change, with the source `in` which `who` declares it."""

    in_: str
    who: str
    name: str
    source: str | None
    version: str | None


class UnpinnedDependencies(NamedTuple):
    """Dependencies whose contents may change: their number, and the first thousand, in order."""

    count_: Number
    listed: tuple[UnpinnedDependency, ...]


class Unpinned(NamedTuple):
    """What may change."""

    sources: UnpinnedSources
    dependencies: UnpinnedDependencies


class AuditFailure(NamedTuple):
    """A source that could not be checked."""

    source: str
    error: str | None


class AuditFailures(NamedTuple):
    """Sources that could not be checked: their number, and the first thousand, in order."""

    count_: Number
    listed: tuple[AuditFailure, ...]


class AuditSummary(NamedTuple):
    """The summary of all records."""

    format: Format
    program: str
    standard: str
    runs: Annotated[Mapping[str, Number], "The number of records of each run."]
    sources: StatusCounts
    targets: TargetCounts
    skills: SkillCounts
    findings: LevelCounts
    dependencies: Number
    files: Number
    bytes: Number
    seconds: Seconds
    rules: tuple[BrokenRule, ...]
    worst: tuple[WorstSource, ...]
    copies: SimilarityGroups
    near_copies: SimilarityGroups
    unpinned: Unpinned
    failures: AuditFailures
    passed_over: Annotated[Number, "Lines that are not records."] = 0
