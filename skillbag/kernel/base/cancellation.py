"""Cancellation of running work by another thread.

It takes effect during a fetch, and before a plan is applied; a change of files that has begun is completed. Threads of
a worker can be cancelled with it if they run in a copy of its context.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar


class WorkStoppedError(BaseException):
    """The work was cancelled. This is no failure, and handlers of failures must not catch it."""


class Stop:
    """The cancellation of one piece of work."""

    def __init__(self) -> None:
        self._is_requested = False
        self._actions: list[Callable[[], None]] = []
        self._guard = threading.Lock()

    def ask(self) -> None:
        """Cancel the work, from any thread."""
        with self._guard:
            self._is_requested = True
            actions = list(self._actions)
        for action in actions:
            action()

    def check(self) -> None:
        """Raise `WorkStoppedError` if the work was cancelled."""
        if self._is_requested:
            raise WorkStoppedError

    @contextlib.contextmanager
    def attached(self) -> Iterator[None]:
        """Within the block, this thread does the work."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    @contextlib.contextmanager
    def calling(self, action: Callable[[], None]) -> Iterator[None]:
        """Within the block, `action` is called when the work is cancelled, in the thread that does so."""
        with self._guard:
            self._actions.append(action)
            late = self._is_requested
        try:
            if late:
                action()
            yield
        finally:
            with self._guard:
                self._actions.remove(action)


_current: ContextVar[Stop | None] = ContextVar("stop", default=None)
_NOTHING = contextlib.nullcontext()


def check_stop() -> None:
    """Raise `WorkStoppedError` if the work of this thread was cancelled."""
    if (stop := _current.get()) is not None:
        stop.check()


def on_stop(action: Callable[[], None]) -> contextlib.AbstractContextManager[None]:
    """Within the block, `action` is called when the work of this thread is cancelled."""
    stop = _current.get()
    return _NOTHING if stop is None else stop.calling(action)
