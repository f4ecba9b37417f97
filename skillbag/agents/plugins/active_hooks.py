"""Active skills at the hooks of the executable plugin protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from skillbag.agents.hosts.active_skills import has_active_skills
from skillbag.agents.hosts.event import ConversationStep, Host, HostEvent, HostReply
from skillbag.agents.hosts.guards import known_guards, miss_guards, missing, recorded_guards
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.errors import UserError
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


def ask_active_skills(
    scope: Scope, hook: str, data: Mapping[str, Any], remark: Callable[[str], None]
) -> dict[str, Any]:
    """What active skills answer to a hook; `{}` to others, and where no skill can be active. `remark` gets sentences
    for the user.

    Raises:
        UserError, OSError: they can't be asked.
    """
    payload = {"hook": hook, "session": scope.session or "", "folder": scope.root or os.getcwd(), "data": data}
    event = _PLUGIN.read(payload)
    if event is None or not event.session:
        return {}
    may_guard = recorded_guards(scope) if event.step is ConversationStep.BEFORE_TOOL else known_guards()
    if not (has_active_skills(scope) or may_guard):
        if scope.problem and miss_guards(event):
            raise UserError(scope.problem)
        return {}
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
    return _PLUGIN.write(payload, reply)


def _read(payload: Mapping[str, Any]) -> HostEvent | None:
    step, data = HOOKS.get(payload["hook"]), payload["data"]
    if step is None:
        return None
    event = HostEvent(step, payload["session"], payload["folder"])
    match step:
        case ConversationStep.MESSAGE:
            return event._replace(text=_text(data, "prompt"))
        case ConversationStep.ANSWER:
            return event._replace(text=_text(data, "response"))
        case ConversationStep.BEFORE_TOOL:
            return event._replace(tool=_text(data, "tool_name"), value=data.get("arguments"))
        case ConversationStep.AFTER_TOOL:
            event = event._replace(tool=_text(data, "tool_name"), value=data.get("arguments"))
            return event._replace(content=_text(data, "output"))
    return event


def _write(payload: Mapping[str, Any], reply: HostReply) -> dict[str, Any]:
    """The answer to the hook."""
    if reply.refusal is not None:
        return {"block": True, "message": exact(reply.refusal)}
    if reply.value is not None:
        return {"arguments": reply.value}
    if reply.content is not None:
        return {"output": f"{reply.content}\n({changed_result(reply.by)})"}
    return {"inject": exact(reply.context)} if reply.context else {}


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


_PLUGIN = Host("plugin", _read, _write, _MAX_TOKENS, _SECONDS, mode="plugin", builds_prompts=True)
