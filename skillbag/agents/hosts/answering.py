"""Answer one event of a host, whatever goes wrong: an error is a message to the user, and stops the agent only where a
skill guards its calls and can't be asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from typing import Any

from skillbag.agents.hosts.active_skills import has_active_skills
from skillbag.agents.hosts.claude import CLAUDE
from skillbag.agents.hosts.event import BEGINNING, ConversationStep, HookHost, Host, HostEvent, HostReply
from skillbag.agents.hosts.guards import UNKNOWN, known_guards, miss_guards, missing, session_in, unasked_guards
from skillbag.agents.settings.scope import hook_scope
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.json_records import to_json
from skillbag.report.sanitize import exact, shown_page

HOSTS: Mapping[str, HookHost] = {each.host.name: each for each in (CLAUDE,)}
"""The hosts that `skillbag runtime hook` knows, by name. A further one is one more module with a `HookHost`."""

_UNREAD = HostEvent(ConversationStep.BEFORE_TOOL, "", "")


def answer(name: str, data: bytes) -> Any:
    """The answer of one of `HOSTS` to an event in JSON; an empty object for nothing to be done. Raises nothing."""
    known = HOSTS[name]
    try:
        event = known.read(data)
        if event is None:
            return {}
        with missing(event):
            reply = _reply(known.host, event, data)
        answered = to_json(known.write(event, _clean(reply)))
        json.dumps(answered)
        return answered
    except Exception as error:
        return unanswered(name, data, error)


def unanswered(name: str, data: bytes, error: Exception) -> Any:
    """The answer to an event that could not be answered: a call is refused if a skill guards it. Raises nothing."""
    if isinstance(error, UserError | OSError):
        remark = format_error(error)
    else:
        import traceback

        sys.stderr.write(shown_page(traceback.format_exc()) + "\n")
        remark = f"a bug ({type(error).__name__}); active skills were not asked"
    reply = HostReply(remarks=(remark,))
    try:
        guards = unasked_guards(data)
    except Exception:
        reply = reply._replace(refusal=UNKNOWN)
    else:
        reply = _refused(reply, guards, session_in(data))
    return to_json(HOSTS[name].write(_UNREAD, _clean(reply)))


def _refused(reply: HostReply, guards: Collection[str], session: str | None) -> HostReply:
    """The reply, which refuses a call that skills guard."""
    if not guards:
        return reply
    from skillbag.runtime.hooks.guards import can_t_ask, ways_out

    return reply._replace(refusal=can_t_ask(guards), remarks=(*reply.remarks, *ways_out(guards, session)))


def _reply(host: Host, event: HostEvent, data: bytes) -> HostReply:
    scope = hook_scope(event.folder, session=event.session)
    if not (has_active_skills(scope) or (event.step in BEGINNING and known_guards())):
        # The settings that name the guards' folder may be unreadable, or the guards gone.
        guards = unasked_guards(data) if event.step is ConversationStep.BEFORE_TOOL else ()
        is_unknown = bool(guards) or (scope.problem is not None and miss_guards(event))
        remarks = (scope.problem,) if is_unknown and scope.problem else ()
        return _refused(HostReply(remarks=remarks), guards, event.session)
    from skillbag.agents.hosts.concerned import concerns_nobody

    if concerns_nobody(event, scope):
        return HostReply()
    from skillbag.agents.hosts.steps import perform

    return perform(host, event, scope)


def _clean(reply: HostReply) -> HostReply:
    """The reply without secrets in what skills say of themselves, and without control characters in what a terminal
    shows; results and inputs are the agent's own already."""
    return reply._replace(
        context=exact(reply.context),
        refusal=None if reply.refusal is None else shown_page(reply.refusal),
        text=None if reply.text is None else shown_page(reply.text),
        remarks=tuple(map(shown_page, reply.remarks)),
    )
