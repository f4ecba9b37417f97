"""One dispatch of hooks (skill runtime, section 6).

The first pass collects changes. Where hooks may cancel, a second one asks about the final data whoever has not judged
exactly these; its answers can only refuse, so that what was judged is what the caller gets.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.quoting import in_line, unmarked
from skillbag.kernel.base.time_limit import is_over, rest
from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.hooks.hook_results import HookResult, joined, read_result
from skillbag.runtime.phases import PhaseRules
from skillbag.runtime.skill import TRUSTED, Json, SkillSource

SECONDS = 10.0
"""Limit of one handler, in seconds."""

MAX_FAILURES = 3
"""After so many failures in a row, a handler that can't cancel is suspended."""

DEEPEST = 4
"""How deep hooks may be nested: a hook may call what fires other hooks."""

_running: ContextVar[tuple[Hook, ...]] = ContextVar("running_hooks", default=())

_MAX_NAMED = 5
_INLINE = 10
_PRIORITIES: Mapping[SkillSource, int] = {
    SkillSource.BUILTIN: 0,
    SkillSource.USER: 10,
    SkillSource.BUNDLED: 20,
    SkillSource.PROJECT: 20,
    SkillSource.CONFIGURED: 20,
}


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


class RegisteredHook:
    """A registered hook. `failures` in a row; `removed` once its skill has gone."""

    __slots__ = ("failures", "hook", "removed")

    def __init__(self, hook: Hook) -> None:
        """It has not failed yet."""
        self.hook = hook
        self.failures = 0
        self.removed = False


class Dispatch:
    """One dispatch, and what is known so far. `owner` is the skill whose tool is called, None for others' tools."""

    def __init__(self, rules: PhaseRules, data: Mapping[str, Json], owner: str | None, lock: threading.Lock) -> None:
        """Nothing was asked yet."""
        self._rules, self._data, self._owner, self._lock = rules, data, owner, lock
        self._modified: dict[str, Json] = {}
        self._notes: list[str] = []
        self._changed_by: dict[str, SkillSource] = {}
        self._judged: list[RegisteredHook] = []
        """Those that need not be asked about the data as they are now."""
        self._last: RegisteredHook | None = None
        """The one that made them what they are."""

    def run(self, current: Callable[[], Sequence[RegisteredHook]]) -> HookOutcome:
        """Run the hooks, one after the other; `current` gives those that are registered at the moment."""
        outcome = self._pass(current(), self._changed) or self._outcome()
        if not self._rules.cancels or outcome.cancelled_by is not None:
            return outcome
        # What is returned is known now. A hook that comes meanwhile is asked as well.
        while waiting := [each for each in current() if each not in self._judged]:
            if refusal := self._pass(waiting, self._judgement):
                return refusal
        return outcome._replace(notes=self._distinct_notes()) if self._notes else outcome

    def _pass(
        self, entries: Sequence[RegisteredHook], use: Callable[[RegisteredHook, HookResult], HookOutcome | None]
    ) -> HookOutcome | None:
        """Ask these hooks; `use` gets each answer. An outcome ends the dispatch."""
        for place, entry in enumerate(entries):
            self._judged.append(entry)
            try:
                if not self._concerns(entry):
                    continue
                if why := self._unable():
                    return self._not_run(entries[place:], why)
                result = self._result(entry.hook, rest(SECONDS))
            except Exception as error:
                fault = self._failed(entry, error)
                if self._rules.cancels:
                    return self._outcome(entry.hook.skill, fault, failed=True)
                continue
            entry.failures = 0
            if outcome := use(entry, result):
                return outcome
        return None

    def _changed(self, entry: RegisteredHook, result: HookResult) -> HookOutcome | None:
        """The first pass."""
        before = self._now()
        self._modified = joined(self._modified, result.modified, self._rules)
        if result.modified and self._now() != before:
            self._judged.clear()
            self._last = entry
            self._changed_by[entry.hook.skill] = entry.hook.source
        return self._outcome(entry.hook.skill, result.reason) if result.cancel else None

    def _judgement(self, entry: RegisteredHook, result: HookResult) -> HookOutcome | None:
        """The second pass: an outcome is a refusal. A change that is not made any more must not be missing, but for one
        that was made: `ls` to `ls -a` is no `ls -a -a`."""
        if result.cancel:
            return self._outcome(entry.hook.skill, result.reason)
        if entry is not self._last and {**self._now(), **result.modified} != self._now():
            return self._outcome(entry.hook.skill, "it would change the final input of this call again", failed=True)
        return None

    def _concerns(self, entry: RegisteredHook) -> bool:
        hook = entry.hook
        if entry.removed or (not self._rules.cancels and entry.failures >= MAX_FAILURES):
            return False
        # What a guard calls itself, it need not be asked about: it would never end.
        if self._rules.cancels and hook in _running.get():
            return False
        return not self._of_others(hook) or hook.has(Permission.HOOK_OBSERVE)

    def _of_others(self, hook: Hook) -> bool:
        """Whether this is a call of a tool that another one has."""
        return self._rules.calls and hook.skill != self._owner

    def _result(self, hook: Hook, seconds: float) -> HookResult:
        token = _running.set((*_running.get(), hook))
        try:
            answer = hook.run(_copy(self._now()), seconds)
        finally:
            _running.reset(token)
        result = read_result(answer, self._rules, trusted=hook.source in TRUSTED)
        for dropped in result.dropped:
            self._note(hook, dropped)
        if result.modified and self._of_others(hook) and not hook.has(Permission.HOOK_CHANGE):
            self._note(hook, f"its change of the call is dropped: it needs {Permission.HOOK_CHANGE}")
            return result._replace(modified={})
        if (said := self._rules.said) and result.modified:
            now, texts = self._now(), result.modified.items()
            changes = {key: each if each == now.get(key) else _said(said, hook.skill, each) for key, each in texts}
            return result._replace(modified=changes)
        return result

    def _failed(self, entry: RegisteredHook, error: Exception) -> str:
        """Count and note a failure; its words."""
        # Errors of ours are for the user; others are faults of the one who registered the hook.
        said = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        fault = f"its hook failed: {said}"
        with self._lock:
            entry.failures += 1
            is_last = entry.failures == MAX_FAILURES
        self._note(entry.hook, fault)
        if is_last and not self._rules.cancels:
            self._note(entry.hook, f"it is suspended after {MAX_FAILURES} failures in a row")
        return fault

    def _unable(self) -> str:
        """Why no hook can run any more; empty if one can."""
        if len(_running.get()) >= DEEPEST:
            return f"hooks are nested more than {DEEPEST} deep"
        return "the time of this step is over" if is_over() else ""

    def _not_run(self, entries: Sequence[RegisteredHook], why: str) -> HookOutcome:
        """End the dispatch before these hooks."""
        hook = entries[0].hook
        later = list(dict.fromkeys(entry.hook.skill for entry in entries[1:] if entry.hook.skill != hook.skill))
        others = f" and those of {shortened(later)} are" if later else " is"
        fault = f"its hook{others} not run: {why}"
        self._note(hook, fault)
        return self._outcome(hook.skill, fault) if self._rules.cancels else self._outcome()

    def _note(self, hook: Hook, words: str) -> None:
        self._notes.append(f'{hook.phase}: skill "{hook.skill}": {unmarked(mask(words))}')

    def _now(self) -> dict[str, Json]:
        return {**self._data, **self._modified}

    def _outcome(self, cancelled_by: str | None = None, reason: str = "", *, failed: bool = False) -> HookOutcome:
        said = in_line(mask(reason)) if reason else ""
        return HookOutcome(
            self._now(), self._modified, cancelled_by, said, self._distinct_notes(), self._changed_by, failed
        )

    def _distinct_notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._notes))


def _said(said: Callable[[str, str], str], skill: str, value: Json) -> Json:
    if isinstance(value, list):
        return [said(skill, each) for each in value]
    return said(skill, value) if isinstance(value, str) else value


def _copy(value: Json) -> Json:
    """A deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: _copy(item) if isinstance(item, dict | list) else item for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(item) if isinstance(item, dict | list) else item for item in value]
    return value


def shortened(skills: Sequence[str]) -> str:
    """The names of skills in quotation marks, the first of many."""
    more = len(skills) - _MAX_NAMED
    named = ", ".join(f'"{skill}"' for skill in skills[:_MAX_NAMED])
    return f"{named} and {more} more" if more > 0 else named
