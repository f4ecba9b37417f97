"""Work that somebody may take back while it goes on: one thread asks, and those that do the work heed it.

It is heeded while something is fetched, and before a plan is carried out; a change of files that has begun comes to its
end. Threads that a worker starts heed it where they run in a copy of its context.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar


class WorkStoppedError(BaseException):
    """The work was taken back. No failure of it: nothing that handles failures may catch it."""


class Stop:
    """One piece of work's."""

    def __init__(self) -> None:
        self._is_asked = False
        self._actions: list[Callable[[], None]] = []
        self._guard = threading.Lock()

    def ask(self) -> None:
        """Take the work back, from any thread."""
        with self._guard:
            self._is_asked = True
            actions = list(self._actions)
        for action in actions:
            action()

    def check(self) -> None:
        """Raise `WorkStoppedError` if the work was taken back."""
        if self._is_asked:
            raise WorkStoppedError

    @contextlib.contextmanager
    def heeded(self) -> Iterator[None]:
        """Within the block, what this thread does is the work."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    @contextlib.contextmanager
    def calling(self, action: Callable[[], None]) -> Iterator[None]:
        """Within the block, `action` is called when the work is taken back, from whichever thread that is done."""
        with self._guard:
            self._actions.append(action)
            late = self._is_asked
        try:
            if late:
                action()
            yield
        finally:
            with self._guard:
                self._actions.remove(action)


_current: ContextVar[Stop | None] = ContextVar("stop", default=None)


def check_stop() -> None:
    """Raise `WorkStoppedError` if the work that this thread does was taken back."""
    if (stop := _current.get()) is not None:
        stop.check()


def on_stop(action: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
    """Within the block, `action` is called when the work that this thread does is taken back."""
    stop = _current.get()
    return contextlib.nullcontext() if stop is None else stop.calling(action)
