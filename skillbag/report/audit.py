"""The report of an audit as sections, which the terminal, Markdown and HTML show, and its text and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillbag.fleet.audit.summary_values import AuditSummary, SimilarityGroups, Unpinned
from skillbag.kernel.model.findings import Severity
from skillbag.report.columns import aligned, head_or_more, paint
from skillbag.report.folding import PLAIN, Look, folded, folded_row
from skillbag.report.markdown import escaped, markdown_table
from skillbag.report.sanitize import shown
from skillbag.report.summary import CLAUSES, counted

_MAX = 10
_MAX_ON_A_PAGE = 100
_LONGEST = 300
"""Columns of a cell of Markdown."""

Row = tuple[str | int, ...]
"""The cells of a row: texts of the audited sources as they are, and numbers."""


class AuditSection(NamedTuple):
    """A heading, a sentence below it, and a table; `more` rows besides were left out. `bars`: the column that is drawn
    as a bar where that can be done, or None.
    """

    title: str
    lead: str
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    more: int = 0
    bars: int | None = None


def sections(summary: AuditSummary, most: int) -> Iterator[AuditSection]:
    """The sections of a summary, with `most` rows at most in each table; empty ones are left out."""
    yield AuditSection("Audit", overview(summary))
    yield from _rules(summary, most)
    if worst := summary.worst:
        rows: tuple[Row, ...] = tuple((entry.source, entry.errors, entry.warnings) for entry in worst[:most])
        yield AuditSection(
            "Worst sources",
            "Those with most errors, then warnings.",
            ("Source", "Errors", "Warnings"),
            rows,
            bars=1,
        )
    yield from _groups(summary.copies, "Copies", "the same files", most)
    yield from _groups(summary.near_copies, "Near-copies", "nearly the same text", most)
    yield from _unpinned(summary.unpinned, most)
    failures = summary.failures
    if failures.count_:
        rows = tuple((entry.source, entry.error or "") for entry in failures.listed[:most])
        lead = f"{counted(failures.count_, 'source')} could not be checked."
        yield AuditSection("Failures", lead, ("Source", "Why"), rows, failures.count_ - len(rows))


def overview(summary: AuditSummary) -> str:
    """The numbers, in a few sentences."""
    sources, skills, found = summary.sources, summary.skills, summary.findings
    states = (sources.ok, "checked"), (sources.nothing, "with nothing to check"), (sources.failed, "failed")
    sentences = [f"{counted(sources.all, 'source')}: {_counts(states) or 'none'}."]
    sentences += [f"{counted(skills.all, 'skill')} ({skills.different} different)."]
    levels = [counted(getattr(found, level), level) for level in Severity if getattr(found, level)]
    sentences += [f"{', '.join(levels) or 'No findings'}."]
    if found.suppressed:
        sentences += [f"Comments in the files set aside {counted(found.suppressed, 'more finding')}."]
    if found.excused:
        sentences += [f"The configuration set aside {counted(found.excused, 'more finding')}."]
    if held := summary.targets.held:
        conforming = summary.targets.conforming
        sentences += [f"Workspaces and sources that conform to {CLAUSES}: {conforming} of {held}."]
    if len(summary.runs) > 1:
        sentences += [f"These records are of {len(summary.runs)} different programs or configurations."]
    if summary.passed_over:
        sentences += [f"{counted(summary.passed_over, 'line')} of the records can't be read."]
    return " ".join(sentences)


def _counts(counts: Sequence[tuple[int, str]]) -> str:
    return ", ".join(f"{number} {word}" for number, word in counts if number)


def _rules(summary: AuditSummary, most: int) -> Iterator[AuditSection]:
    rules = summary.rules
    if rules:
        rows = tuple(
            (
                rule.rule,
                rule.level,
                rule.sources,
                rule.skills,
                rule.findings,
                ", ".join(f"{entry.source} ({entry.findings})" for entry in rule.worst[:3]),
            )
            for rule in rules[:most]
        )
        columns = ("Rule", "Level", "Sources", "Skills", "Findings", "Most of them in")
        lead = f"{counted(len(rules), 'rule')} broken somewhere, sorted by the number of sources that break them."
        yield AuditSection("Rules", lead, columns, rows, len(rules) - len(rows), bars=2)


def _groups(groups: SimilarityGroups, title: str, what: str, most: int) -> Iterator[AuditSection]:
    if groups.groups:
        rows = []
        for group in groups.listed[:most]:
            places = ", ".join(f"{place.source} {place.path}" for place in group.places[:3])
            places += f" and {group.skills - 3} more" if group.skills > 3 else ""
            rows.append((group.name, group.skills, group.sources, f"{group.likeness:.2f}", places))
        lead = f"{counted(groups.skills, 'skill')} in {counted(groups.groups, 'group')}, each of {what}."
        columns = ("Skill", "Skills", "Sources", "Likeness", "Where")
        yield AuditSection(title, lead, columns, tuple(rows), groups.groups - len(rows), bars=1)


def _unpinned(unpinned: Unpinned, most: int) -> Iterator[AuditSection]:
    sources, dependencies = unpinned.sources, unpinned.dependencies
    if sources.count_:
        rows: tuple[Row, ...] = tuple((source,) for source in sources.listed[:most])
        lead = f"{counted(sources.count_, 'source')} not pinned to a commit: their contents may change."
        yield AuditSection("Unpinned sources", lead, ("Source",), rows, sources.count_ - len(rows))
    if dependencies.count_:
        rows = tuple(
            (entry.in_, entry.who, entry.name, entry.source or "", entry.version or "")
            for entry in dependencies.listed[:most]
        )
        lead = f"{counted(dependencies.count_, 'declaration')} of a source pinned to no commit, without a lock."
        columns = ("In", "Who", "Needs", "Source", "Version")
        yield AuditSection("Unpinned dependencies", lead, columns, rows, dependencies.count_ - len(rows))


def audit_text(summary: AuditSummary, look: Look = PLAIN) -> str:
    """The report for a terminal: a table for each question, the first rows of each."""
    return "".join(f"{line}\n" for section in sections(summary, _MAX) for line in _lines(section, look))


def _lines(section: AuditSection, look: Look) -> Iterator[str]:
    if section.columns:
        yield ""
        yield paint(section.title, "path", look.color)
    yield from folded(section.lead, look)
    if section.rows:
        cells = [[shown(str(cell)) for cell in row] for row in section.rows]
        head, *lines = (folded_row(row, look, "  ", "    ") for row in aligned([section.columns, *cells]))
        yield from (paint(line, "faint", look.color) for line in head)
        yield from (line for row in lines for line in row)
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
