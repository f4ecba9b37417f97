"""The output for people: findings by file, with the source line, the place in it and the fix, and a summary.

Equal findings are one entry, with their number and the first places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.columns import paint, table, width, wrap
from skillbag.report.excerpt import excerpt
from skillbag.report.options import ReportOptions, linked_page, linked_place, linked_rules, shown_path
from skillbag.report.sanitize import shown
from skillbag.report.summary import CONFORMS, checked, counted, not_judged, set_aside, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.model.timing import Timing

_INDENT = "    "
_LEVELS = tuple(Severity)
_NARROWEST = 40
_ENDLESS = 1 << 30
_MAX_PLACES = 3
"""Further places that an entry names."""
_WINDOW = 80
"""Columns of a source line where nothing bounds them: it is an excerpt, and a minified line has thousands."""


def report(result: CheckResult, options: ReportOptions, timing: Timing | None = None) -> Iterator[str]:
    """The text of a run, in pieces; no line is wider than the options' width, if any, unless a path or a name is."""
    if not options.by_place:
        result = result.errors_first()
    entries = list(_listed(result, options))
    # Of more than a screen, the sum comes first: many read no further.
    long = sum(entry.count("\n") for entry in entries) > options.height
    if result.findings and (options.statistics or (long and not options.quiet)):
        table_of_rules = _statistics(result) + "\n"
        entries.insert(0 if long else len(entries), table_of_rules)
    if long and not options.quiet:
        yield "".join(f"{line}\n" for line in wrap(verdict(result), _room(options))) + "\n"
    yield from entries
    if not options.quiet:
        yield "".join(f"{line}\n" for line in _summary(result, options))
    if timing:
        from skillbag.report.timing import timing_text

        yield "\n" + timing_text(timing, options.width)


def _listed(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    urls = linked_rules(result, options)
    for path, entries in groupby(_entries(result), lambda entry: entry[0].path):
        of_file = list(entries)
        name = shown_path(path, options.cwd)
        # A line that begins with two colons is a command to the runner of a GitHub job.
        heading = paint(f"./{name}" if name.startswith("::") else name, "path", options.color)
        heading = linked_place(heading, of_file[0][0], options)
        yield f"{heading}  (installed skill)\n" if of_file[0][0].installed else f"{heading}\n"
        for entry in of_file:
            yield "".join(f"{line}\n" for line in _entry(entry, urls, options)) + "\n"


def _entries(result: CheckResult) -> Iterator[list[Finding]]:
    """Equal findings together, where the first of them is."""
    equal: dict[tuple[object, ...], list[Finding]] = {}
    for finding in result.findings:
        key = (finding.rule, finding.level, finding.message, finding.fix, finding.installed)
        equal.setdefault(key, []).append(finding)
    return iter(equal.values())


def _entry(findings: Sequence[Finding], urls: Mapping[str, str | None], options: ReportOptions) -> Iterator[str]:
    finding, *others = findings
    others = others or [*finding.places[1:]]
    room = _room(options)
    yield from _title(finding, len(findings), urls.get(finding.rule), options)
    yield from _block(shown(finding.message), _INDENT, room)
    if finding.excerpt.strip():
        yield from _source(finding, room, options.color)
    if finding.fix is not None:
        label, *rest = _block(f"fix: {shown(finding.fix)}", _INDENT, room)
        yield from [label.replace("fix:", paint("fix:", "fix", options.color), 1), *rest]
    if others:
        places = [_place(other, finding, options) for other in others[:_MAX_PLACES]]
        more = _more(others[_MAX_PLACES:], finding, options)
        yield from _block(f"also: {', '.join([*places, *more])}", _INDENT, room)


def _more(rest: Sequence[Finding], first: Finding, options: ReportOptions) -> Iterator[str]:
    """How many further places there are; the entry stands under one file, so others are named or counted."""
    paths = {finding.path for finding in rest}
    if len(rest) == 1:
        yield _place(rest[0], first, options)
    elif len(paths) > 1:
        yield f"{len(rest):,} more in {len(paths):,} files (--format json names all)"
    elif paths:
        (path,) = paths
        yield f"{len(rest):,} more" + ("" if path == first.path else f" in {shown_path(path, options.cwd)}")


def _place(finding: Finding, first: Finding, options: ReportOptions) -> str:
    at = f"{finding.line}:{finding.column}"
    return at if finding.path == first.path else f"{shown_path(finding.path, options.cwd)}:{at}"


def _title(finding: Finding, number: int, url: str | None, options: ReportOptions) -> Iterator[str]:
    at, rule, color = f"{finding.line}:{finding.column}", shown(finding.rule), options.color
    times = f" ×{number:,}" if number > 1 else ""
    clause = f"[{shown(finding.clause)}]" if finding.clause else ""
    level = paint(finding.level, finding.level, color)
    title = f"  {linked_place(at, finding, options)} {level} {linked_page(rule, url)}{times}"
    taken = width(f"  {at} {finding.level} {rule}{times} {clause}")
    if clause and taken <= _room(options):
        yield f"{title} {paint(clause, 'faint', color)}"
        return
    yield title
    if clause:
        yield _INDENT + paint(clause, "faint", color)


def _block(text: str, indent: str, room: int) -> Iterator[str]:
    for line in wrap(text, room - len(indent)):
        yield indent + ("\\x3a" + line[1:] if line.startswith("::") else line)


def _source(finding: Finding, room: int, color: bool) -> Iterator[str]:
    number = str(finding.line)
    gutter, blank = f"{number:>6} | ", f"{'':>{max(6, len(number))}} | "
    part = excerpt(finding, (_WINDOW if room == _ENDLESS else room) - len(gutter))
    yield paint(gutter, "faint", color) + part.source
    carets = part.underline.lstrip()
    indent = part.underline.removesuffix(carets)
    yield paint(blank, "faint", color) + indent + paint(carets, finding.level, color)


def _statistics(result: CheckResult) -> str:
    """A table with a line for each rule and level, errors first, then the most frequent."""
    counts: dict[tuple[str, Severity], tuple[int, int]] = {}
    for finding in result.findings:
        count, fixable = counts.get((finding.rule, finding.level), (0, 0))
        counts[finding.rule, finding.level] = count + 1, fixable + bool(finding.edits)
    rows = sorted(counts.items(), key=lambda row: (_LEVELS.index(row[0][1]), -row[1][0], row[0][0]))
    cells = [(str(count), level, shown(rule), str(fixable)) for (rule, level), (count, fixable) in rows]
    lines = table([("count", "level", "rule", "fixable"), *cells], right=(0, 3), indent="  ")
    return "".join(f"{line}\n" for line in lines)


def _summary(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    room = _room(options)
    for sentence in checked(result, options):
        for line in wrap(sentence, room):
            yield paint(line, "good", options.color) if CONFORMS in line else line
    for sentence in not_judged(result, options):
        yield from wrap(sentence, room)
    if aside := set_aside(result):
        yield f"Set aside: {aside}."
    yield from wrap(verdict(result), room)
    if result.hidden:
        yield f"Not shown: {counted(len(result.hidden), 'finding')} of lower levels."
    if options.strict and result.own_warnings:
        yield from wrap("Warnings fail this run, since --strict is on.", room)


def _room(options: ReportOptions) -> int:
    return max(options.width, _NARROWEST) if options.width else _ENDLESS
