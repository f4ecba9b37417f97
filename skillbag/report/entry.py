"""The report of a workspace entry: text for an agent's context window, which pays for each word, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.lifecycle.effective_settings import EffectiveSetting, Statement
from skillbag.lifecycle.entry import EntryReport, EntryStatus
from skillbag.lifecycle.free_text import Prose
from skillbag.lifecycle.persistence.redaction import redacted
from skillbag.lifecycle.questions import INITIALISE
from skillbag.lifecycle.skills import Listed, execution_id
from skillbag.lifecycle.value import Value
from skillbag.report.inputs import note_line, note_values
from skillbag.report.invocation import invocation_text, invocation_values, section
from skillbag.report.lifecycle_values import place_values, plain, question_values
from skillbag.report.order import disabled_lines, order_values
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import exact, shown, shown_page
from skillbag.standard.declarations import Wanted
from skillbag.transaction.agreed_steps import ExtraSteps
from skillbag.workspace.target import BOOTSTRAP_SKILL, CATALOG_PATH, ENTRYPOINT

ENTRYPOINT_PROSE = 2_000
"""Characters of the entrypoint's words that are repeated; it says mostly what the standard says."""

HOOK_PROSE = 4_000
"""Characters of each context file's words that a hook repeats: hosts cut what a hook prints, many at 10,000."""

CATALOG = 24_000
"""Characters of the catalog that are repeated in full; of a larger one each description is shortened alike."""

_LEAST = 40
_NO_CATALOG = "(there is no catalog; skillbag sync writes it, if .skills/ has skills)"

LINES = 100
"""Lines of a section on settings and the like; what is beyond stands in the files, and in the JSON."""


def entry_values(report: EntryReport) -> dict[str, Any]:
    """The report as JSON; of a session that has entered already, the lists are empty."""
    return {
        "session": report.session,
        "root": exact(report.root),
        "status": report.status.value,
        "ready": report.ready,
        "read": [exact(path) for path in report.read],
        "settings": [_stated_values(one) for one in report.stated],
        "prose": {one.path: _whole(one, exact(one.words)) for one in report.prose},
        "cut": [{"file": one.path, "line": 1} for one in report.prose if _is_left_out(one)],
        "catalog": [_listed_values(report, one) for one in report.catalog],
        **order_values(report.order),
        "always": [invocation_values(one) for one in report.always],
        "missing": [_wanted_values(one) for one in report.missing],
        "steps": [
            {"source": exact(one.source), "skills": [exact(name) for name in one.skills], "text": exact(one.text)}
            for one in report.steps
        ],
        "install": INITIALISE if report.missing else None,
        "questions": [question_values(one) for one in report.questions],
        "notes": [note_values(one) for one in report.remarks],
    }


def entry_text(report: EntryReport, voice: Phrasing = COMMANDS, most_prose: int | None = None) -> str:
    """The report for an agent: what is missing first, the skills to run and how to go on last.

    Of each context file's words `most_prose` characters are repeated where that is given, to the end of a line.
    """
    if report.status is EntryStatus.ALREADY:
        return f"{shown(voice.entered_already(report.session))}\n"
    further = section("How to go on", [shown_page(voice.how_to_go_on(report.session))])
    parts = [_head(report, voice), *_sections(report, voice, most_prose), further]
    return "\n\n".join(filter(None, parts)) + "\n"


def _head(report: EntryReport, voice: Phrasing) -> str:
    once_more = ", once more" if report.status is EntryStatus.AGAIN else ""
    return "\n".join(
        [
            shown(f"Entry into the workspace {report.root}{once_more}"),
            shown(voice.session(report.session)),
            shown(f"Read: {', '.join(report.read) or 'nothing'}"),
        ]
    )


def _sections(report: EntryReport, voice: Phrasing, most_prose: int | None) -> Iterator[str]:
    rest = voice.all_of_it
    yield _list(f"Missing skills: {voice.install}", _missing(report), rest)
    for steps in report.steps:
        yield _extra_steps(steps)
    yield _list("Settings", (shown(_stated(one)) for one in report.stated if one.is_effective), rest)
    yield _list("Disabled", disabled_lines(report.order.disabled), rest)
    yield _list("Without effect", map(note_line, report.remarks), rest, bullet="")
    for said in report.prose:
        words = shown_page(said.words)
        cut = most_prose is not None and len(words) > most_prose and not _is_left_out(said)
        yield f"## From {said.path}\n\n{_cut(said, words, most_prose or 0) if cut else _whole(said, words)}"
    catalog = _catalog(report.catalog) if CATALOG_PATH in report.read else (_NO_CATALOG,)
    yield section("Skills", catalog)
    turns = [f"- {turn.name}{_how(report, turn.name, voice)}" for turn in report.order.turns]
    waits = report.missing or any(one.questions for one in report.always)
    yield section("Run in this order, once what is asked is answered" if waits else "Run now, in this order", turns)
    for one in report.always:
        # Their turns are in the order above.
        yield invocation_text(one._replace(companions=()), report.session, voice)


def _list(title: str, lines: Iterable[str], rest: str, bullet: str = "- ") -> str:
    """As `section`, of at most `LINES`; `rest` says where all of them are."""
    several = [bullet + line for line in lines]
    if len(several) > LINES:
        several[LINES:] = [f"… and {len(several) - LINES} more: {rest}"]
    return section(title, several)


def _extra_steps(steps: ExtraSteps) -> str:
    title = shown(f"Extra installation steps of {steps.source}, for {', '.join(steps.skills)}")
    told = "The user agreed to them. Carry out what was not done yet; skillbag executes nothing of them."
    quoted = (f"> {line}".rstrip() for line in shown_page(steps.text).splitlines())
    return section(title, [told, "", *quoted])


def _missing(report: EntryReport) -> Iterator[str]:
    for one in report.missing:
        version = f" {one.version}" if one.version else ""
        yield shown(f"{one.name}{version}{f' from {_address(one.source)}' if one.source else ''} ({one.place})")


def _stated(one: EffectiveSetting) -> str:
    place = f" ({one.place})" if one.place else ""
    value = _value(one)
    written = value.written if value else ""
    match one.kind:
        case Statement.PARAMETER:
            said = f"{one.skill}.{one.name} = {written}"
        case Statement.PROHIBITED_VALUE:
            said = f"prohibited: {one.skill}.{one.name} = {written}"
        case Statement.PROHIBITED_SKILL:
            said = f"prohibited: the skill {one.skill}"
        case Statement.TAG:
            said = f"tags of {one.skill}: {written} {one.name}"
        case Statement.WINNER:
            items = one.value.items if one.value else ()
            said = f"{one.skill} wins over {', '.join(item.written for item in items if item.written != one.skill)}"
        case Statement.OVERRIDE:
            said = f"override: {one.skill}.{one.name} = {written}"
    return said + place


def _catalog(catalog: tuple[Listed, ...]) -> Iterator[str]:
    """A line for each skill; the descriptions of very many are shortened alike."""
    lines = [shown(f"{one.name}: {one.description}") for one in catalog]
    if sum(map(len, lines)) <= CATALOG:
        yield from lines
        return
    longest = max(_LEAST, CATALOG // len(lines))
    for one, line in zip(catalog, lines, strict=True):
        yield line if len(line) <= len(one.name) + longest else line[: len(one.name) + longest].rstrip() + " …"
    yield "(descriptions are shortened here; .skills/SKILLS.md has them whole)"


def _how(report: EntryReport, name: str, voice: Phrasing) -> str:
    below = next((one for one in report.always if one.skill == name), None)
    if below is None:
        waits = "ask first about the missing skills, then: " if report.missing and name != BOOTSTRAP_SKILL else ""
        return shown(f": {waits}{voice.run(name, report.session)}")
    return ": ask first, as said below" if below.questions else ": as said below"


def _is_left_out(one: Prose) -> bool:
    return one.path == ENTRYPOINT and len(one.words) > ENTRYPOINT_PROSE


def _whole(one: Prose, words: str) -> str:
    return f"({len(words):,} characters: read {one.path} itself, unless you know it)" if _is_left_out(one) else words


def _cut(one: Prose, words: str, most: int) -> str:
    """The lines that fit, and from which line of the file to read on."""
    kept: list[str] = []
    for line in words.split("\n"):
        most -= len(line) + 1
        if most < 0:
            break
        kept.append(line)
    rest = one.lines[min(len(kept), len(one.lines) - 1)]
    told = f"Read {one.path} from line {rest} on before you do anything else: what stands last may be a prohibition."
    return "\n".join([*kept, f"… {len(words):,} characters in all. {told}"])


def _value(one: EffectiveSetting) -> Value | None:
    is_of_parameter = one.kind in (Statement.PARAMETER, Statement.PROHIBITED_VALUE)
    return redacted(one.name, one.value, one.level) if one.value and is_of_parameter else one.value


def _stated_values(one: EffectiveSetting) -> dict[str, Any]:
    value = _value(one)
    return {
        "kind": one.kind.value,
        "skill": exact(one.skill),
        "name": exact(one.name),
        "value": plain(value.value) if value else None,
        "level": one.level.label,
        **place_values(one.place),
        "effective": one.is_effective,
    }


def _listed_values(report: EntryReport, one: Listed) -> dict[str, Any]:
    return {
        "name": one.name,
        "run": execution_id(one.name),
        "description": exact(one.description),
        "tags": [exact(tag.text) for tag in report.tagging.tags.get(one.name, ())],
    }


def _wanted_values(one: Wanted) -> dict[str, Any]:
    source, version = _text(_address(one.source)), _text(one.version)
    return {"name": one.name, "source": source, "version": version, **place_values(one.place)}


def _address(declared: str | None) -> str | None:
    if declared is None:
        return None
    from skillbag.sources.address import without_credentials

    return without_credentials(declared)


def _text(value: str | None) -> str | None:
    return None if value is None else exact(value)
