"""The summary of an audit as one page that needs nothing else: no script, no address, all text escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from skillbag.report.audit_sections import Row, Section, sections
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted

_MOST = 500
_PAGE = Path(__file__).with_name("audit_page.html")


def audit_html(summary: Mapping[str, Any]) -> str:
    """The page."""
    body = "\n".join(line for section in sections(summary, _MOST) for line in _lines(section))
    return _PAGE.read_text("utf-8").replace("<!-- sections -->", body)


def _lines(section: Section) -> Iterator[str]:
    level = 2 if section.columns else 1
    yield f"<h{level}>{_text(section.title)}</h{level}>"
    yield f"<p>{_text(section.lead)}</p>"
    if section.rows:
        yield "<table>"
        yield from _table(section)
        yield "</table>"
    if section.more > 0:
        yield f"<p>{counted(section.more, 'more row')} not listed here.</p>"


def _table(section: Section) -> Iterator[str]:
    bar = '<td class="bars"></td>' if section.bars is not None else ""
    yield f"<tr>{''.join(f'<th>{_text(name)}</th>' for name in section.columns)}{bar}</tr>"
    most = max((_number(row, section.bars) for row in section.rows), default=0)
    for row in section.rows:
        cells = "".join(
            f'<td class="number">{cell:,}</td>' if isinstance(cell, int) else f"<td>{_text(cell)}</td>" for cell in row
        )
        share = 100 * _number(row, section.bars) / most if most else 0
        drawn = f'<td class="bars"><div class="bar" style="width: {share:.1f}%"></div></td>' if bar else ""
        yield f"<tr>{cells}{drawn}</tr>"


def _number(row: Row, at: int | None) -> int:
    cell = row[at] if at is not None else 0
    return cell if isinstance(cell, int) else 0


def _text(text: str) -> str:
    return escape(shown(text)).encode("ascii", "xmlcharrefreplace").decode()
