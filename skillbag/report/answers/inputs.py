"""A skill's inputs in the answers of the lifecycle: parameters, questions, notes and places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.standard.declarations import Place
from skillbag.report.answers.types import File, LevelName, Line, SkillName, Text, Typed
from skillbag.report.phrasing import COMMANDS, Phrasing
from skillbag.session.inputs.inputs import Input, ResolvedInputs
from skillbag.session.inputs.levels import Candidate
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.session.persistence.redaction import redacted
from skillbag.session.settings.settings import Remark


class QuestionJson(NamedTuple):
    """A question to the user; `voice` says how it is answered."""

    kind: Annotated[
        QuestionKind,
        "The reason. `missing`: a required value is missing. `ambiguous`: discovery found several files. `condition`: "
        "another value makes this one required. `invalid`: it has the wrong type, or is not an allowed value. "
        "`confirm`: the run is risky. `dependency`: a declared skill is not installed. `winner`: no rule decides "
        "between skills. `prohibited`: a context file prohibits the skill. `permission`: an active skill needs "
        "permissions. `danger`: the skill has errors about security.",
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
