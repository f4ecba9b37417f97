"""A summary in Markdown, made for the page of a GitHub job."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from skillbag.kernel.model.result import CheckResult
from skillbag.report.columns import head_or_more
from skillbag.report.options import ReportOptions, shown_path
from skillbag.report.sanitize import shown
from skillbag.report.summary import CONFORMS, counted, extent, not_judged, set_aside, tally, target_name, verdict

_MAX = 200
_LONGEST = 300
"""Rows, and columns of a message: a job's page holds 1 MiB."""

_MARKUP = re.compile(
    r"([\\`*\[\]<>#|~&]|(?<![^\W_])_|_(?![^\W_])"
    r"|:(?=//|(?!\d+:)[\w+-]+:|100:|1234:)|(?i:(?<=mailto):|(?<=xmpp):|(?<=www)\.))"
)
"""Characters with a meaning; `_` only at the edge of a word, `:` only in an address or before the name of an emoji."""

_CODED = {ord(char): f"%{ord(char):02X}" for char in "()<>|\\"}
"""Characters that would end an address."""


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """A heading with the verdict, a table of the targets, and a table of the findings, errors first."""
    yield f"### SkillBag check: {tally(result).lower()}\n\n"
    remark = CONFORMS + (", but for the findings set aside" if set_aside(result) else "")
    targets = [
        (
            escaped(target_name(each, options)),
            str(each.skills),
            str(each.files),
            remark if result.conforms(each) else "",
        )
        for each in result.targets[:_MAX]
    ]
    if len(result.targets) > _MAX:
        targets.append((f"and {len(result.targets) - _MAX} more", "", "", ""))
    yield from (f"{line}\n" for line in markdown_table(("Target", "Skills", "Files", ""), targets, numbers=(1, 2)))
    yield f"\n{escaped(verdict(result))} {extent(result.skills, result.files)} checked.\n"
    if aside := set_aside(result):
        yield f"Set aside: {aside}.\n"
    yield from (f"{escaped(sentence)}\n" for sentence in not_judged(result, options))
    if result.findings:
        yield from _findings(result, options)


def _findings(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    yield "\n"
    urls = {rule.id: rule.url for rule in result.rules}
    rows = []
    by_level = result.errors_first().findings
    for finding in by_level[:_MAX]:
        place = f"{shown_path(finding.path, options.cwd)}:{finding.line}:{finding.column}"
        if finding.installed:
            place += " (installed skill)"
        rule = linked(shown(finding.rule), urls.get(finding.rule))
        clause = "" if finding.clause is None else escaped(f" [{shown(finding.clause)}]")
        level, place, message = map(escaped, (finding.level, place, head_or_more(shown(finding.message), _LONGEST)))
        rows.append((level, place, rule + clause, message))
    yield from (f"{line}\n" for line in markdown_table(("Level", "Place", "Rule", "Message"), rows))
    if len(by_level) > _MAX:
        yield f"\n{counted(len(by_level) - _MAX, 'more finding')} not listed here.\n"


def markdown_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Collection[int] = ()
) -> Iterator[str]:
    """The lines of a table, whose cells are Markdown already; the columns `numbers` end alike."""
    kinds = ["---:" if at in numbers else "---" for at in range(len(columns))]
    yield from (f"| {' | '.join(cells)} |" for cells in (columns, kinds, *rows))


def escaped(text: str) -> str:
    """`text` as Markdown that shows just that: no link, markup or table cell or mention of its own."""
    return _MARKUP.sub(r"\\\1", text).replace("@", "@<!-- -->").replace("\t", " ")


def linked(text: str, url: str | None) -> str:
    """`text` as Markdown that leads to an address, if there is one."""
    return f"[{escaped(text)}]({url.translate(_CODED)})" if url else escaped(text)
