"""Which active skills of a session an event concerns. Most events concern none: that is known without the runtime,
which takes longer to import than all else that an event needs."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from skillbag.agents.hosts.event import ConversationStep, HostEvent
from skillbag.agents.hosts.guards import known_guards
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.broker.session_records import SessionPlace, SessionRecord, read_elsewhere, read_session

PHASES: Mapping[ConversationStep, Collection[Phase]] = {
    ConversationStep.BEFORE_TOOL: (Phase.BEFORE_TOOL_CALL,),
    ConversationStep.AFTER_TOOL: (Phase.AFTER_TOOL_RESULT,),
    ConversationStep.ANSWER: (Phase.AFTER_RESPONSE,),
    ConversationStep.END: (Phase.DEACTIVATE,),
}
"""The phases of a step: only skills with hooks for them are loaded. The other steps need all active skills, since they
may activate more."""


def concerns_nobody(event: HostEvent, scope: Scope) -> bool:
    """Whether no active skill has a hook for the event, and nothing else is to be done.

    Raises:
        UserError: the id of the session is not allowed.
    """
    if event.step is ConversationStep.END or event.step not in PHASES:
        return False
    root = os.path.realpath(scope.root) if scope.root else None
    place = SessionPlace(state_folder(), root, event.session)
    record = read_session(place)
    return not (concerned(event, record) or guards_elsewhere(event, place, record))


def guards_elsewhere(event: HostEvent, place: SessionPlace, record: SessionRecord) -> tuple[str, ...]:
    """The guards before a call that can't be asked here, sorted: those that the session has in another workspace alone,
    since the workspace has moved, or an agent has begun another one around its folder; and all that are known where the
    session has no record, since that is lost or could not be written."""
    if event.step is not ConversationStep.BEFORE_TOOL:
        return ()
    here = {each.skill for each in record.active if each.is_guard}
    there = {each.skill for other in read_elsewhere(place) for each in other.active if each.is_guard}
    unknown = () if os.path.lexists(place.path) else known_guards()
    return tuple(sorted({*there, *unknown} - here))


def concerned(event: HostEvent, record: SessionRecord) -> list[str]:
    """The active skills with hooks for the step, or all of them where it may activate more."""
    phases = PHASES.get(event.step)
    return [each.skill for each in record.active if phases is None or set(phases) & set(each.hooks)]
