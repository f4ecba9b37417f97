"""What the commands of the lifecycle print with `--json`, and the tools for agents return (`lifecycle.schema.json`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.standard.declarations import Place
from skillbag.kernel.workspace.target import USER_CONTEXT
from skillbag.report.answers.types import (
    Count,
    ExecutionId,
    File,
    LevelName,
    Line,
    Owner,
    SkillName,
    Text,
    Typed,
)
from skillbag.report.entry import address, is_left_out, setting_value, whole
from skillbag.report.memory_report import earlier
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.session.entry.entry import EntryReport, EntryStatus
from skillbag.session.entry.invocation import Invocation
from skillbag.session.inputs.inputs import Input, ResolvedInputs
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.session.inputs.value_sources import Candidate
from skillbag.session.order.conflicts import Winner
from skillbag.session.order.missing_skills import INITIALISE
from skillbag.session.order.order import Order, RunReason
from skillbag.session.persistence.redaction import redacted
from skillbag.session.refresh.refresh import FileChangeKind, Refresh
from skillbag.session.remembering.remember import Remembered
from skillbag.session.settings.diagnostics import Remark
from skillbag.session.settings.effective_settings import EffectiveSetting, Statement
from skillbag.session.skills.skills import execution_id


class QuestionJson(NamedTuple):
    """A question to the user; `voice` says how it is answered."""

    kind: Annotated[
        QuestionKind,
        "The reason. `missing`: a required value is missing. `ambiguous`: discovery found several files. `condition`: "
        "another value makes this one required. `invalid`: it has the wrong type, or is not an allowed value. "
        "`confirm`: the run is risky. `dependency`: a declared skill is not installed. `winner`: no rule decides "
        "between skills. `prohibited`: a context file prohibits the skill. `permission`: an active skill needs "
        "permissions.",
    ]
    about: Annotated[Text, "The parameter or skill; contradicting skills are separated by commas."]
    question: Annotated[Text, "One sentence."]
    candidates: Annotated[tuple[Typed, ...], "Possible answers; empty if none is known."]
    answer: Annotated[Text, "How to answer on the command line."]
    clause: Annotated[str, fits(pattern="^[a-z-]+\\.[a-z-]+$"), "The id of the clause that requires the question."]
    file: File
    line: Line

    @classmethod
    def of(cls, question: Question, voice: Phrasing = COMMANDS) -> QuestionJson:
        """One question."""
        values = tuple(candidate.value for candidate in question.candidates)
        answer = voice.answer(question)
        return cls(question.kind, question.about, question.text, values, answer, question.clause, *at(question.place))


class NoteJson(NamedTuple):
    """An entry of a file that has no effect."""

    file: File
    line: Line
    text: Text

    @classmethod
    def of(cls, remark: Remark) -> NoteJson:
        """One note."""
        return cls(*at(remark.place), remark.text)


class HiddenValueJson(NamedTuple):
    """An overridden value."""

    value: Typed
    written: Annotated[str, "The value as written: `1.10` is the number 1.1, but stays `1.10` here."]
    level: LevelName
    file: File
    line: Line
    dropped: Annotated[
        str, "Why it is excluded (`prohibited by USER_CONTEXT.md:4`); empty if a higher level overrides it."
    ]


class ParameterJson(NamedTuple):
    """A parameter of a skill."""

    name: Text
    required: Annotated[bool, "Whether it is declared as required, or made required by another value."]
    value: Annotated[Typed | None, "The effective value, typed; null without one, like the next four."]
    written: Annotated[str | None, "The value as written."]
    level: Annotated[LevelName | None, "The level that it comes from."]
    file: File
    line: Line
    hidden: Annotated[tuple[HiddenValueJson, ...], "The overridden values, highest level first."]

    @classmethod
    def of(cls, parameter: Input) -> ParameterJson:
        """One parameter; no secret is in it."""
        given = _given(parameter, parameter.effective) if parameter.effective else _NOTHING
        hidden = tuple(HiddenValueJson(*_given(parameter, each), each.dropped) for each in parameter.hidden)
        return cls(parameter.name, parameter.required, *given, hidden)


class ResolveJson(NamedTuple):
    """The inputs of a skill."""

    skill: SkillName
    ready: Annotated[bool, "Whether there are no questions."]
    parameters: Annotated[tuple[ParameterJson, ...], "In the order of their declaration."]
    questions: tuple[QuestionJson, ...]
    notes: Annotated[tuple[NoteJson, ...], "Entries of the context files without effect."]

    @classmethod
    def of(cls, resolution: ResolvedInputs, voice: Phrasing = COMMANDS) -> ResolveJson:
        """The answer of `resolve`."""
        parameters, notes = map(ParameterJson.of, resolution.inputs), map(NoteJson.of, resolution.remarks)
        questions = questions_json(resolution.questions, voice)
        return cls(resolution.skill, resolution.ready, tuple(parameters), questions, tuple(notes))


class ChangedJson(NamedTuple):
    """A changed file."""

    path: Text
    what: FileChangeKind


class RefreshJson(NamedTuple):
    """What changed since the session read it; with `--watch`, one line for each change."""

    session: Annotated[Text, "The session."]
    changed: Annotated[
        tuple[ChangedJson, ...],
        "The files that changed since the session read them, relative to the workspace, with `/`.",
    ]
    read: Annotated[tuple[Text, ...], "The files to read now, again or for the first time."]
    added: Annotated[tuple[SkillName, ...], "Skills that are new in the catalog."]
    removed: Annotated[tuple[SkillName, ...], "Skills that are no longer in the catalog."]
    described: Annotated[tuple[SkillName, ...], "Skills with a changed description."]
    always: Annotated[tuple[SkillName, ...], "Skills that newly have `#run/always`."]
    nothing: Annotated[bool, "Whether nothing changed."]

    @classmethod
    def of(cls, refresh: Refresh) -> RefreshJson:
        """The answer of `refresh`, also where another command says what is pending."""
        changed = tuple(ChangedJson(*each) for each in refresh.changed)
        return cls(refresh.session, changed, *refresh[2:], refresh.is_nothing)


class CompanionJson(NamedTuple):
    """A skill to run after another one."""

    name: SkillName
    run: ExecutionId
    phase: Annotated[str, fits(enum=("companion", "last")), "`last`: it waits until every other skill has run."]


class WorthJson(NamedTuple):
    """A value of the conversation that is worth remembering."""

    name: Text
    value: Typed
    command: Annotated[Text, "The command that remembers it."]


class InvocationJson(NamedTuple):
    """A run of a skill: its instructions, or the questions that must be answered first."""

    skill: SkillName
    run: ExecutionId
    ready: Annotated[bool, "Whether it may run; if not, `instructions` is empty and `questions` is not."]
    instructions: Annotated[str, "The body of `SKILL.md`."]
    parameters: Annotated[tuple[ParameterJson, ...], "In the order of their declaration."]
    questions: tuple[QuestionJson, ...]
    files: Annotated[tuple[Text, ...], "Supporting files, relative to the skill, with `/`; at most 50."]
    file_count: Annotated[Count, "The number of supporting files."]
    allowed_tools: Annotated[str, "`allowed-tools` of the skill; empty if it has none."]
    companions: Annotated[tuple[CompanionJson, ...], "The skills to run after it, in this order."]
    remember: Annotated[tuple[WorthJson, ...], "Values of the conversation that are worth remembering."]
    notes: Annotated[tuple[NoteJson, ...], "Entries of the context files without effect."]

    @classmethod
    def of(cls, run: Invocation) -> InvocationJson:
        """One run; no secret is in it."""
        return cls(
            run.skill,
            run.run_as,
            run.ready,
            run.instructions,
            tuple(map(ParameterJson.of, run.resolution.inputs)),
            questions_json(run.questions),
            run.files,
            run.file_count,
            run.allowed_tools,
            tuple(CompanionJson(step.name, execution_id(step.name), step.phase) for step in run.companions),
            tuple(WorthJson(each.name, each.value.value, COMMANDS.remember(run.skill, each)) for each in run.worth),
            tuple(map(NoteJson.of, run.resolution.remarks)),
        )


class SessionPartJson(NamedTuple):
    """What an answer says of its session."""

    session: Annotated[str | None, "The session's id; null without a session."]
    pending: Annotated[RefreshJson | None, "What the session should read again first; null without a session."]

    @classmethod
    def of(cls, session: str | None, pending: Refresh | None) -> SessionPartJson:
        """Of a session, if there is one."""
        return cls(session, RefreshJson.of(pending) if pending else None)


class TurnJson(NamedTuple):
    """A skill to run."""

    name: SkillName
    phase: Annotated[RunReason, "Why it runs."]
    because: Annotated[Text, "The tag, or what chose it."]
    file: File
    line: Line
    run: ExecutionId


class DisabledJson(NamedTuple):
    """A tag or a skill without effect."""

    skill: SkillName
    tag: Annotated[str, "Empty for the whole skill."]
    why: Text
    file: File
    line: Line


class OrderJson(NamedTuple):
    """The skills to run, and what was disabled."""

    order: Annotated[tuple[TurnJson, ...], "The skills to run, in this order, each once."]
    disabled: Annotated[tuple[DisabledJson, ...], "Tags and skills without effect, and the reason."]

    @classmethod
    def of(cls, order: Order) -> OrderJson:
        """Each turn with its reason."""
        turns = (TurnJson(*turn[:3], *at(turn.place), execution_id(turn.name)) for turn in order.turns)
        return cls(tuple(turns), tuple(DisabledJson(*each[:3], *at(each.place)) for each in order.disabled))


class ProhibitedJson(NamedTuple):
    """The questions of an order."""

    questions: Annotated[
        tuple[QuestionJson, ...],
        "Questions about chosen skills that a context file prohibits; these are not in `order`.",
    ]


class HiddenRuleJson(NamedTuple):
    """An overridden rule about the same skills."""

    winner: Text
    level: LevelName
    file: File
    line: Line


class WinnerJson(NamedTuple):
    """Which of several skills wins."""

    skills: Annotated[tuple[SkillName, ...], "The contradicting skills, as given."]
    winner: Annotated[SkillName | None, "Null if the user must be asked."]
    level: Annotated[
        str | None,
        fits(enum=("conversation", "user-context", "context", "alphabet", None)),
        "The level that decides; `alphabet` if no rule does.",
    ]
    why: Annotated[str, "One sentence."]
    file: File
    line: Line
    hidden: Annotated[tuple[HiddenRuleJson, ...], "Overridden rules about the same skills."]
    questions: tuple[QuestionJson, ...]

    @classmethod
    def of(cls, verdict: Winner) -> WinnerJson:
        """The verdict; where no rule decides, the name does."""
        level = verdict.level.label if verdict.level else "alphabet" if verdict.winner else None
        hidden = (HiddenRuleJson(rule.winner, rule.level.label, *at(rule.place)) for rule in verdict.hidden)
        questions = questions_json([verdict.question] if verdict.question else [])
        return cls(verdict.skills, verdict.winner, level, verdict.why, *at(verdict.place), tuple(hidden), questions)


class RememberedJson(NamedTuple):
    """The value that was written to `USER_CONTEXT.md` or removed from it."""

    skill: Owner
    name: Annotated[Text, "The parameter."]
    value: Annotated[Typed | None, "The remembered value; null if it was removed."]
    before: Annotated[Typed | None, "The earlier value, or null."]
    file: Annotated[str, fits(const=USER_CONTEXT)]
    line: Line
    changed: Annotated[bool, "Whether the file was written."]
    created: Annotated[bool, "Whether the file was created."]
    ignored_by: Annotated[str | None, "The git exclude file to which it was added, if that was needed."]
    tracked: Annotated[bool, "Whether git tracks the file, so that others see it."]
    exposed: Annotated[bool, "Whether `git add .` would add it."]

    @classmethod
    def of(cls, kept: Remembered) -> RememberedJson:
        """What `remember` or `forget` did; no secret is in it."""
        before, (_, line) = earlier(kept), at(kept.place)
        values = (kept.value and kept.value.value, before and before.value)
        return cls(
            kept.skill,
            kept.name,
            *values,
            USER_CONTEXT,
            line,
            kept.changed,
            kept.created,
            kept.ignored_by,
            kept.tracked,
            kept.exposed,
        )


class SettingJson(NamedTuple):
    """A setting of the context files."""

    kind: Statement
    skill: Owner
    name: Annotated[str, "The parameter; the tag; `source` or `version` of an override; else empty."]
    value: Annotated[
        Typed | None,
        "The value; null if it removes an earlier one, or for a prohibited skill. `add` or `remove` for a tag, the "
        "skills for a winner.",
    ]
    level: LevelName
    file: File
    line: Line
    effective: Annotated[bool, "Whether it is effective: no other setting overrides it."]

    @classmethod
    def of(cls, setting: EffectiveSetting) -> SettingJson:
        """One setting; no secret is in it."""
        value = setting_value(setting)
        head = (setting.kind, setting.skill, setting.name, value and value.value, setting.level.label)
        return cls(*head, *at(setting.place), effective=setting.is_effective)


class CutJson(NamedTuple):
    """A shortened file, and the line from which to read on."""

    file: File
    line: Line


class CatalogSkillJson(NamedTuple):
    """A skill in the catalog."""

    name: SkillName
    run: ExecutionId
    description: str
    tags: Annotated[tuple[Text, ...], "The effective tags, with those that the user context adds and removes."]


class MissingJson(NamedTuple):
    """A declared skill that is not installed."""

    name: SkillName
    source: Annotated[str | None, "As declared, without credentials."]
    version: Annotated[str | None, "As declared."]
    file: File
    line: Line


class StepsJson(NamedTuple):
    """Accepted extra installation steps."""

    source: Annotated[str, "The address as declared, without credentials."]
    skills: Annotated[tuple[Text, ...], "The skills that came with them."]
    text: Annotated[str, "The whole `AGENTS.md` of the source."]


class EntryJson(NamedTuple):
    """The report of a workspace entry."""

    session: Annotated[Text, "The session's id, for later commands."]
    root: Annotated[Text, "The workspace's absolute path."]
    status: Annotated[
        EntryStatus,
        "`already`: the session had entered; nothing was read, and the lists are empty. `again`: the report was "
        "repeated.",
    ]
    ready: Annotated[bool, "Whether nothing is missing and there are no questions."]
    read: Annotated[tuple[Text, ...], "The files that were read, in this order, relative to the workspace, with `/`."]
    settings: Annotated[tuple[SettingJson, ...], "The settings of the context files, including overridden ones."]
    prose: Annotated[
        Mapping[str, str],
        "The prose of the files, outside of their blocks, by path; complete except for the files in `cut`.",
    ]
    cut: Annotated[tuple[CutJson, ...], "The shortened files, and the line from which to read on."]
    catalog: Annotated[tuple[CatalogSkillJson, ...], "The skills in the catalog."]


class EntryRestJson(NamedTuple):
    """What follows from it."""

    always: Annotated[
        tuple[InvocationJson, ...], "The `#run/always` skills, each with its instructions or its questions."
    ]
    missing: Annotated[tuple[MissingJson, ...], "Declared skills that are not installed."]
    steps: Annotated[tuple[StepsJson, ...], "Accepted extra installation steps of the installed skills."]
    install: Annotated[
        str | None, fits(enum=("skillbag install", None)), "The command that installs them; null if nothing is missing."
    ]
    questions: Annotated[
        tuple[QuestionJson, ...], "All of them: those about missing skills, then those of the skills in `always`."
    ]
    notes: Annotated[tuple[NoteJson, ...], "Entries of the context files without effect."]
    active_skills: Annotated[
        tuple[Text, ...], "The names of the active skills (`SKILL.yaml`) of the workspace and of the user."
    ]


def entry_json(report: EntryReport, active: Sequence[str] = ()) -> tuple[EntryJson, OrderJson, EntryRestJson]:
    """The report; of a session that has entered already, the lists are empty. `active` are names of active skills."""
    tags = report.tagging.tags
    first = EntryJson(
        report.session,
        report.root,
        report.status,
        report.ready,
        report.read,
        tuple(map(SettingJson.of, report.stated)),
        {prose.path: whole(prose, prose.words) for prose in report.prose},
        tuple(CutJson(prose.path, 1) for prose in report.prose if is_left_out(prose)),
        tuple(
            CatalogSkillJson(
                each.name, execution_id(each.name), each.description, tuple(tag.text for tag in tags.get(each.name, ()))
            )
            for each in report.catalog
        ),
    )
    rest = EntryRestJson(
        tuple(map(InvocationJson.of, report.always)),
        tuple(MissingJson(each.name, address(each.source), each.version, *at(each.place)) for each in report.missing),
        tuple(StepsJson(*each) for each in report.steps),
        INITIALISE if report.missing else None,
        questions_json(report.questions),
        tuple(map(NoteJson.of, report.remarks)),
        tuple(active),
    )
    return first, OrderJson.of(report.order), rest


def at(place: Place | None) -> tuple[str | None, int | None]:
    """`file` and `line`, both null where there is no place."""
    return (place.file, place.line) if place else (None, None)


def questions_json(questions: Iterable[Question], voice: Phrasing = COMMANDS) -> tuple[QuestionJson, ...]:
    """Several questions."""
    return tuple(QuestionJson.of(question, voice) for question in questions)


_NOTHING: tuple[Any, Any, Any, None, None] = (None, None, None, None, None)


def _given(parameter: Input, candidate: Candidate) -> tuple[Any, Any, Any, str | None, int | None]:
    value = redacted(parameter.name, candidate.value, candidate.level)
    return value.value, value.written, candidate.level.label, *at(candidate.place)
