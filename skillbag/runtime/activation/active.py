"""The skills of a runtime with their states: activated with what they need, deactivated with what needs them (skill
runtime, section 4). Foreign code never runs under the lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.activation.activation import ActivatedSkill, why_failed
from skillbag.runtime.activation.dependencies import DependencyResolution
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError, blocked_error
from skillbag.runtime.hooks.guards import LostSkills
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.states import SkillEvent, SkillState, SkillStatus, transition

_SUSPENDED = "the session goes on in its next process"
"""Why a skill is inactive that another process goes on with."""


class _Entry(NamedTuple):
    """The state of a skill. While it is activating, `settled` tells other threads when that has ended."""

    state: SkillState = SkillState.INACTIVE
    reason: str = ""
    active: ActivatedSkill | None = None
    settled: threading.Event | None = None


class Steps(NamedTuple):
    """What happens to a skill: `start` activates it, `fire` fires its own hooks, `tell` gets events."""

    start: Callable[[FoundSkill], ActivatedSkill]
    fire: Callable[[Phase, ActivatedSkill], None]
    tell: Callable[[SkillEvent], None]


class SkillStates:
    """The states of all skills, by name. Thread safe."""

    def __init__(self, skills: Mapping[str, FoundSkill], resolution: DependencyResolution, steps: Steps) -> None:
        """All skills are inactive."""
        self._skills = skills
        self._resolution = resolution
        self._steps = steps
        self._lock = threading.Lock()
        self._entries = {name: _Entry() for name in skills}
        self._active: tuple[ActivatedSkill, ...] = ()
        """In the order of their activation; replaced at each change, so that it is read without the lock."""
        self.lost = LostSkills()
        self.withdrawn: set[str] = set()
        """Skills that were active until the user ended that by a decision, and those that require them."""

    def __iter__(self) -> Iterator[ActivatedSkill]:
        """The active skills in the order of their activation."""
        return iter(self._active)

    def replace(self, skills: Mapping[str, FoundSkill], resolution: DependencyResolution) -> None:
        """From now on there are these skills. Active ones go on, so deactivate those that are others now, or gone."""
        with self._lock:
            self._entries = {name: _Entry() for name in skills} | self._entries
            self._skills, self._resolution = skills, resolution

    def get(self, name: str) -> ActivatedSkill | None:
        """The skill, if it is active."""
        with self._lock:
            entry = self._entries.get(name)
        return entry.active if entry else None

    def idle(self) -> tuple[FoundSkill, ...]:
        """The skills that are not active and can be, by name."""
        blocked = self._resolution.blocked
        return tuple(found for name, found in self._skills.items() if name not in blocked and not self.get(name))

    def status(self, name: str) -> SkillStatus:
        """The state of a skill. Raises NotFoundError if there is none of this name."""
        found = self._found(name)
        with self._lock:
            entry = self._entries[name]
        return SkillStatus(found, entry.state, entry.reason)

    def activate(self, name: str) -> tuple[ActivatedSkill, ...]:
        """Activate a skill and before it what it needs; returns those that were not active before. If it fails, those
        are deactivated again, unless another active skill requires them.

        A skill that another thread activates is waited for. Without an optional dependency it is activated anyway.

        Raises:
            NotFoundError: there is no such skill. RuntimeFaultError: it can't be activated; the message says why.
        """
        self._raise_blocked(name)
        started: list[ActivatedSkill] = []
        required = self._resolution.required(name)
        try:
            for each in self._resolution.activation(name):
                try:
                    active = self._activate(each)
                except RuntimeFaultError:
                    if each in required:
                        raise
                    continue
                started += [active] if active else []
        except BaseException:
            self._undo(started)
            raise
        return tuple(started)

    def resume(self, name: str) -> None:
        """Activate a skill alone, which was active in another process: what it was active without, it stays without.

        Raises:
            NotFoundError: there is no such skill. RuntimeFaultError: it can't be activated, or what it requires is not
                active.
        """
        self._raise_blocked(name)
        for needed in self._resolution.requires[name]:
            if not self.get(needed):
                raise RuntimeFaultError(f'skill "{name}" requires "{needed}", which is not active any more')
        self._activate(name)

    def deactivate(self, name: str) -> tuple[str, ...]:
        """Deactivate a skill and before it all that require it; returns their names. One in error is reset."""
        with self._lock:
            was_lost = self.lost.pop(name, None) is not None
        if was_lost and name not in self._skills:
            return (name,)
        self._found(name)
        return tuple(each for each in self._affected(name) if self._deactivate(each) or (was_lost and each == name))

    def guards_of(self, name: str) -> tuple[str, ...]:
        """The guards, active or lost, that a deactivation of the skill would end; a door asks a person first."""
        names = self._affected(name) if name in self._skills else (name,)
        active = {each.found.name for each in self if each.is_guard}
        return tuple(each for each in names if each in active or self.lost.get(each))

    def swap(self, old: ActivatedSkill, new: ActivatedSkill) -> bool:
        """Put an active skill in the place of another of its name; False if that is not active any more."""
        with self._lock:
            entry = self._entries[old.found.name]
            if entry.active is old:
                self._entries[old.found.name] = entry._replace(active=new)
                self._active = tuple(new if active is old else active for active in self._active)
        return entry.active is old

    def fail(self, name: str, reason: str) -> None:
        """An active skill's backend can't be used any more: undo its activation, and keep the reason."""
        active = self._leave(name, SkillState.ERROR, reason)
        if active:
            self.lost.add(name, is_guard=active.is_guard)
            active.undo.close()

    def unload(self, name: str) -> tuple[str, ...]:
        """As `deactivate`, for an active skill that begins again; the guards among them are lost until then."""
        ended = []
        for each in self._affected(name):
            if (active := self.get(each)) and active.is_guard:
                self.lost.add(each, is_guard=True)
            ended += [each] if self._deactivate(each) else []
        return tuple(ended)

    def withdraw(self, name: str, reason: str, *, chosen: bool) -> tuple[str, ...]:
        """End a skill that may not go on, and before it all that require it; returns their names. Its own hooks do not
        fire: none of its code runs again. If the user has not `chosen` that, they are lost."""
        for active in () if chosen else filter(None, map(self.get, self._affected(name))):
            self.lost.add(active.found.name, is_guard=active.is_guard)
        gone = [each for each in self._affected(name) if each != name and self._deactivate(each)]
        if ended := self._leave(name, SkillState.INACTIVE, reason):
            ended.undo.close()
            gone.append(name)
        self.withdrawn.update(gone if chosen else ())
        return tuple(gone)

    def suspend(self) -> None:
        """Unload all, the last first, and fire no hooks: another process goes on with them."""
        for active in reversed(self._active):
            if self._leave(active.found.name, SkillState.INACTIVE, _SUSPENDED):
                active.undo.close()

    def close(self) -> None:
        """Deactivate all, the last first."""
        while self._active:
            self.deactivate(self._active[-1].found.name)

    def _found(self, name: str) -> FoundSkill:
        if name not in self._skills:
            raise NotFoundError(f'skill "{name}" not found')
        return self._skills[name]

    def _raise_blocked(self, name: str) -> None:
        self._found(name)
        if reason := self._resolution.blocked.get(name):
            raise blocked_error(f'skill "{name}" can\'t be activated: {reason}')

    def _affected(self, name: str) -> tuple[str, ...]:
        return self._resolution.deactivation(name) if name not in self._resolution.blocked else (name,)

    def _undo(self, started: list[ActivatedSkill]) -> None:
        """Deactivate what an activation that failed has activated, the last first."""
        for active in reversed(started):
            name = active.found.name
            users = {user for user, needed in self._resolution.requires.items() if name in needed}
            if not any(each.found.name in users for each in self):
                self._deactivate(name)

    def _activate(self, name: str) -> ActivatedSkill | None:
        """Activate one skill; None if it is active already."""
        while settled := self._begin(name):
            if settled.is_set():
                return None
            settled.wait()
            if (status := self.status(name)).state is SkillState.ERROR:
                raise RuntimeFaultError(status.reason)
        try:
            active = self._steps.start(self._skills[name])
        except Exception as error:
            # Whatever a skill brings about here, it must not keep others from their work.
            reason = why_failed(error)
            self._settle(name, SkillState.ERROR, reason, None)
            if not isinstance(error, RuntimeFaultError):
                raise RuntimeFaultError(reason) from error
            raise
        except BaseException:
            self._settle(name, SkillState.ERROR, "the activation was interrupted", None)
            raise
        self._settle(name, SkillState.ACTIVE, "", active)
        self._steps.fire(Phase.ACTIVATE, active)
        return active

    def _begin(self, name: str) -> threading.Event | None:
        """Begin an activation, or return what to wait for; that is set if the skill is active."""
        with self._lock:
            entry = self._entries[name]
            if entry.settled and entry.state in (SkillState.ACTIVATING, SkillState.ACTIVE):
                return entry.settled
            is_reset = entry.state is SkillState.ERROR
            reset = transition(name, SkillState.ERROR, SkillState.INACTIVE) if is_reset else ()
            events = [*reset, *transition(name, SkillState.INACTIVE, SkillState.ACTIVATING)]
            self._entries[name] = _Entry(SkillState.ACTIVATING, settled=threading.Event())
        self._tell(events)
        return None

    def _settle(self, name: str, state: SkillState, reason: str, active: ActivatedSkill | None) -> None:
        with self._lock:
            before = self._entries[name]
            events = transition(name, before.state, state, reason)
            self._entries[name] = _Entry(state, reason, active, before.settled)
            if active:
                self._active = (*self._active, active)
                self.lost.pop(name, None)
                self.withdrawn.discard(name)
        self._tell(events)
        if before.settled:
            before.settled.set()

    def _deactivate(self, name: str) -> bool:
        """Deactivate one skill; whether it was active."""
        active, events = self.get(name), tuple[SkillEvent, ...]()
        if active:
            self._steps.fire(Phase.DEACTIVATE, active)
        with self._lock:
            if self._entries[name].state is SkillState.ERROR:
                events = transition(name, SkillState.ERROR, SkillState.INACTIVE)
                self._entries[name] = _Entry()
        self._tell(events)
        if active and self._leave(name, SkillState.INACTIVE, ""):
            active.undo.close()
            return True
        return False

    def _leave(self, name: str, state: SkillState, reason: str) -> ActivatedSkill | None:
        """Take a skill out of the active ones; None if another thread has done so."""
        with self._lock:
            entry = self._entries[name]
            if entry.active is None:
                return None
            events = transition(name, entry.state, state, reason)
            self._entries[name] = _Entry(state, reason)
            self._active = tuple(active for active in self._active if active is not entry.active)
        self._tell(events)
        return entry.active

    def _tell(self, events: Iterable[SkillEvent]) -> None:
        for event in events:
            self._steps.tell(event)
