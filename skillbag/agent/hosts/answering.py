"""Answer one event of a host, whatever goes wrong: an error is a message to the user, and never stops the agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from skillbag.agent.active_skills import has_active_skills
from skillbag.agent.hosts.event import BadEventError, Host, HostEvent, HostReply
from skillbag.base.errors import UserError, format_error
from skillbag.report.sanitize import exact
from skillbag.settings.scope import Scope


def answer(host: Host, data: bytes) -> dict[str, Any]:
    """The host's answer to an event in JSON; an empty object where nothing is to be done."""
    try:
        payload = _payload(data)
        event = host.read(payload)
        if event is None:
            return {}
        return host.write(payload, _clean(_reply(host, event)))
    except (UserError, OSError) as error:
        return {"systemMessage": f"skillbag: {exact(format_error(error))}"}


def _payload(data: bytes) -> Mapping[str, Any]:
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError):
        raise BadEventError("standard input is not the JSON of an event") from None
    if not isinstance(payload, dict):
        raise BadEventError("standard input is not the JSON object of an event")
    return payload


def _reply(host: Host, event: HostEvent) -> HostReply:
    scope = _scope(event)
    if not has_active_skills(scope):
        return HostReply()
    from skillbag.agent.hosts.steps import perform

    return perform(host, event, scope)


def _scope(event: HostEvent) -> Scope:
    """The scope of the event. A host ends a hook that waits, so this waits for no writer of the workspace."""
    from skillbag.settings.scope import scope_in
    from skillbag.workspace.discovery import NoWorkspaceError, workspace_root

    try:
        root = workspace_root(event.folder)
    except NoWorkspaceError:
        root = None
    return scope_in(root, None, event.session, True)


def _clean(reply: HostReply) -> HostReply:
    """The reply without secrets in what skills say of themselves; results and inputs are the agent's own already."""
    return reply._replace(
        context=exact(reply.context),
        refusal=None if reply.refusal is None else exact(reply.refusal),
        remarks=tuple(map(exact, reply.remarks)),
    )
