"""The summary of an audit as one page that needs nothing else: no script, no address, all text escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from skillbag.report.audit_sections import Row, Section, sections
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted

_MOST = 500
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; }
td { overflow-wrap: anywhere; }
.number { text-align: right; white-space: nowrap; }
.bar { background: #4a7fb5; height: .6rem; border-radius: .2rem; min-width: 1px; }
.bars { width: 12rem; }
:root { color-scheme: light dark; }
""".strip()


def audit_html(summary: Mapping[str, Any]) -> str:
    """The page."""
    body = "\n".join(line for section in sections(summary, _MOST) for line in _lines(section))
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>Skills audit</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


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
    bar = '<th class="bars"></th>' if section.bars is not None else ""
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
