"""The text of every command about installed skills: one line a skill, then what was in the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skillbag.install.outcome import Outcome, SkillRow, Status, Trouble, TroubleKind
from skillbag.report.shown import shown, shown_page

_PLANNED = {
    Status.INSTALLED: "install",
    Status.UPGRADED: "upgrade",
    Status.OVERWRITTEN: "overwrite",
    Status.MERGED: "merge",
    Status.REMOVED: "remove",
}
_QUIET = {Status.CURRENT}
_TEXTS = ("tree", "why", "diff", "cache dir")
"""Commands whose answer is a text of its own."""
_MANY = 20
"""Skills of one unchanged kind above which a changing command counts them instead of naming each."""


def render_text(outcome: Outcome, *, planned: bool = False) -> str:
    """The report for people; with `planned` (or of a dry run) in the words of what would be done."""
    planned = planned or outcome.dry_run
    lines = list(_lines(outcome, planned))
    return "".join(f"{line}\n" for line in lines)


def _lines(outcome: Outcome, planned: bool) -> Iterator[str]:
    if outcome.command in _TEXTS:
        yield from shown_page(outcome.text.rstrip("\n")).splitlines() if outcome.text else ()
        return
    if outcome.command == "list":
        yield from _listed(outcome)
        return
    yield from _rows(outcome, planned)
    for backup in outcome.backups:
        yield f"A copy is kept in {shown(backup)}."
    yield from map(shown, outcome.notes)
    if outcome.skills and not outcome.troubles:
        yield _summary(outcome, planned)


def _rows(outcome: Outcome, planned: bool) -> Iterator[str]:
    counts = Counter(row.status for row in outcome.skills)
    rows = [row for row in outcome.skills if row.status not in _QUIET or counts[row.status] <= _MANY]
    words = {row.name: _PLANNED.get(row.status, row.status.value) if planned else row.status.value for row in rows}
    width = max((len(word) for word in words.values()), default=0)
    names = max((len(row.name) for row in rows), default=0)
    for row in rows:
        yield f"{words[row.name]:<{width}}  {shown(row.name):<{names}}  {shown(_origin(row))}".rstrip()
        if row.why:
            yield f"{'':{width}}  {shown(row.why)}"


def _origin(row: SkillRow) -> str:
    version = _short(row.resolved)
    if row.was and row.was != row.resolved:
        version = f"{_short(row.was)} -> {version}"
    said = f"{row.version or ''} ({version})".strip() if version else row.version or ""
    return "  ".join(filter(None, (said, row.source)))


def _short(resolved: str | None) -> str:
    return (resolved or "").removeprefix("sha256:")[:10]


def _summary(outcome: Outcome, planned: bool) -> str:
    counts = Counter(row.status for row in outcome.skills)
    said = ", ".join(
        f"{count} {_PLANNED.get(status, status.value) if planned else status.value}"
        for status, count in sorted(counts.items())
    )
    if planned:
        return f"Would do: {said}. Nothing was written."
    if outcome.command in ("verify", "outdated"):
        return f"{said[0].upper()}{said[1:]}."
    return f"{said[0].upper()}{said[1:]}." if outcome.changed else f"Nothing to do: {said}."


def _listed(outcome: Outcome) -> Iterator[str]:
    names = max((len(row.name) for row in outcome.skills), default=0)
    for row in outcome.skills:
        about = row.description if row.status is Status.OFFERED else f"{row.status.value:<9} {_origin(row)}"
        yield f"{shown(row.name):<{names}}  {shown(about)}".rstrip()
    if not outcome.skills and not outcome.troubles:
        yield "No skill is here."


_TITLES = {
    TroubleKind.INVALID_SOURCE: "invalid source",
    TroubleKind.FETCH: "not fetched",
    TroubleKind.ENVIRONMENT: "failed",
}


def render_troubles(outcome: Outcome) -> str:
    """What was in the way, for people; addresses stand on lines of their own and are never wrapped."""
    lines = [line for trouble in outcome.troubles for line in _trouble(trouble)]
    if outcome.command in ("install", "add", "update", "remove"):
        lines.append("Nothing was written: the workspace is as it was.")
    return "".join(f"{line}\n" for line in lines)


def _trouble(trouble: Trouble) -> Iterator[str]:
    place = ":".join(map(str, filter(None, (trouble.path, trouble.line, trouble.column))))
    facts = " ".join(filter(None, (trouble.rule, f"[{trouble.clause}]" if trouble.clause else "")))
    yield f"{_TITLES.get(trouble.kind, trouble.kind.value)}: {shown(trouble.message)}"
    if trouble.source:
        yield f"    {shown(trouble.source)}"
    if place or facts:
        yield f"    {'  '.join(filter(None, (shown(place), shown(facts))))}"
    for chain in trouble.chains:
        yield f"    {shown(' -> '.join(chain))}"
    if trouble.fix:
        yield f"    fix: {shown(trouble.fix)}"
    if trouble.text:
        yield from (f"    | {line}" for line in shown_page(trouble.text).splitlines())
