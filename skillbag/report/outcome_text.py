"""The text of every command about installed skills: a table of the skills, then the problems.

Sentences keep within the terminal's width; names, paths and addresses are never cut, so that they can be copied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from skillbag.kernel.workspace.lock_file import short
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.report.columns import aligned, head_or_more, paint, table, width
from skillbag.report.folding import PLAIN, Look, folded, room_of, wrapped
from skillbag.report.sanitize import masked, shown, shown_page, visible
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status

_PLANNED = {
    Status.INSTALLED: "install",
    Status.UPGRADED: "upgrade",
    Status.OVERWRITTEN: "overwrite",
    Status.MERGED: "merge",
    Status.REMOVED: "remove",
    Status.ADOPTED: "adopt",
}
_STYLES = {
    **dict.fromkeys((Status.INSTALLED, Status.UPGRADED, Status.MERGED, Status.ADOPTED), "good"),
    **dict.fromkeys((Status.CURRENT, Status.OWN), "faint"),
    Status.MISSING: "error",
}
_TEXTS = ("tree", "why", "cache dir")
"""Commands that print a text instead of a table."""
_WRITERS = ("install", "add", "update", "remove", "uninstall", "adopt")
_EMPTY = {
    "list": "No skill is installed here.",
    "tree": "Nothing is declared, and nothing is installed.",
    "outdated": "Nothing is locked, so nothing can be outdated.",
    "verify": "Nothing is locked, so there is nothing to verify.",
    "adopt": "Nothing to adopt: no skill is here, and no file of another program names one.",
    "install": "Nothing to do: nothing is declared, and no skill is named.",
    "update": "Nothing to do: nothing is declared, and no skill is named.",
}
"""The text of a command that has nothing to show; no output could mean that it did nothing."""
_MANY = 20
"""Unchanged skills, or problems of one source, above which a report only counts them."""
_OF_ONE = 3
"""Skills from one source that get a heading."""
_DESCRIBED = 3
"""Lines of a description on a terminal; a pipe and `--json` have all of it."""


def render_text(outcome: Outcome, look: Look = PLAIN, *, planned: bool = False) -> str:
    """The report for people; with `planned` (or of a dry run) in the words of what would be done."""
    if outcome.command == "diff":
        return "".join(f"{line}\n" for line in _patch(outcome.text, look.color))
    text = _joined(_lines(outcome, look, planned))
    if not text and not outcome.problems and outcome.command in _EMPTY:
        return f"{_EMPTY[outcome.command]}\n"
    return text


def _joined(lines: Iterable[str]) -> str:
    # A line that begins with two colons is a command to the runner of a GitHub job, however far it is indented.
    return re.sub(r"(?m)^( *)::", r"\1\\x3a:", "".join(f"{line}\n" for line in lines))


def _lines(outcome: Outcome, look: Look, planned: bool) -> Iterator[str]:
    if outcome.command in _TEXTS:
        yield from shown_page(outcome.text.rstrip("\n")).splitlines()
    elif outcome.command == "list":
        offered = any(row.status is Status.OFFERED for row in outcome.skills)
        yield from _offered(outcome.skills, look) if offered else _table(outcome.skills, {}, look)
        yield from _notes(outcome, look)
    else:
        yield from _done(outcome, look, planned)


def _done(outcome: Outcome, look: Look, planned: bool) -> Iterator[str]:
    counts = Counter(row.status for row in outcome.skills)
    rows = [row for row in outcome.skills if row.status is not Status.CURRENT or counts[row.status] <= _MANY]
    if outcome.capabilities:
        from skillbag.report.capabilities.text import change_lines

        yield from change_lines(outcome.capabilities, look)
    yield from _table(rows, _PLANNED if planned or outcome.dry_run else {}, look)
    for backup in outcome.backups:
        yield from folded(f"A copy is kept in {shown(backup)}.", look)
    yield from _notes(outcome, look)
    if outcome.skills and (outcome.changed or not (outcome.problems and outcome.is_planned)):
        yield from folded(_summary(outcome, counts, planned), look)
    for steps in outcome.steps:
        what = f"Extra installation steps of {shown(steps.source)}, for {shown(', '.join(steps.skills))}"
        yield from folded(f"{what}. They were agreed to; carry them out: nothing of them is executed here.", look)
        yield from (f"    | {line}".rstrip() for line in shown_page(steps.text).splitlines())


def _notes(outcome: Outcome, look: Look) -> Iterator[str]:
    for note in outcome.notes:
        yield from folded(shown(note), look)


def _summary(outcome: Outcome, counts: Counter[Status], planned: bool) -> str:
    plan = planned or outcome.dry_run
    totals = ", ".join(
        f"{counts[status]} {f'to {_PLANNED[status]}' if plan and status in _PLANNED else status.value}"
        for status in Status
        if counts[status]
    )
    names = {row.name for row in outcome.skills}
    folders = {path.rpartition("/")[0] for path in outcome.changed if path.rpartition("/")[2] in names} - {SKILL_ROOT}
    totals += "".join(f" in {shown(folder)}/" for folder in sorted(folders))
    # The skills have a line each; the other files are named, since they show up in the user's git as well.
    files = ", ".join(shown(path) for path in outcome.changed if path.rpartition("/")[2] not in names)
    if plan:
        untouched = "" if planned else " Nothing was written."
        return f"Plan: {totals}.{f' To be written: {files}.' if files else ''}{untouched}"
    if outcome.command == "outdated" and counts[Status.OUTDATED]:
        return f"{totals}. skillbag update takes what is newer; with --dry-run it shows what would change."
    if outcome.command not in _WRITERS or outcome.changed:
        word = "Changed" if outcome.command == "remove" else "Written"
        return f"{totals}.{f' {word}: {files}.' if files else ''}"
    nothing = "Nothing to do" if set(counts) <= {Status.CURRENT} else "Nothing was changed"
    return f"{nothing}: {totals}."


class _Line(NamedTuple):
    """A skill as it is shown; the cells are word, name and version, padded."""

    status: Status
    cells: tuple[str, ...]
    source: str
    why: str


def _version(row: SkillRow) -> str:
    """The declared version, and its commit or archive; both commits of an upgrade."""
    requested, now, before = row.version or "", short(row.resolved), short(row.was)
    if before and before != now:
        now = f"{before} -> {now}"
    if requested in (row.resolved, now):
        requested = ""
    return shown(f"{requested} ({now})" if requested and now else requested or now)


def _table(rows: Sequence[SkillRow], words: dict[Status, str], look: Look) -> Iterator[str]:
    """A line for each skill with its source; below a heading with the source where many share it or lines are short."""
    cells = aligned((words.get(row.status, row.status.value), shown(row.name), _version(row)) for row in rows)
    lines = [
        _Line(row.status, padded, shown(row.source or ""), shown(row.why))
        for row, padded in zip(rows, cells, strict=True)
    ]
    groups: dict[str, list[_Line]] = {}
    for line in lines:
        groups.setdefault(line.source, []).append(line)
    fits = not look.width or all(width("  ".join((*line.cells, line.source))) <= look.width for line in lines)
    if fits and all(len(group) < _OF_ONE for source, group in groups.items() if source):
        for line in lines:
            yield from _row(line, look, source=line.source)
        return
    for source in sorted(groups, key=lambda source: (not source, source)):
        yield from _section(source, groups[source], look)


def _section(source: str, lines: Sequence[_Line], look: Look) -> Iterator[str]:
    versions = {line.cells[2].rstrip() for line in lines}
    version = versions.pop() if len(versions) == 1 else ""
    unnamed = "your own" if all(line.status is Status.OWN for line in lines) else "without a known source"
    heading = paint(source or unnamed, "path", look.color)
    yield f"{heading}  {paint(version, 'faint', look.color)}" if version else heading
    for line in lines:
        yield from _row(line._replace(cells=line.cells[:2]) if version else line, look, indent="  ")


def _row(line: _Line, look: Look, *, source: str = "", indent: str = "") -> Iterator[str]:
    word, *others = line.cells
    painted = paint(word, _STYLES.get(line.status, "warning"), look.color)
    yield indent + "  ".join(filter(None, (painted, *others, source))).rstrip()
    if line.why:
        yield from folded(line.why, look, indent + " " * (width(word) + 2))


def _offered(rows: Sequence[SkillRow], look: Look) -> Iterator[str]:
    described = [(shown(row.name), " ".join(shown(row.description).split())) for row in rows]
    if not look.width:
        yield from table(described)
    for name, about in described if look.width else ():
        yield paint(name, "path", look.color)
        lines = list(folded(about, look, "    "))
        if len(lines) > _DESCRIBED:
            # Joined, they are too wide, so that the line ends in `…`.
            *lines, last, more = lines[: _DESCRIBED + 1]
            lines.append(head_or_more(f"{last} {more.strip()}", room_of(look)))
        yield from lines
    at = "  ".join(filter(None, (shown(rows[0].source or ""), _version(rows[0]))))
    yield from ("", f"{len(rows)} skill{'' if len(rows) == 1 else 's'} in {at}")


def _patch(text: str, color: bool) -> Iterator[str]:
    """A patch for `git apply`: line ends are kept; only control characters are escaped."""
    for line in masked(text).removesuffix("\n").split("\n") if text else ():
        body = line.removesuffix("\r")
        style = "path" if body.startswith(("---", "+++", "diff ")) else _PATCH.get(body[:1])
        seen = visible(body)
        yield (paint(seen, style, color) if style else seen) + line[len(body) :]


_PATCH = {"+": "fix", "-": "error", "@": "note"}


def render_remark(outcome: Outcome) -> str:
    """A remark on a patch, or on what an error means for the workspace."""
    if any(problem.kind is ProblemKind.NOTHING_PICKED for problem in outcome.problems):
        return ""
    if outcome.problems and outcome.command in _WRITERS:
        left = "what failed {} left out; the rest {} done"
        rest = left.format("is", "can be") if outcome.dry_run else left.format("was", "is")
        if outcome.is_planned and not outcome.changed:
            return "nothing was written: the workspace is as it was" + (outcome.text and f"; {shown(outcome.text)}")
        return rest
    if outcome.command != "diff" or outcome.problems:
        return ""
    if not outcome.text:
        return "there is no difference; --upstream compares with the newest version"
    exact = "\n".join(_patch(outcome.text, False)) == outcome.text.removesuffix("\n")
    return "" if exact else "this patch does not apply as it stands: control characters or secrets in it are masked"


_TITLES = {
    ProblemKind.INVALID_SOURCE: "error: invalid source",
    ProblemKind.NO_SKILL: "error",
    ProblemKind.FETCH: "error: not fetched",
    ProblemKind.ENVIRONMENT: "error",
    ProblemKind.USAGE: "error",
    ProblemKind.QUESTION: "question",
    ProblemKind.NOTHING_PICKED: "note",
}


def render_problems(outcome: Outcome, look: Look = PLAIN) -> str:
    """The problems, for people, one source after the other."""
    groups = groupby(outcome.problems, attrgetter("kind", "source"))
    return _joined([line for _, group in groups for line in _group(list(group), look)])


def render_question(problem: Problem, look: Look = PLAIN) -> str:
    """The text to read before a question is answered, without the question itself."""
    return _joined(_group([problem._replace(fix="")], look))


def _group(problems: Sequence[Problem], look: Look) -> Iterator[str]:
    """Problems of one kind and source; without a source each has a title of its own."""
    first = problems[0]
    word = _TITLES.get(first.kind, f"error: {first.kind.value}")
    # What --accept takes is no fault of the form: the source is a valid one.
    if first.rule and all(f"--accept {problem.rule} " in problem.fix for problem in problems):
        word = "error: signs of malware"
    title = paint(f"{word}:", {"question": "warning", "note": "note"}.get(word, "error"), look.color)
    if not first.source:
        for problem in problems:
            sentence, *more = folded(f"{word}: {shown(problem.message)}", look, "", "    ")
            yield from [title + sentence.removeprefix(f"{word}:"), *more]
            yield from _details(problem, look, "    ")
        return
    yield f"{title} {shown(first.source)}"
    for problem in problems[:_MANY]:
        yield from folded(shown(problem.message), look, "    ")
        yield from _details(problem, look, "      ")
    if len(problems) > _MANY:
        yield f"    and {len(problems) - _MANY} more; --json has them all"


def _details(problem: Problem, look: Look, indent: str) -> Iterator[str]:
    place = ":".join(map(str, filter(None, (problem.path, problem.line, problem.column))))
    facts = " ".join(filter(None, (problem.rule, f"[{problem.clause}]" if problem.clause else "")))
    if place or facts:
        aside = paint(shown(facts), "faint", look.color) if facts else ""
        yield indent + "  ".join(filter(None, (shown(place), aside)))
    for chain in problem.chains:
        first, *rest = map(shown, chain)
        yield from wrapped([first, *(f"-> {link}" for link in rest)], look, indent, f"{indent}    ")
    if problem.fix:
        label, *more = folded(f"fix: {shown(problem.fix)}", look, indent)
        yield from [label.replace("fix:", paint("fix:", "fix", look.color), 1), *more]
    if problem.text:
        yield from (f"{indent}| {line}".rstrip() for line in shown_page(problem.text).splitlines())
