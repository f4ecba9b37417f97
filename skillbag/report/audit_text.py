"""The summary of an audit for people at a terminal, and in Markdown for the page of a job."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.fleet.audit.summary_values import AuditSummary
from skillbag.report.audit_sections import AuditSection, sections
from skillbag.report.columns import head_or_more, paint, table, wrap
from skillbag.report.folding import PLAIN, Look
from skillbag.report.markdown import escaped, markdown_table
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted

_MAX = 10
_MAX_ON_A_PAGE = 100
_LONGEST = 300
"""Columns of a cell of Markdown."""


def audit_text(summary: AuditSummary, look: Look = PLAIN) -> str:
    """The report for a terminal: a table for each question, the first rows of each."""
    return "".join(f"{line}\n" for section in sections(summary, _MAX) for line in _lines(section, look))


def _lines(section: AuditSection, look: Look) -> Iterator[str]:
    if section.columns:
        yield ""
        yield paint(section.title, "path", look.color)
    yield from wrap(section.lead, look.width) if look.width else (section.lead,)
    if section.rows:
        cells = [[shown(str(cell)) for cell in row] for row in section.rows]
        # No cell is cut, so that addresses can be copied: a terminal wraps them.
        head, *lines = table([section.columns, *cells], indent="  ")
        yield from [paint(head, "faint", look.color), *lines]
    if section.more > 0:
        yield f"  and {section.more:,} more"


def audit_markdown(summary: AuditSummary) -> str:
    """The report in Markdown."""
    return "\n".join(line for section in sections(summary, _MAX_ON_A_PAGE) for line in _markdown(section)) + "\n"


def _markdown(section: AuditSection) -> Iterator[str]:
    yield f"{'##' if section.columns else '#'} {section.title}"
    yield ""
    yield escaped(section.lead)
    yield ""
    if section.rows:
        numbers = [at for at, cell in enumerate(section.rows[0]) if isinstance(cell, int)]
        rows = ([escaped(head_or_more(shown(str(cell)), _LONGEST)) for cell in row] for row in section.rows)
        yield from [*markdown_table(section.columns, rows, numbers), ""]
    if section.more > 0:
        yield f"{counted(section.more, 'more row')} not listed here."
        yield ""
