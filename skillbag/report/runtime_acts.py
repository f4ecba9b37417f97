"""What the runtime did, would do, or must ask first: as text and as JSON (skill runtime, sections 4 to 8)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from skillbag.report.answers.inputs import questions_json
from skillbag.report.columns import table
from skillbag.report.encoding import json_object, to_json
from skillbag.report.lifecycle_parts import question_lines
from skillbag.report.sanitize import shown, shown_page
from skillbag.runtime.activation.outcomes import ActiveTool
from skillbag.runtime.activation.request import ToolRequest
from skillbag.runtime.broker.questions import WHO_ANSWERS
from skillbag.runtime.hooks.hook_dispatch import HookState
from skillbag.runtime.printable import input_text
from skillbag.runtime.sessions.preview import PlannedSkill
from skillbag.runtime.skill import Json
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.supply.sources.address import without_credentials

CONFIRM_CLAUSE = "runtime.confirm"
"""Why a call is asked about."""


def questions_values(questions: Iterable[Question]) -> dict[str, Any]:
    """The questions that must be answered first, as JSON."""
    return json_object(questions=questions_json(questions))


def questions_text(questions: Sequence[Question]) -> str:
    """The same as text."""
    return "".join(f"{line}\n" for line in question_lines(questions))


def confirm_question(request: ToolRequest) -> Question:
    """Whether a tool that asks before each call may be called."""
    text = f'The tool "{request.tool}" of skill "{request.skill}" asks before each call. Shall it be called with '
    return Question(
        QuestionKind.CONFIRM, request.tool, f"{text}{input_text(request.value)}?", WHO_ANSWERS, CONFIRM_CLAUSE
    )


def activation_values(name: str, activated: Iterable[str], tools: Iterable[ActiveTool], kept: bool) -> dict[str, Any]:
    """An activation as JSON; `kept`: it lasts until the session ends."""
    return json_object(
        skill=name,
        activated=activated,
        tools=[{"skill": each.skill, "name": each.spec.name} for each in tools],
        kept=kept,
    )


def activation_text(name: str, activated: Sequence[str], tools: Iterable[ActiveTool], kept: bool) -> str:
    """The same as text."""
    lines = [f"Activated: {', '.join(activated)}" if activated else f'Skill "{name}" is active already.']
    offered = [each.spec.name for each in tools if each.skill in activated]
    lines += [f"Tools: {', '.join(offered)}"] if offered else []
    lines += [] if kept else ["It ended with this command: an activation lasts with --session ID."]
    return "".join(f"{shown(line)}\n" for line in lines)


def deactivation_text(name: str, deactivated: Sequence[str]) -> str:
    """Which skills were deactivated."""
    text = f"Deactivated: {', '.join(deactivated)}" if deactivated else f'Skill "{name}" is not active.'
    return f"{shown(text)}\n"


def plan_values(steps: Iterable[PlannedSkill]) -> dict[str, Any]:
    """What would be done, as JSON."""
    return {
        "dry_run": True,
        "steps": [
            json_object(
                skill=step.found.name,
                permissions=step.permissions,
                missing=step.missing,
                refusal=step.refusal,
                program=[_word(word) for word in step.program],
            )
            for step in steps
        ],
    }


def plan_text(steps: Sequence[PlannedSkill], then: str) -> str:
    """The same as text; `then` is what would follow."""
    lines = [line for step in steps for line in _step(step)]
    if any(step.refusal for step in steps):
        then = ""
    return "".join(f"{shown(line)}\n" for line in [*lines, *filter(None, [then])])


def _step(step: PlannedSkill) -> Iterator[str]:
    if step.refusal:
        yield f"{step.found.name} would be refused: {step.refusal}"
        return
    yield f"{step.found.name} would be activated"
    if step.permissions:
        yield f"  permissions: {', '.join(step.permissions)}"
    if step.missing:
        yield f"  asked for first: {', '.join(step.missing)}"
    if step.program:
        yield f"  program: {shlex.join(map(_word, step.program))}"


def _word(word: str) -> str:
    return without_credentials(word) if "://" in word else word


def value_text(value: Json) -> str:
    """A result for people: a text as it is, another value as JSON."""
    page = value if isinstance(value, str) else json.dumps(to_json(value), indent=2, ensure_ascii=False)
    return f"{shown_page(page)}\n" if page else ""


def hooks_values(hooks: Iterable[HookState]) -> dict[str, Any]:
    """The hooks of active skills as JSON, by phase and in the order in which they run."""
    return json_object(
        hooks=[
            {
                "phase": each.hook.phase,
                "skill": each.hook.skill,
                "source": each.hook.source,
                "priority": each.hook.priority,
                "number": each.hook.number,
                "failures": each.failures,
                "suspended": each.suspended,
            }
            for each in hooks
        ]
    )


def hooks_text(hooks: Sequence[HookState], active: Sequence[str]) -> str:
    """A table of them."""
    if not hooks:
        return "No hooks: no skill is active.\n" if not active else "The active skills have no hooks.\n"
    rows = [(each.hook.phase, str(each.hook.priority), each.hook.skill, _state(each)) for each in hooks]
    lines = table([("PHASE", "PRIORITY", "SKILL", "STATE"), *rows])
    return "".join(f"{shown(line)}\n" for line in lines)


def _state(hook: HookState) -> str:
    return "suspended" if hook.suspended else f"{hook.failures} failures" if hook.failures else "ready"
