"""The hooks of active skills (skill runtime, section 6).

The handlers of a phase are an immutable tuple that is replaced at each change. A dispatch works on the tuple that it
found, so skills may come and go meanwhile, and no lock is held while a handler runs.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping

from skillbag.kernel.base.time_limit import within
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.hooks.hook_dispatch import MAX_FAILURES, Dispatch, Hook, HookOutcome, HookState, RegisteredHook
from skillbag.runtime.phases import PHASES
from skillbag.runtime.skill import Json

PHASE_SECONDS = 30.0
"""Limit of all handlers of a phase, in seconds, with all that host functions wait for."""


class Hooks:
    """The hooks of all active skills. Methods may be called from several threads, and by handlers."""

    def __init__(self) -> None:
        self._entries: dict[Phase, tuple[RegisteredHook, ...]] = {}
        self._lock = threading.Lock()

    def register(self, hook: Hook) -> None:
        """Add a hook behind those of the same priority. It counts from the next dispatch on,
        and one that can cancel in the one that runs."""
        with self._lock:
            entries = [*self._entries.get(hook.phase, ()), RegisteredHook(hook)]
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
        goes on with the old ones, and asks new guards as well."""
        with self._lock:
            kept = {
                phase: [entry for entry in entries if entry.hook.skill != skill]
                for phase, entries in self._entries.items()
            }
            for hook in hooks:
                kept.setdefault(hook.phase, []).append(RegisteredHook(hook))
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
            HookState(entry.hook, entry.failures, entry.failures >= MAX_FAILURES and not PHASES[phase].cancels)
            for phase in Phase
            for entry in self._entries.get(phase, ())
        )

    def dispatch(self, phase: Phase, data: Mapping[str, Json], skill: str | None = None) -> HookOutcome:
        """Run the hooks of a phase, one after the other. No failure of a hook is raised.

        `skill` is the one that it is about: of `OnActivate` and `OnDeactivate`, only whose hooks run then; of a call,
        the one that has the tool, and None for a tool that no active skill has.
        """
        rules = PHASES[phase]
        if rules.own and skill is None:
            raise ValueError(f"{phase} is about one skill; name it")

        def current() -> tuple[RegisteredHook, ...]:
            entries = self._entries.get(phase, ())
            return tuple(each for each in entries if each.hook.skill == skill) if rules.own else entries

        if not current():
            return HookOutcome(data, {})
        with within(PHASE_SECONDS):
            return Dispatch(rules, data, skill, self._lock).run(current)
