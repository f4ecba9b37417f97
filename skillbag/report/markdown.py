"""A summary in Markdown, made for the page of a GitHub job."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.model.findings import Level
from skillbag.model.result import Result
from skillbag.report.columns import head_or_more
from skillbag.report.options import ReportOptions, shown_path
from skillbag.report.sanitize import shown
from skillbag.report.summary import (
    CONFORMS,
    counted,
    extent,
    not_judged,
    set_aside,
    tally,
    target_name,
    verdict,
)

_MOST = 200
_LONGEST = 300
"""Rows, and columns of a message: a job's page holds 1 MiB."""


def report(result: Result, options: ReportOptions) -> Iterator[str]:
    """A heading with the verdict, a table of the targets, and a table of the findings, errors first."""
    yield f"### SkillBag check: {tally(result).lower()}\n\n"
    yield "| Target | Skills | Files | |\n| --- | ---: | ---: | --- |\n"
    remark = CONFORMS + (", but for the findings set aside" if set_aside(result) else "")
    for target in result.targets[:_MOST]:
        name = escaped(target_name(target, options))
        yield f"| {name} | {target.skills} | {target.files} | {remark if result.conforms(target) else ''} |\n"
    if len(result.targets) > _MOST:
        yield f"| and {len(result.targets) - _MOST} more | | | |\n"
    yield f"\n{escaped(verdict(result))} {extent(result.skills, result.files)} checked.\n"
    if aside := set_aside(result):
        yield f"Set aside: {aside}.\n"
    yield from (f"{escaped(sentence)}\n" for sentence in not_judged(result, options))
    if result.findings:
        yield from _findings(result, options)


def _findings(result: Result, options: ReportOptions) -> Iterator[str]:
    yield "\n| Level | Place | Rule | Message |\n| --- | --- | --- | --- |\n"
    by_level = sorted(result.findings, key=lambda finding: list(Level).index(finding.level))
    for finding in by_level[:_MOST]:
        place = f"{shown_path(finding.path, options.cwd)}:{finding.line}:{finding.column}"
        if finding.installed:
            place += " (installed skill)"
        rule = shown(finding.rule) + ("" if finding.clause is None else f" [{shown(finding.clause)}]")
        cells = (finding.level.value, place, rule, head_or_more(shown(finding.message), _LONGEST))
        yield f"| {' | '.join(map(escaped, cells))} |\n"
    if len(by_level) > _MOST:
        yield f"\n{counted(len(by_level) - _MOST, 'more finding')} not listed here.\n"


def escaped(text: str) -> str:
    """`text` as Markdown that shows just that: no link, markup or table cell of its own, and nobody mentioned."""
    plain = re.sub(r"([\\`*_{}\[\]()<>#|~!&:]|(?i:(?<=www)\.))", r"\\\1", text)
    return plain.replace("@", "@<!-- -->").replace("\t", " ")
