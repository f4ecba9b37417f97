"""`--statistics`: how often each rule was broken."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.model.findings import Level
from skillbag.model.result import Result
from skillbag.report.sanitize import shown

_LEVELS = tuple(Level)


def statistics(result: Result) -> Iterator[str]:
    """A table with a line for each rule and level, errors first, then the most frequent; empty without findings."""
    counts: dict[tuple[str, Level], tuple[int, int]] = {}
    for finding in result.findings:
        count, fixable = counts.get((finding.rule, finding.level), (0, 0))
        counts[finding.rule, finding.level] = count + 1, fixable + bool(finding.edits)
    if not counts:
        return
    rows = sorted(counts.items(), key=lambda row: (_LEVELS.index(row[0][1]), -row[1][0], row[0][0]))
    longest = max(4, *(len(shown(rule)) for rule, _ in counts))
    yield f"{'count':>7}  {'level':<7}  {'rule':<{longest}}  fixable"
    for (rule, level), (count, fixable) in rows:
        yield f"{count:>7}  {level:<7}  {shown(rule):<{longest}}  {fixable:>7}"
