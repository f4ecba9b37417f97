"""Guards: skills with a hook before calls. No call may pass one that can't be asked (skill runtime, section 6)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from skillbag import DOCUMENTATION
from skillbag.runtime.printable import printable


def can_t_ask(guards: Iterable[str]) -> str:
    """Why a call is refused whose guards did not answer."""
    return f"Active skills that guard calls can't be asked: {', '.join(guards)}"


def no_guard(skill: str) -> str:
    """Why an edited skill that guarded calls is not active."""
    return f'the skill "{skill}" has no hook before calls any more; activate it again'


class LostSkills(dict[str, bool]):
    """Skills that were active in the session and can't go on, until they are activated again or deactivated; and
    whether they guard calls."""

    def __init__(self) -> None:
        """There are none."""
        super().__init__()
        self.unknown: set[str] = set()
        self._lock = threading.Lock()
        self._last: tuple[int, str] = (0, "")
        self._held: frozenset[str] = frozenset()

    @property
    def guards(self) -> tuple[str, ...]:
        """Those that guard calls, sorted: no call may pass them."""
        # A copy: another thread may lose one meanwhile.
        return tuple(sorted(self._held.union(name for name, is_guard in list(self.items()) if is_guard)))

    @property
    def last(self) -> tuple[int, str]:
        """How many times a guard was lost in this process, and which was the last. A call that began before was not
        asked about by it, even if it is active again."""
        return self._last

    @contextmanager
    def holding(self, guards: Iterable[str]) -> Iterator[None]:
        """Within the block no call passes these guards, active or not."""
        self._held = frozenset(guards)
        try:
            yield
        finally:
            self._held = frozenset()

    def add(self, skill: str, *, is_guard: bool, is_unknown: bool = False) -> None:
        """A skill is lost while it is active; `is_unknown`: nobody can tell whether it should be. From any thread."""
        with self._lock:
            self[skill] = is_guard
            self.unknown |= {skill} if is_unknown else set()
            if is_guard:
                self._last = (self._last[0] + 1, skill)


def ways_out(guards: Iterable[str], session: str | None) -> tuple[str, ...]:
    """Sentences for the user, one for each guard that did not answer: how calls pass again. A model may read them:
    they name no command. Empty without a session: no other process can reach its skills."""
    if not session:
        return ()
    return tuple(
        printable(
            f'Calls are refused until the guard "{guard}" answers or is deactivated. A person activates or deactivates '
            f"it in the session {session}, on a terminal in this workspace: {DOCUMENTATION}/runtime.md#hooks"
        )
        for guard in guards
    )


def ending(guards: Iterable[str]) -> str:
    """What a deactivation would do that ends these guards of the user's."""
    return printable(f"deactivating {', '.join(guards)}, which guards calls")
