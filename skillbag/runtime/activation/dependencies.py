"""Dependencies between skills: what can't be activated and why, and the order of activation (skill runtime, sections 2
and 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.values import SkillDependency
from skillbag.kernel.manifest.versions import parse_range, satisfies
from skillbag.runtime.skill import FoundSkill


class DependencyResolution(NamedTuple):
    """What depends on what. `order`: the skills that can be activated, each after all that it needs.

    `requires` and `uses` are the dependencies of each of them: those without which it can't be active, and the optional
    ones that were found. `blocked` has the reason for each skill that can't be activated.
    """

    order: tuple[str, ...]
    requires: Mapping[str, tuple[str, ...]]
    uses: Mapping[str, tuple[str, ...]]
    blocked: Mapping[str, str]
    remarks: tuple[str, ...]

    def activation(self, name: str) -> tuple[str, ...]:
        """What to activate for a skill that is not blocked: its dependencies, also optional ones, in order, then it."""
        needed = _reached(name, lambda one: (*self.requires[one], *self.uses[one]))
        return tuple(one for one in self.order if one in needed)

    def required(self, name: str) -> set[str]:
        """The skill, and all without which it can't be active."""
        return _reached(name, lambda one: self.requires[one])

    def deactivation(self, name: str) -> tuple[str, ...]:
        """What to deactivate with a skill that is not blocked: all that require it, in order, then it."""
        users: dict[str, list[str]] = {}
        for user, required in self.requires.items():
            for one in required:
                users.setdefault(one, []).append(user)
        affected = _reached(name, lambda one: users.get(one, ()))
        return tuple(one for one in reversed(self.order) if one in affected)


def _reached(name: str, following: Callable[[str], Iterable[str]]) -> set[str]:
    """`name` and all that can be reached from it."""
    reached, pending = {name}, [name]
    while pending:
        for other in following(pending.pop()):
            if other not in reached:
                reached.add(other)
                pending.append(other)
    return reached


def resolve(skills: Iterable[FoundSkill], unfit: Mapping[str, str]) -> DependencyResolution:
    """Resolve the dependencies of skills, whose names differ. `unfit` has the reason for those that can't be activated
    anyway.

    What is missing, has another version or is part of a cycle blocks the skills that require it, and no others. A
    cycle with an optional dependency in it is broken there.
    """
    by_name = {skill.name: skill for skill in sorted(skills, key=lambda skill: skill.name)}
    sorting = _Sorting({name: {} for name in by_name})
    blocked = dict(unfit)
    for name, skill in by_name.items():
        for needed in skill.manifest.dependencies:
            fault = _fault(needed, by_name.get(needed.name))
            if fault is None:
                sorting.connect(name, needed.name, needed.optional)
            elif needed.optional:
                sorting.remarks.append(f'skill "{name}": optional {fault}')
            else:
                blocked.setdefault(name, fault)
    for name, reason in sorted(blocked.items()):
        sorting.block([name], reason)
    return sorting.run()


def _fault(needed: SkillDependency, skill: FoundSkill | None) -> str | None:
    """Why a skill is not what is needed."""
    if skill is None:
        return f'dependency "{needed.name}" not found'
    if needed.version == "*":
        return None
    version = skill.manifest.version
    try:
        wanted = parse_range(needed.version)
        fits = wanted is not None and satisfies(version, wanted)
    except UserError as error:
        return f'dependency "{needed.name}": {error}'
    return None if fits else f'dependency "{needed.name}" has version {version}, and {needed.version} is needed'


class _Sorting:
    """A topological sort. `edges` are the dependencies of each skill, each with whether it is optional; `_open` are
    those of the unsorted skills that are not sorted yet themselves."""

    def __init__(self, edges: dict[str, dict[str, bool]]) -> None:
        self.remarks: list[str] = []
        self._edges = edges
        self._open: dict[str, dict[str, bool]] = {name: {} for name in edges}
        self._users: dict[str, list[str]] = {name: [] for name in edges}
        self._ready: list[str] = []
        self._order: list[str] = []
        self._blocked: dict[str, str] = {}

    def connect(self, user: str, needed: str, optional: bool) -> None:
        """Add a dependency."""
        self._edges[user][needed] = self._open[user][needed] = optional
        self._users[needed].append(user)

    def block(self, names: Sequence[str], reason: str) -> None:
        """Take skills out, and all that require them."""
        pending = [name for name in names if self._open.pop(name, None) is not None]
        self._blocked.update(dict.fromkeys(pending, reason))
        while pending:
            blocked = pending.pop()
            cause = reason if blocked in names else f'skill "{names[0]}": {reason}'
            why = f'dependency "{blocked}" can\'t be activated: {cause}'
            for user in self._users[blocked]:
                if user not in self._open:
                    continue
                if self._open[user][blocked]:
                    self._drop(user, blocked, why)
                else:
                    del self._open[user]
                    self._blocked[user] = why
                    pending.append(user)

    def _drop(self, user: str, needed: str, why: str) -> None:
        """Do without an optional dependency."""
        self.remarks.append(f'skill "{user}": optional {why}')
        del self._edges[user][needed]
        self._settle(user, needed)

    def _settle(self, user: str, needed: str) -> None:
        del self._open[user][needed]
        if not self._open[user]:
            heappush(self._ready, user)

    def run(self) -> DependencyResolution:
        """Sort what is left; of what could come next, the first by name does."""
        self._ready = sorted(name for name, needs in self._open.items() if not needs)
        while self._open:
            if not self._ready:
                self._break_cycle()
                continue
            name = heappop(self._ready)
            del self._open[name]
            self._order.append(name)
            for user in self._users[name]:
                if user in self._open:
                    self._settle(user, name)
        requires, uses = (self._chosen(optional) for optional in (False, True))
        blocked = dict(sorted(self._blocked.items()))
        return DependencyResolution(tuple(self._order), requires, uses, blocked, tuple(self.remarks))

    def _chosen(self, optional: bool) -> dict[str, tuple[str, ...]]:
        return {
            name: tuple(needed for needed, is_optional in self._edges[name].items() if is_optional is optional)
            for name in sorted(self._order)
        }

    def _break_cycle(self) -> None:
        """Find a cycle, where every skill still needs another one; break it, or block its skills."""
        path, place = [min(self._open)], dict[str, int]()
        while path[-1] not in place:
            place[path[-1]] = len(place)
            path.append(next(iter(self._open[path[-1]])))
        cycle = path[place[path[-1]] :]
        why = f"circular dependency: {' -> '.join(cycle)}"
        for user, needed in pairwise(cycle):
            if self._open[user][needed]:
                self._drop(user, needed, f'dependency "{needed}" is not activated first: {why}')
                return
        self.block(cycle[:-1], why)
