"""The phases of a conversation as a host goes through them: each step fires its hooks and applies what they return
(skill runtime, section 6)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from skillbag.kernel.base.call_input import json_text, json_value
from skillbag.kernel.base.quoting import changed_result
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.errors import HookError
from skillbag.runtime.hooks.guards import LostSkills, can_t_ask
from skillbag.runtime.hooks.hook_dispatch import HookOutcome, shortened
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.skill import TRUSTED, FoundSkill, Json
from skillbag.runtime.triggers.budget import Fragment, description_index

_INDEX = "Skills that can be activated:"
_LONGEST_NAME = 100
_NO_SKILL = "skillbag"
"""Who cancels what could not be judged."""


class PromptBuild(NamedTuple):
    """The system prompt of a turn: `base` is the host's own, unless a hook replaced it, `added` what follows it.
    `fragments` are what the active skills add, `notes` remarks."""

    base: str
    added: str
    fragments: tuple[Fragment, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return _joined(self.base, self.added)


class ToolDecision(NamedTuple):
    """Whether a tool may be called, and with which input, and the skills that changed that. `cancelled_by` is the
    skill that forbids it, `unasked` are guards that could not be asked, which forbid it as well. `failing` are the
    guards that let no call pass until the user does something."""

    value: Json
    cancelled_by: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    changed_by: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()

    @property
    def cancelled(self) -> bool:
        """Whether the tool must not be called."""
        return self.cancelled_by is not None

    @property
    def refusal(self) -> str:
        """The message to an agent instead of a result."""
        if self.unasked:
            return can_t_ask(self.unasked)
        if self.cancelled_by == _NO_SKILL:
            return f"This call is refused: {self.reason}"
        return f'The skill "{self.cancelled_by}" cancelled this call: {self.reason or "it gave no reason"}'


class ToolReport(NamedTuple):
    """The result of a tool after the hooks; `changed_by` are the skills that changed it."""

    output: ToolOutput
    notes: tuple[str, ...] = ()
    changed_by: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The note to a model beside the result; empty if there is none."""
        return changed_result(self.changed_by)

    def applied(self, value: Json, *, typed: bool = True) -> Json:
        """The value that the hooks want instead of this one; if it is `typed`, one of the same type.

        Raises:
            HookError: they want an error, or what is no such value; with who it was.
        """
        if not self.changed_by:
            return value
        changed: Json = self.output.content
        if not isinstance(value, str):
            with suppress(ValueError, RecursionError):
                changed = json.loads(changed)
        if self.output.is_error or (typed and type(changed) is not type(value)):
            raise HookError(f"{self.output.content}\n{self.said}")
        return changed


class Reply(NamedTuple):
    """The answer to the user after the hooks; `changed_by` are the skills that changed it."""

    text: str
    notes: tuple[str, ...] = ()
    changed_by: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The note to a model beside it; empty if there is none."""
        return changed_result(self.changed_by)


def start(hooks: Hooks, message: str) -> HookOutcome:
    """The first message of a conversation."""
    return hooks.dispatch(Phase.CONVERSATION_START, {"user_message": message})


def build_prompt(hooks: Hooks, base: str, fragments: Iterable[Fragment], message: str) -> PromptBuild:
    """The system prompt of a turn: the host's own, then the fragments of the active skills, as the hooks change it."""
    included = tuple(fragments)
    texts = [fragment.text for fragment in included if fragment.text]
    data = {"prompt_build": {"base": base, "fragments": texts, "user_message": message}}
    outcome = hooks.dispatch(Phase.BEFORE_PROMPT_BUILD, data)
    changes = {
        key: _joined(*value) if isinstance(value, list) else str(value) for key, value in outcome.modified.items()
    }
    if "replace_skill_fragments" in changes:
        texts = [changes["replace_skill_fragments"]]
    added = _joined(
        changes.get("append_system_prompt", ""),
        *texts,
        changes.get("append_skill_fragments", ""),
        changes.get("prompt_fragment", ""),
    )
    return PromptBuild(changes.get("replace_base_system_prompt", base), added, included, outcome.notes)


def _joined(*parts: str) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())


def with_index(build: PromptBuild, idle: Iterable[FoundSkill], most: int) -> PromptBuild:
    """The prompt with the descriptions of skills that the model can ask for, of at most `most` characters."""
    index = description_index(idle, most)
    return build._replace(added=_joined(build.added, _INDEX, index)) if index else build


def before_tool(
    hooks: Hooks, lost: LostSkills | None, name: str, value: Json, owner: str | None = None
) -> ToolDecision:
    """Whether a tool may be called with this input: a hook may change or cancel the call, and so does a guard that was
    `lost`. `owner` is the skill that has the tool, None for one of the host."""
    if lost is None:
        return _decision(hooks, name, value, owner)
    last = lost.last
    decision = ToolDecision(value) if lost.guards else _decision(hooks, name, value, owner)
    # A guard that was lost meanwhile was perhaps not asked.
    guards = lost.guards or ((lost.last[1],) if lost.last != last else ())
    if not guards:
        return decision
    return ToolDecision(value, guards[0], "it guards calls, and can't be asked", unasked=guards, failing=guards)


def _decision(hooks: Hooks, name: str, value: Json, owner: str | None) -> ToolDecision:
    """What the guards answer that are active. The value is read from the text that they have judged."""
    if not hooks.listen(Phase.BEFORE_TOOL_CALL):
        return ToolDecision(value)
    try:
        value = json_value(given := json_text(value))
    except ValueError as error:
        return ToolDecision(value, _NO_SKILL, f"its input is no JSON that guards could judge: {error}")
    outcome = hooks.dispatch(Phase.BEFORE_TOOL_CALL, {"tool_name": name, "input": given}, owner)
    if outcome.cancelled_by is not None:
        failing = (outcome.cancelled_by,) if outcome.failed else ()
        return ToolDecision(value, outcome.cancelled_by, outcome.reason, outcome.notes, failing=failing)
    judged = str(outcome.data["input"])
    if judged == given:
        return ToolDecision(value, notes=outcome.notes)
    changes = _changes(outcome, "input", name) if owner is None else ()
    return ToolDecision(json_value(judged), notes=(*outcome.notes, *changes), changed_by=tuple(outcome.changed_by))


def after_tool(hooks: Hooks, name: str, value: Json, output: ToolOutput, owner: str | None = None) -> ToolReport:
    """The result of a tool as the hooks change it; see `before_tool`."""
    if not hooks.listen(Phase.AFTER_TOOL_RESULT):
        return ToolReport(output)
    data = {
        "tool_name": name,
        "input": json.dumps(value, ensure_ascii=False),
        "content": output.content,
        "is_error": output.is_error,
    }
    outcome = hooks.dispatch(Phase.AFTER_TOOL_RESULT, data, owner)
    after = ToolOutput(str(outcome.data["content"]), bool(outcome.data["is_error"]))
    if after == output:
        return ToolReport(output, outcome.notes)
    changes = _changes(outcome, "result", name) if owner is None else ()
    return ToolReport(after, (*outcome.notes, *changes), tuple(outcome.changed_by))


def _changes(outcome: HookOutcome, what: str, tool: str) -> tuple[str, ...]:
    """A sentence for the user about skills, other than built-in ones and the user's own, that have changed the input or
    the result of a tool of the host: nobody else would see that."""
    skills = [skill for skill, source in outcome.changed_by.items() if source not in TRUSTED]
    if not skills:
        return ()
    who = f"{'skills' if skills[1:] else 'skill'} {shortened(skills)}"
    return (f"{who} changed the {what} of {tool[:_LONGEST_NAME]}",)


def respond(hooks: Hooks, response: str, reason: str) -> Reply:
    """The final answer of a turn as the hooks change it; `reason` says why the model stopped."""
    outcome = hooks.dispatch(Phase.AFTER_RESPONSE, {"response": response, "response_reason": reason})
    text = str(outcome.data["response"])
    return Reply(text, outcome.notes, tuple(outcome.changed_by) if text != response else ())
