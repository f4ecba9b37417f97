"""The report of a workspace entry: text for the context window of an agent, which pays for each word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG_PATH, ENTRYPOINT
from skillbag.report.catalog import catalog_lines
from skillbag.report.inputs import note_line
from skillbag.report.invocation import ask_first_line, invocation_text, section
from skillbag.report.order import disabled_lines
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.report.sanitize import shown, shown_page
from skillbag.session.entry.entry import EntryReport, EntryStatus
from skillbag.session.entry.free_text import Prose
from skillbag.session.persistence.redaction import redacted
from skillbag.session.settings.effective_settings import EffectiveSetting, Statement
from skillbag.session.settings.value import Value

ENTRYPOINT_PROSE = 2_000
"""Characters of the entrypoint's words that are repeated; it says mostly what the standard says."""

HOOK_PROSE = 4_000
"""Characters of each context file's words that a hook repeats: hosts cut what a hook prints, many at 10,000."""

ACTIVE = 20
"""Active skills that the text names."""

_NO_CATALOG = "(there is no catalog; skillbag self sync writes it, if .skills/ has skills)"

LINES = 100
"""Lines of a section on settings and the like; what is beyond stands in the files, and in the JSON."""


def entry_text(
    report: EntryReport,
    voice: Phrasing = COMMANDS,
    most_prose: int | None = None,
    active: Sequence[str] = (),
    turn: str | None = None,
) -> str:
    """The report for an agent: what is missing first, the skills to run and how to go on last.

    Of each context file's words `most_prose` characters are repeated where that is given, to the end of a line.
    `active` are the names of active skills. `turn` is the text of what runs now, instead of the entry's own.
    """
    if report.status is EntryStatus.ALREADY:
        return f"{shown(voice.entered_already(report.session))}\n"
    once_more = ", once more" if report.status is EntryStatus.AGAIN else ""
    head = (
        f"Entry into the workspace {report.root}{once_more}",
        voice.session(report.session),
        f"Read: {', '.join(report.read) or 'nothing'}",
        *([_active(active)] if active else []),
    )
    runs = _runs(report, voice) if turn is None else [turn]
    further = section("How to go on", [shown_page(voice.how_to_go_on(report.session))])
    parts = ["\n".join(map(shown, head)), *_sections(report, voice, most_prose), *runs, further]
    return "\n\n".join(filter(None, parts)) + "\n"


def _sections(report: EntryReport, voice: Phrasing, most_prose: int | None) -> Iterator[str]:
    rest = voice.all_of_it
    yield _list(f"Missing skills: {voice.install}", _missing(report), rest)
    for steps in report.steps:
        title = shown(f"Extra installation steps of {steps.source}, for {', '.join(steps.skills)}")
        note = "The user agreed to them. Carry out what was not done yet; skillbag executes nothing of them."
        quoted = (f"> {line}".rstrip() for line in shown_page(steps.text).splitlines())
        yield section(title, [note, "", *quoted])
    yield settings_section(report.stated, rest)
    yield _list("Disabled", disabled_lines(report.order.disabled), rest)
    yield _list("Without effect", map(note_line, report.remarks), rest, bullet="")
    for prose in report.prose:
        yield prose_section(prose, most_prose)
    catalog = catalog_lines(report.catalog, report.tagging, voice.find)
    yield section("Skills", catalog if CATALOG_PATH in report.read else (_NO_CATALOG,))


def settings_section(stated: Iterable[EffectiveSetting], rest: str) -> str:
    """The settings of the context files that have an effect."""
    return _list("Settings", (shown(_setting(setting)) for setting in stated if setting.is_effective), rest)


def prose_section(prose: Prose, most: int | None = None) -> str:
    """The words of a file, at most so many characters of them."""
    words = shown_page(prose.words)
    cut = most is not None and len(words) > most and not is_left_out(prose)
    return f"## From {prose.path}\n\n{_cut(prose, words, most or 0) if cut else whole(prose, words)}"


def _runs(report: EntryReport, voice: Phrasing) -> Iterator[str]:
    turns = [f"- {step.name}{_how(report, step.name, voice)}" for step in report.order.turns]
    waits = report.missing or any(invocation.questions for invocation in report.always)
    yield section("Run in this order, once what is asked is answered" if waits else "Run now, in this order", turns)
    yield ask_first_line(report.always)
    for invocation in report.always:
        # Their companions are in the order above.
        yield invocation_text(invocation._replace(companions=(), ask_first=""), report.session, voice)


def _active(names: Sequence[str]) -> str:
    more = f" and {len(names) - ACTIVE} more" if len(names) > ACTIVE else ""
    return f"Active skills: {', '.join(names[:ACTIVE])}{more} (skillbag runtime --help)"


def _list(title: str, lines: Iterable[str], rest: str, bullet: str = "- ") -> str:
    """As `section`, of at most `LINES`; `rest` says where all of them are."""
    several = [bullet + line for line in lines]
    if len(several) > LINES:
        several[LINES:] = [f"… and {len(several) - LINES} more: {rest}"]
    return section(title, several)


def _missing(report: EntryReport) -> Iterator[str]:
    for wanted in report.missing:
        version = f" {wanted.version}" if wanted.version else ""
        source = f" from {address(wanted.source)}" if wanted.source else ""
        yield shown(f"{wanted.name}{version}{source} ({wanted.place})")


def _setting(setting: EffectiveSetting) -> str:
    place = f" ({setting.place})" if setting.place else ""
    value = setting_value(setting)
    written = value.written if value else ""
    assignment = f"{setting.skill}.{setting.name} = {written}"
    match setting.kind:
        case Statement.PARAMETER:
            return assignment + place
        case Statement.PROHIBITED_VALUE:
            return f"prohibited: {assignment}{place}"
        case Statement.PROHIBITED_SKILL:
            return f"prohibited: the skill {setting.skill}{place}"
        case Statement.TAG:
            return f"tags of {setting.skill}: {written} {setting.name}{place}"
        case Statement.WINNER:
            items = setting.value.items if setting.value else ()
            others = ", ".join(item.written for item in items if item.written != setting.skill)
            return f"{setting.skill} wins over {others}{place}"
        case Statement.OVERRIDE:
            return f"override: {assignment}{place}"


def _how(report: EntryReport, name: str, voice: Phrasing) -> str:
    below = next((invocation for invocation in report.always if invocation.skill == name), None)
    if below is None:
        waits = "ask first about the missing skills, then: " if report.missing and name != BOOTSTRAP_SKILL else ""
        return shown(f": {waits}{voice.run(name, report.session)}")
    return ": ask first, as said below" if below.questions else ": as said below"


def is_left_out(prose: Prose) -> bool:
    return prose.path == ENTRYPOINT and len(prose.words) > ENTRYPOINT_PROSE


def whole(prose: Prose, words: str) -> str:
    if not is_left_out(prose):
        return words
    return f"({len(words):,} characters: read {prose.path} itself, unless you know it)"


def _cut(prose: Prose, words: str, most: int) -> str:
    """The lines that fit, and from which line of the file to read on."""
    kept: list[str] = []
    for line in words.split("\n"):
        most -= len(line) + 1
        if most < 0:
            break
        kept.append(line)
    rest = prose.lines[min(len(kept), len(prose.lines) - 1)]
    advice = f"Read {prose.path} from line {rest} on before you do anything else: the last lines may be a prohibition."
    return "\n".join([*kept, f"… {len(words):,} characters in all. {advice}"])


def setting_value(setting: EffectiveSetting) -> Value | None:
    is_of_parameter = setting.kind in (Statement.PARAMETER, Statement.PROHIBITED_VALUE)
    return redacted(setting.name, setting.value, setting.level) if setting.value and is_of_parameter else setting.value


def address(declared: str | None) -> str | None:
    if declared is None:
        return None
    from skillbag.supply.sources.address import without_credentials

    return without_credentials(declared)
