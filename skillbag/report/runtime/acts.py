"""What the runtime did, would do, or must ask first: as records and as text (skill runtime, sections 4 to 8)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import ABSENT, Absent, fits
from skillbag.kernel.manifest.names import Permission
from skillbag.report.answers.types import Count, Program, Text
from skillbag.report.encoding import to_json
from skillbag.report.lifecycle_parts import question_lines
from skillbag.report.sanitize import shown_page
from skillbag.report.views import Columns, lines_view, table_view
from skillbag.runtime.activation.request import ActiveTool, ToolRequest
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.questions import CLAUSE, WHO_ANSWERS
from skillbag.runtime.hooks.hook_dispatch import HookState
from skillbag.runtime.printable import input_text
from skillbag.runtime.scanning.documentation.pages import WrittenPages
from skillbag.runtime.scanning.sources import SkillFailure
from skillbag.runtime.sessions.preview import PlannedSkill
from skillbag.runtime.skill import Json, SkillSource
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.supply.sources.address import without_credentials

CONFIRM_CLAUSE = "runtime.confirm"
"""Why a call is asked about."""

WorkflowTarget = Annotated[str, fits(pattern="^[^/]+/"), "`SKILL/WORKFLOW`."]


class RuntimeQuestionJson(NamedTuple):
    """A question that must be answered first."""

    kind: Annotated[
        QuestionKind,
        fits(enum=("permission", "confirm")),
        "`permission`: a skill needs permissions. `confirm`: a tool asks before each call.",
    ]
    about: Annotated[Text, "The skill or the tool."]
    question: Text
    candidates: tuple[ApprovalScope, ...]
    answer: Annotated[Text, "How to answer on the command line."]
    clause: Annotated[str, fits(enum=(CLAUSE, CONFIRM_CLAUSE))]
    file: None = None
    line: None = None

    @classmethod
    def of(cls, question: Question) -> RuntimeQuestionJson:
        """One question."""
        scopes = tuple(ApprovalScope(str(each.value)) for each in question.candidates)
        return cls(question.kind, question.about, question.text, scopes, question.answer, question.clause)


class QuestionsJson(NamedTuple):
    """The user must be asked first."""

    questions: Annotated[tuple[RuntimeQuestionJson, ...], fits(minItems=1)]


class ToolNameJson(NamedTuple):
    """A tool that is offered, and the skill that has it."""

    skill: Text
    name: Text


class ActivationJson(NamedTuple):
    """What an activation brought about."""

    skill: Text
    activated: Annotated[tuple[Text, ...], "Those that were not active before, in this order."]
    tools: Annotated[tuple[ToolNameJson, ...], "Their tools."]
    kept: Annotated[bool, "Whether they stay active, since there is a session."]

    @classmethod
    def of(cls, name: str, activated: tuple[str, ...], tools: Iterable[ActiveTool], kept: bool) -> ActivationJson:
        """Of the skill of this name; `tools` are all that are offered now."""
        own = (ToolNameJson(each.skill, each.spec.name) for each in tools if each.skill in activated)
        return cls(name, activated, tuple(own), kept)


class DeactivationJson(NamedTuple):
    """What a deactivation brought about."""

    skill: Text
    deactivated: Annotated[tuple[Text, ...], "In this order."]


class CalledJson(NamedTuple):
    """The result of a tool."""

    tool: Text
    skill: Text
    content: Annotated[str, "A text, or JSON where the tool gave another value."]
    is_error: Annotated[bool, "Whether `content` says what went wrong (exit code 1)."]


class WorkflowJson(NamedTuple):
    """The result of a workflow, any JSON value."""

    workflow: WorkflowTarget
    value: Json


class FailedWorkflowJson(NamedTuple):
    """A workflow that failed."""

    workflow: WorkflowTarget
    error: Text


class TransformedJson(NamedTuple):
    """An answer as skills change it. With the exit code 1 a skill could not be activated."""

    response: str
    changed: bool


class PlannedJson(NamedTuple):
    """A skill that would be activated."""

    skill: Text
    permissions: tuple[Permission, ...]
    missing: Annotated[tuple[Permission, ...], "Those that the user would be asked for."]
    refusal: Annotated[str, "Why it would be refused; empty if it would not."]
    program: Program

    @classmethod
    def of(cls, step: PlannedSkill) -> PlannedJson:
        """One step; no credentials are in it."""
        words = (without_credentials(word) if "://" in word else word for word in step.program)
        return cls(step.found.name, step.permissions, step.missing, step.refusal, tuple(words))


class PlanJson(NamedTuple):
    """What `--dry-run` says would be done; nothing is. With the exit code 1 it would be refused."""

    dry_run: Annotated[bool, fits(const=True)]
    steps: Annotated[tuple[PlannedJson, ...], "The skills that would be activated, in this order."]
    files: Annotated[tuple[Text, ...] | Absent, "The pages that `wiki` would write."] = ABSENT

    @property
    def is_refused(self) -> bool:
        """Whether a step would be."""
        return any(step.refusal for step in self.steps)


class HookJson(NamedTuple):
    """A hook of an active skill."""

    phase: Annotated[str, fits(pattern="^On[A-Za-z]+$")]
    skill: Text
    source: SkillSource
    priority: Annotated[int, "Lower ones run first."]
    number: Annotated[Count, "Its place among the handlers that the skill has for the phase, from 0."]
    failures: Annotated[Count, "In a row."]
    suspended: bool

    @classmethod
    def of(cls, state: HookState) -> HookJson:
        """A registered hook as it is now."""
        hook = state.hook
        return cls(hook.phase, hook.skill, hook.source, hook.priority, hook.number, state.failures, state.suspended)


class HooksJson(NamedTuple):
    """The hooks of active skills, by phase and in the order in which they run."""

    hooks: tuple[HookJson, ...]


class WikiJson(NamedTuple):
    """The pages that skills generate. With the exit code 1 one could not be made."""

    folder: Annotated[Text, "Absolute; the pages are relative to it."]
    written: tuple[Text, ...]
    unchanged: tuple[Text, ...]
    kept: Annotated[tuple[Text, ...], "Left alone, since a user has written or edited them."]
    errors: tuple[SkillFailure, ...]


class EventAnswerJson(NamedTuple):
    """The answer to an event, in one line."""

    answer: Annotated[object, fits(type="object"), "In the form of the agent."]


class DirsJson(NamedTuple):
    """The folders of the user's settings that are searched for skills."""

    dirs: Annotated[tuple[str, ...], "Absolute, in the order in which they are searched."]


_HOOKS: Columns[HookJson] = {
    "PHASE": lambda hook: hook.phase,
    "PRIORITY": lambda hook: str(hook.priority),
    "SKILL": lambda hook: hook.skill,
    "STATE": lambda hook: "suspended" if hook.suspended else f"{hook.failures} failures" if hook.failures else "ready",
}


def questions_text(questions: Sequence[Question]) -> str:
    """The questions that must be answered first."""
    return "".join(f"{line}\n" for line in question_lines(questions))


def confirm_question(request: ToolRequest) -> Question:
    """Whether a tool that asks before each call may be called."""
    text = f'The tool "{request.tool}" of skill "{request.skill}" asks before each call. Shall it be called with '
    return Question(
        QuestionKind.CONFIRM, request.tool, f"{text}{input_text(request.value)}?", WHO_ANSWERS, CONFIRM_CLAUSE
    )


def activation_text(done: ActivationJson) -> str:
    """What was activated, and the tools that are offered by it."""
    lines = [
        f"Activated: {', '.join(done.activated)}" if done.activated else f'Skill "{done.skill}" is active already.'
    ]
    lines += [f"Tools: {', '.join(each.name for each in done.tools)}"] if done.tools else []
    lines += [] if done.kept else ["It ended with this command: an activation lasts with --session ID."]
    return lines_view(lines)


def deactivation_text(done: DeactivationJson) -> str:
    """Which skills were deactivated."""
    names = ", ".join(done.deactivated)
    return lines_view([f"Deactivated: {names}" if names else f'Skill "{done.skill}" is not active.'])


def plan_text(plan: PlanJson, then: Iterable[str]) -> str:
    """What would be done; `then` are the lines of what would follow, unless it would be refused."""
    steps = [line for step in plan.steps for line in _step(step)]
    return lines_view([*steps, *([] if plan.is_refused else then)])


def _step(step: PlannedJson) -> Iterator[str]:
    if step.refusal:
        yield f"{step.skill} would be refused: {step.refusal}"
        return
    yield f"{step.skill} would be activated"
    if step.permissions:
        yield f"  permissions: {', '.join(step.permissions)}"
    if step.missing:
        yield f"  asked for first: {', '.join(step.missing)}"
    if step.program:
        yield f"  program: {shlex.join(step.program)}"


def value_text(value: Json) -> str:
    """A result for people: a text as it is, another value as JSON."""
    page = value if isinstance(value, str) else json.dumps(to_json(value), indent=2, ensure_ascii=False)
    return f"{shown_page(page)}\n" if page else ""


def hooks_text(found: HooksJson, active: Sequence[str]) -> str:
    """A table of the hooks."""
    if not found.hooks:
        return "No hooks: no skill is active.\n" if not active else "The active skills have no hooks.\n"
    return lines_view(table_view(_HOOKS, found.hooks))


def wiki_text(pages: WrittenPages | WikiJson) -> str:
    """The pages that were written or left alone, a line each."""
    lines = [f"written    {path}" for path in pages.written]
    lines += [f"unchanged  {path}" for path in pages.unchanged]
    lines += [f"kept       {path}  (it was edited, or is not generated)" for path in pages.kept]
    return lines_view(lines) or "No active skill makes documentation.\n"
