"""Active skills at the hooks of the executable plugin protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from skillbag.agents.hosts.active_skills import has_active_skills
from skillbag.agents.hosts.event import ConversationStep, Host, HostEvent, HostReply
from skillbag.agents.hosts.guards import known_guards, miss_guards, missing, recorded_guards
from skillbag.agents.plugins.calls import HookData
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.base.quoting import changed_result
from skillbag.report.sanitize import exact, shown_page

HOOKS: Mapping[str, ConversationStep] = {
    "on_start": ConversationStep.START,
    "pre_message": ConversationStep.MESSAGE,
    "post_system_prompt": ConversationStep.PROMPT,
    "pre_tool": ConversationStep.BEFORE_TOOL,
    "pre_tool_output": ConversationStep.AFTER_TOOL,
    "post_message": ConversationStep.ANSWER,
    "on_end": ConversationStep.END,
}
"""The hooks that are steps of a conversation; a host that does not know one never calls it."""

_MAX_TOKENS = 8000

_SECONDS = 25.0
"""Time of one hook: a host ends a plugin after 30 seconds, and then the call would pass."""


class PluginAnswer(NamedTuple):
    """The answer to a hook: what to add to the prompt, or use instead, or whether the call is blocked."""

    inject: str | Absent = ABSENT
    block: bool | Absent = ABSENT
    message: str | Absent = ABSENT
    arguments: Any = ABSENT
    output: str | Absent = ABSENT


def ask_active_skills(scope: Scope, hook: str, data: HookData, remark: Callable[[str], None]) -> PluginAnswer:
    """What active skills answer to a hook; nothing to others, and where no skill can be active. `remark` gets sentences
    for the user.

    Raises:
        UserError, OSError: they can't be asked.
    """
    event = _event(scope, hook, data)
    if event is None or not event.session:
        return PluginAnswer()
    may_guard = recorded_guards(scope) if event.step is ConversationStep.BEFORE_TOOL else known_guards()
    if not (has_active_skills(scope) or may_guard):
        if scope.problem and miss_guards(event):
            raise UserError(scope.problem)
        return PluginAnswer()
    if event.step is ConversationStep.BEFORE_TOOL and not event.tool and may_guard:
        raise UserError("the call names no tool, so that no guard can judge it")
    from skillbag.agents.hosts.steps import perform

    with missing(event):
        reply = perform(_PLUGIN, event, scope)
    for each in reply.remarks:
        remark(shown_page(each))
    if reply.text is not None:
        names = ", ".join(reply.by)
        remark(shown_page(f"the answer was changed by {names}, and the host can't replace it; it says:\n{reply.text}"))
    return _answer(reply)


def _event(scope: Scope, hook: str, data: HookData) -> HostEvent | None:
    step = HOOKS.get(hook)
    if step is None:
        return None
    event = HostEvent(step, scope.session or "", scope.root or os.getcwd())
    match step:
        case ConversationStep.MESSAGE:
            return event._replace(text=data.prompt)
        case ConversationStep.ANSWER:
            return event._replace(text=data.response)
        case ConversationStep.BEFORE_TOOL:
            return event._replace(tool=data.tool_name, value=data.arguments)
        case ConversationStep.AFTER_TOOL:
            return event._replace(tool=data.tool_name, value=data.arguments, content=data.output)
    return event


def _answer(reply: HostReply) -> PluginAnswer:
    if reply.refusal is not None:
        return PluginAnswer(block=True, message=exact(reply.refusal))
    if reply.value is not None:
        return PluginAnswer(arguments=reply.value)
    if reply.content is not None:
        return PluginAnswer(output=f"{reply.content}\n({changed_result(reply.by)})")
    return PluginAnswer(exact(reply.context) or ABSENT)


_PLUGIN = Host("plugin", _MAX_TOKENS, _SECONDS, mode="plugin", builds_prompts=True)
