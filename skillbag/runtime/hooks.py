"""Hooks: the handlers of active skills, and their dispatch in the phases (skill runtime, section 6).

The handlers of a phase are an immutable tuple that is replaced at each change. A dispatch works on the tuple that it
found, so skills may come and go meanwhile, and no lock is held while a handler runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.base.time_limit import is_over, rest, within
from skillbag.runtime.hook_results import Result, joined, read_result
from skillbag.runtime.phases import PHASES, Phase, PhaseRules
from skillbag.runtime.skill import Json, SkillSource
from skillbag.secrets.detection import mask

SECONDS = 10.0
"""Limit of one handler, in seconds."""

PHASE_SECONDS = 30.0
"""Limit of all handlers of a phase, in seconds, with all that host functions wait for."""

MOST_FAILURES = 3
"""After so many failures in a row, a handler is suspended."""

DEEPEST = 4
"""How deep hooks may be nested: a hook may call what fires other hooks."""

_MOST_NAMED = 5
_INLINE = 10
_PRIORITIES: Mapping[SkillSource, int] = {
    SkillSource.BUILTIN: 0,
    SkillSource.USER: 10,
    SkillSource.BUNDLED: 20,
    SkillSource.PROJECT: 20,
    SkillSource.CONFIGURED: 20,
}
_TRUSTED = frozenset({SkillSource.BUILTIN, SkillSource.USER})

_depth: ContextVar[int] = ContextVar("hook_depth", default=0)


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
    (`contextvars`), by which that and the depth of hooks within hooks are known.
    """

    skill: str
    source: SkillSource
    priority: int
    phase: Phase
    number: int
    run: Callable[[dict[str, Json], float], Json]


class HookState(NamedTuple):
    """A registered hook, its failures in a row, and whether it is suspended."""

    hook: Hook
    failures: int
    suspended: bool


class HookOutcome(NamedTuple):
    """The result of a dispatch: the data with all changes, the changes alone, and remarks for the user.

    `cancelled_by` is the skill that cancelled, with its reason; None if none did. `changed_by` are the skills that
    changed the data, without built-in ones and the user's own.
    """

    data: Mapping[str, Json]
    modified: Mapping[str, Json]
    cancelled_by: str | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    changed_by: tuple[str, ...] = ()


class _Entry:
    """A registered hook. `failures` in a row; `removed` once its skill has gone."""

    __slots__ = ("failures", "hook", "removed")

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.failures = 0
        self.removed = False


class Hooks:
    """The hooks of all active skills. Methods may be called from several threads, and by handlers."""

    def __init__(self) -> None:
        self._entries: dict[Phase, tuple[_Entry, ...]] = {}
        self._lock = threading.Lock()

    def register(self, hook: Hook) -> None:
        """Add a hook behind those of the same priority. It counts from the next dispatch on."""
        with self._lock:
            entries = [*self._entries.get(hook.phase, ()), _Entry(hook)]
            self._entries[hook.phase] = tuple(sorted(entries, key=lambda entry: entry.hook.priority))

    def unregister(self, skill: str, hooks: Collection[Hook] | None = None) -> None:
        """Remove these hooks of a skill, by default all; none of them is started after this, also in a dispatch that
        runs."""
        with self._lock:
            for phase, entries in self._entries.items():
                for entry in entries:
                    is_meant = hooks is None or any(entry.hook is hook for hook in hooks)
                    entry.removed = entry.removed or (entry.hook.skill == skill and is_meant)
                self._entries[phase] = tuple(entry for entry in entries if not entry.removed)

    def replace(self, skill: str, hooks: Iterable[Hook]) -> None:
        """Put hooks in the place of all those of a skill, at once: no event passes between them. A dispatch that runs
        goes on with the old ones."""
        with self._lock:
            kept = {
                phase: [entry for entry in entries if entry.hook.skill != skill]
                for phase, entries in self._entries.items()
            }
            for hook in hooks:
                kept.setdefault(hook.phase, []).append(_Entry(hook))
            for phase, entries in kept.items():
                self._entries[phase] = tuple(sorted(entries, key=lambda entry: entry.hook.priority))

    def restore(self, skill: str, failures: Iterable[tuple[Phase, int, int]]) -> None:
        """Go on with failures in a row of a skill's hooks: the phase, the number of the hook, and how many."""
        counts = {(phase, number): count for phase, number, count in failures}
        with self._lock:
            for entry in (entry for entries in self._entries.values() for entry in entries):
                if entry.hook.skill == skill:
                    entry.failures = counts.get((entry.hook.phase, entry.hook.number), 0)

    def listen(self, phase: Phase) -> bool:
        """Whether there are hooks of a phase: what nobody reads need not be made."""
        return bool(self._entries.get(phase))

    def listed(self) -> tuple[HookState, ...]:
        """All hooks, by phase and in the order in which they run."""
        return tuple(
            HookState(entry.hook, entry.failures, entry.failures >= MOST_FAILURES)
            for phase in Phase
            for entry in self._entries.get(phase, ())
        )

    def dispatch(self, phase: Phase, data: Mapping[str, Json], skill: str | None = None) -> HookOutcome:
        """Run the hooks of a phase, one after the other. No failure of a hook is raised.

        `skill` is the one that `OnActivate` and `OnDeactivate` are about; only its hooks run then.
        """
        rules = PHASES[phase]
        if rules.own and skill is None:
            raise ValueError(f"{phase} is about one skill; name it")
        entries = self._entries.get(phase, ())
        if rules.own:
            entries = tuple(entry for entry in entries if entry.hook.skill == skill)
        if not entries:
            return HookOutcome(data, {})
        depth = _depth.get()
        token = _depth.set(depth + 1)
        try:
            with within(PHASE_SECONDS):
                return _Dispatch(rules, data, self._lock).run(entries, depth)
        finally:
            _depth.reset(token)


class _Dispatch:
    """One dispatch, and what is known so far."""

    def __init__(self, rules: PhaseRules, data: Mapping[str, Json], lock: threading.Lock) -> None:
        self._rules, self._data, self._lock = rules, data, lock
        self._modified: dict[str, Json] = {}
        self._notes: list[str] = []
        self._changed_by: list[str] = []

    def run(self, entries: tuple[_Entry, ...], depth: int) -> HookOutcome:
        for place, entry in enumerate(entries):
            if entry.removed or self._is_suspended(entry):
                continue
            if depth >= DEEPEST:
                return self._unable(entries[place:], f"hooks are nested more than {DEEPEST} deep")
            if is_over():
                return self._unable(entries[place:], "the time of this step is over")
            try:
                result = self._result(entry.hook, rest(SECONDS))
            except Exception as error:
                fault = self._failed(entry, error)
                if self._rules.cancels:
                    return self._outcome(entry.hook.skill, fault)
                continue
            if entry.failures:
                entry.failures = 0
            if result.modified:
                self._change(entry.hook, result)
            if result.cancel:
                return self._outcome(entry.hook.skill, result.reason)
        return self._outcome()

    def _change(self, hook: Hook, result: Result) -> None:
        before = {**self._data, **self._modified}
        self._modified = joined(self._modified, result.modified, self._rules)
        if hook.source not in _TRUSTED and before != {**self._data, **self._modified}:
            self._changed_by.append(hook.skill)

    def _is_suspended(self, entry: _Entry) -> bool:
        if entry.failures < MOST_FAILURES:
            return False
        if self._rules.cancels:
            # A guard that does not watch any more must not go unnoticed.
            self._note(entry.hook, "it is suspended after its failures; activate the skill again to resume it")
        return True

    def _result(self, hook: Hook, seconds: float) -> Result:
        answer = hook.run(_copy({**self._data, **self._modified}), seconds)
        result = read_result(answer, self._rules, trusted=hook.source in _TRUSTED)
        for dropped in result.dropped:
            self._note(hook, dropped)
        return result

    def _failed(self, entry: _Entry, error: Exception) -> str:
        """Count and note a failure; its words."""
        # Errors of ours are for the user; others are faults of the one who registered the hook.
        said = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        fault = f"its hook failed: {said}"
        with self._lock:
            entry.failures += 1
            is_last = entry.failures == MOST_FAILURES
        self._note(entry.hook, fault)
        if is_last:
            self._note(entry.hook, f"it is suspended after {MOST_FAILURES} failures in a row")
        return fault

    def _unable(self, entries: tuple[_Entry, ...], why: str) -> HookOutcome:
        """End the dispatch before these hooks."""
        hook = entries[0].hook
        later = list(dict.fromkeys(entry.hook.skill for entry in entries[1:] if entry.hook.skill != hook.skill))
        others = f" and those of {shortened(later)} are" if later else " is"
        fault = f"its hook{others} not run: {why}"
        self._note(hook, fault)
        return self._outcome(hook.skill, fault) if self._rules.cancels else self._outcome()

    def _note(self, hook: Hook, words: str) -> None:
        self._notes.append(f'{hook.phase}: skill "{hook.skill}": {mask(words)}')

    def _outcome(self, cancelled_by: str | None = None, reason: str = "") -> HookOutcome:
        data = {**self._data, **self._modified}
        changed_by = tuple(dict.fromkeys(self._changed_by))
        return HookOutcome(data, self._modified, cancelled_by, mask(reason), tuple(self._notes), changed_by)


def shortened(skills: Sequence[str]) -> str:
    """The names of skills in quotation marks, the first of many."""
    more = len(skills) - _MOST_NAMED
    named = ", ".join(f'"{skill}"' for skill in skills[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named


def _copy(value: Json) -> Json:
    """A deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: _copy(item) if isinstance(item, dict | list) else item for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_copy(item) if isinstance(item, dict | list) else item for item in value]
    return value
