"""A hook of an active skill, and what a dispatch of hooks comes to (skill runtime, section 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillbag.manifest.names import Permission
from skillbag.runtime.phases import Phase
from skillbag.runtime.skill import Json, SkillSource

_MOST_NAMED = 5
_INLINE = 10
_PRIORITIES: Mapping[SkillSource, int] = {
    SkillSource.BUILTIN: 0,
    SkillSource.USER: 10,
    SkillSource.BUNDLED: 20,
    SkillSource.PROJECT: 20,
    SkillSource.CONFIGURED: 20,
}

TRUSTED = frozenset({SkillSource.BUILTIN, SkillSource.USER})
"""Sources whose hooks need no permission for the calls of others."""


def hook_priority(source: SkillSource, *, inline: bool = False) -> int:
    """The priority of a skill's hooks; lower ones run first.

    Raises:
        ValueError: skills of MCP servers have no hooks.
    """
    if source not in _PRIORITIES:
        raise ValueError(f"skills of the source {source} have no hooks")
    return min(_INLINE, _PRIORITIES[source]) if inline else _PRIORITIES[source]


class Hook(NamedTuple):
    """A handler of a skill; `number` is its place among the skill's handlers of the phase.

    `run` gets a copy of the data, which it may change, and the seconds that it has, without those in which host
    functions wait; it returns what the skill returned. It raises an error when the skill fails, and `TimeLimitError`
    when the time is over, or that of the phase (`time_limit`). It runs what it calls in the caller's context
    (`contextvars`), by which that and the depth of hooks within hooks are known. `rights` are the permissions
    of its skill: one that loses them is not active at the next step. Trusted skills need none.
    """

    skill: str
    source: SkillSource
    priority: int
    phase: Phase
    number: int
    run: Callable[[dict[str, Json], float], Json]
    rights: frozenset[Permission] = frozenset()

    def has(self, permission: Permission) -> bool:
        """Whether the hook may do to the calls of others what this permission allows."""
        return self.source in TRUSTED or permission in self.rights


class HookState(NamedTuple):
    """A registered hook, its failures in a row, and whether it is suspended."""

    hook: Hook
    failures: int
    suspended: bool


class HookOutcome(NamedTuple):
    """The result of a dispatch: the data with all changes, the changes alone, and remarks for the user.

    `cancelled_by` is the skill that cancelled, with its reason, and `failed` says whether it did so by failing; None if
    none did. `changed_by` are the skills that changed the data, with their sources.
    """

    data: Mapping[str, Json]
    modified: Mapping[str, Json]
    cancelled_by: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    changed_by: Mapping[str, SkillSource] = {}
    failed: bool = False


def shortened(skills: Sequence[str]) -> str:
    """The names of skills in quotation marks, the first of many."""
    more = len(skills) - _MOST_NAMED
    named = ", ".join(f'"{skill}"' for skill in skills[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named
