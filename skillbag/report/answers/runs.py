"""The answer of `run`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.report.answers.inputs import NoteJson, ParameterJson, QuestionJson, questions_json
from skillbag.report.answers.refresh import SessionPartJson
from skillbag.report.answers.types import ASK_FIRST_MEANS, Count, ExecutionId, SkillName, Text, Typed
from skillbag.report.phrasing import COMMANDS
from skillbag.session.entry.invocation import Invocation
from skillbag.session.refresh.refresh import Refresh
from skillbag.session.skills.skills import execution_id


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
    files: Annotated[
        tuple[Text, ...], "At most 50 supporting files, relative to the skill, with `/`; with `--source` absolute."
    ]
    file_count: Annotated[Count, "The number of supporting files."]
    allowed_tools: Annotated[str, "`allowed-tools` of the skill; empty if it has none."]
    companions: Annotated[tuple[CompanionJson, ...], "The skills to run before it, in this order."]
    remember: Annotated[tuple[WorthJson, ...], "Values of the conversation that are worth remembering."]
    notes: Annotated[tuple[NoteJson, ...], "Entries of the context files without effect."]
    ask_first: Annotated[str, ASK_FIRST_MEANS]

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
            run.ask_first,
        )


def run_json(run: Invocation, session: str | None, pending: Refresh | None) -> tuple[InvocationJson, SessionPartJson]:
    """A run in a session, if there is one."""
    return InvocationJson.of(run), SessionPartJson.of(session, pending)
