"""The states of a skill, the transitions between them, and the events that tell of them (skill runtime, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import FoundSkill


class SkillState(StrEnum):
    """What a skill is doing."""

    INACTIVE = "inactive"
    ACTIVATING = "activating"
    ACTIVE = "active"
    ERROR = "error"


TRANSITIONS: Mapping[SkillState, frozenset[SkillState]] = {
    SkillState.INACTIVE: frozenset({SkillState.ACTIVATING}),
    SkillState.ACTIVATING: frozenset({SkillState.ACTIVE, SkillState.ERROR}),
    SkillState.ACTIVE: frozenset({SkillState.INACTIVE, SkillState.ERROR}),
    SkillState.ERROR: frozenset({SkillState.INACTIVE}),
}
"""The states that may follow each state. A skill in error is reset to inactive before it is activated again."""


class InvalidTransitionError(RuntimeFaultError):
    """A skill can't go from its state to this one."""


class EventKind(StrEnum):
    """What happened to a skill."""

    STATE_CHANGED = "skill:state_changed"
    ACTIVATED = "skill:activated"
    DEACTIVATED = "skill:deactivated"
    ERROR = "skill:error"


class SkillStatus(NamedTuple):
    """A skill, its state, and why it is in error or not active any more (empty if there is nothing to explain)."""

    found: FoundSkill
    state: SkillState
    reason: str = ""


class SkillEvent(NamedTuple):
    """One event: the skill, its states before and after, and why (empty if there is nothing to explain)."""

    kind: EventKind
    skill: str
    before: SkillState
    after: SkillState
    reason: str = ""


_SPECIFIC: Mapping[tuple[SkillState, SkillState], EventKind] = {
    (SkillState.ACTIVATING, SkillState.ACTIVE): EventKind.ACTIVATED,
    (SkillState.ACTIVE, SkillState.INACTIVE): EventKind.DEACTIVATED,
    (SkillState.ACTIVATING, SkillState.ERROR): EventKind.ERROR,
    (SkillState.ACTIVE, SkillState.ERROR): EventKind.ERROR,
}


def transition(skill: str, before: SkillState, after: SkillState, reason: str = "") -> tuple[SkillEvent, ...]:
    """The events of a change of state, in order: the change itself, then what it means.

    Raises:
        InvalidTransitionError: `after` may not follow `before`.
    """
    if after not in TRANSITIONS[before]:
        raise InvalidTransitionError(f"invalid state transition from {before.title()} to {after.title()}")
    changed = SkillEvent(EventKind.STATE_CHANGED, skill, before, after, reason)
    specific = _SPECIFIC.get((before, after))
    return (changed,) if specific is None else (changed, changed._replace(kind=specific))
