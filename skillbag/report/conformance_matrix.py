"""The result of the conformance kit as a matrix: clauses against kinds of cases; and its drawing as an SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from skillbag.fleet.conformance.kit import KINDS, PASSED, Report, parts, totals
from skillbag.report.sanitize import shown


class Row(NamedTuple):
    """A clause; `word` is its verdict for people. `kinds`: how many cases of each kind passed, of how many."""

    clause: str
    level: str
    gist: str
    verdict: str
    word: str
    reason: str
    kinds: tuple[tuple[int, int], ...]


def matrix(report: Report) -> tuple[Row, ...]:
    """The rows in the standard's order."""
    passed: Counter[tuple[str, str]] = Counter()
    every: Counter[tuple[str, str]] = Counter()
    for result in report.cases:
        for clause in result.clauses:
            every[clause, result.kind] += 1
            passed[clause, result.kind] += result.verdict == PASSED
    rows = []
    for each in report.clauses:
        kinds = tuple((passed[each.id, kind], every[each.id, kind]) for kind in KINDS)
        verdict = each.verdict if any(each.counts) or not each.reason else "agent"
        rows.append(Row(each.id, each.level, each.gist, verdict, each.word.lower(), each.reason or "", kinds))
    return tuple(rows)


_STYLE = """\
svg { color-scheme: light dark; --ink: #1f2937; --paper: #ffffff; --faint: #4b5563; --passed: #d8f0e0;
  --failed: #f8d3cf; --open: #f6e6bd; --none: #eceeef; }
@media (prefers-color-scheme: dark) { svg { --ink: #e5e7eb; --paper: #111827; --faint: #9ca3af; --passed: #14532d;
  --failed: #7f1d1d; --open: #5c4813; --none: #1f2937; } }
.paper { fill: var(--paper); }
text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.heading { font-size: 16px; font-weight: 600; }
.faint { fill: var(--faint); }
.passed { fill: var(--passed); }
.failed { fill: var(--failed); }
.not-covered { fill: var(--open); }
.none, .agent, .not-offered { fill: var(--none); }
"""
_ROW, _NAME, _CELL, _COLUMNS, _GAP, _MARGIN, _TOP = 22, 236, 52, 3, 28, 24, 104
_COLUMN = _NAME + len(KINDS) * _CELL + _GAP


def matrix_svg(report: Report) -> str:
    """The matrix as a drawing that stands alone."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    rows = matrix(report)
    per_column = -(-len(rows) // _COLUMNS) or 1
    width = 2 * _MARGIN + _COLUMNS * _COLUMN - _GAP
    title = f"Checked clauses of SkillBag {report.versions.standard}: {shown(report.subject)}"
    core = "; ".join(f"{part}: {numbers}" for part, _, numbers in parts(report) if part.startswith("core"))
    others = ", ".join(f"{name} {cases.passed}/{sum(cases)}" for name, cases in report.extensions) or "none"
    heads = (f"{core}. Below: passed cases of all, by kind.", f"Extensions: {others}.")
    height = _TOP + per_column * _ROW + _MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="title description">'
    )
    yield f'<title id="title">{escape(title)}</title>'
    yield f'<desc id="description">{escape(totals(report))}</desc>'
    yield f"<style>\n{_STYLE}</style>"
    yield '<rect class="paper" width="100%" height="100%"/>'
    yield f'<text class="heading" x="{_MARGIN}" y="34">{escape(title)}</text>'
    yield from (_text(head, _MARGIN, 54 + 16 * number, "faint") for number, head in enumerate(heads))
    for start in range(0, len(rows), per_column):
        x = _MARGIN + start // per_column * _COLUMN
        for number, kind in enumerate(KINDS):
            yield _text(kind, x + _NAME + number * _CELL + _CELL / 2 - 2, _TOP - 10, "faint", "middle")
        for number, row in enumerate(rows[start : start + per_column]):
            yield from _cell(row, x, _TOP + number * _ROW)
    yield "</svg>"


def _cell(row: Row, x: int, y: int) -> Iterator[str]:
    title = "; ".join(filter(None, (row.word, row.gist, row.reason)))
    yield f"<g><title>{escape(f'{row.clause} ({row.level}): {title}')}</title>"
    yield _text(row.clause, x, y + 14)
    for number, (passed, every) in enumerate(row.kinds):
        at, kind = x + _NAME + number * _CELL, _kind(row, passed, every)
        yield f'<rect class="{kind}" x="{at}" y="{y}" width="{_CELL - 4}" height="{_ROW - 4}" rx="3"/>'
        words, color = (f"{passed}/{every}", "") if every else ("–", "faint")
        yield _text(words, at + _CELL / 2 - 2, y + 13, color, "middle")
    yield "</g>"


def _kind(row: Row, passed: int, every: int) -> str:
    if not every:
        return "none"
    return "passed" if passed == every else row.verdict


def _text(text: str, x: float, y: float, kind: str = "", anchor: str = "start") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'
