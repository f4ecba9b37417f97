"""`--statistics`: how often each rule was broken."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.base.records import NamedTuple
from skillbag.model.findings import Level
from skillbag.model.result import Result
from skillbag.report.sanitize import shown

_LEVELS = tuple(Level)


class RuleCount(NamedTuple):
    """A rule at one level, how many findings it has, and how many of them `--fix` can mend."""

    rule: str
    level: Level
    findings: int
    fixable: int


def count_rules(result: Result) -> list[RuleCount]:
    """The counts of every rule that found something: errors first, then the most frequent."""
    counts: dict[tuple[str, Level], tuple[int, int]] = {}
    for finding in result.findings:
        count, fixable = counts.get((finding.rule, finding.level), (0, 0))
        counts[finding.rule, finding.level] = count + 1, fixable + bool(finding.edits)
    rows = [RuleCount(rule, level, *numbers) for (rule, level), numbers in counts.items()]
    return sorted(rows, key=lambda row: (_LEVELS.index(row.level), -row.findings, row.rule))


def statistics(result: Result) -> Iterator[str]:
    """A table with a line for each rule; nothing where nothing was found."""
    rows = count_rules(result)
    if not rows:
        return
    names = [shown(row.rule) for row in rows]
    longest = max(4, *map(len, names))
    yield f"{'count':>7}  {'level':<7}  {'rule':<{longest}}  fixable"
    for row, name in zip(rows, names, strict=True):
        yield f"{row.findings:>7}  {row.level:<7}  {name:<{longest}}  {row.fixable:>7}"
