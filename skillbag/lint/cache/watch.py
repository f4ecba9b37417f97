"""Check again whenever a file changes: normally only the changes that the system reports are examined.

It may miss some, and some dependencies lie outside the watched folders (a link's target, git's settings), so everything
is examined from time to time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.transaction.locations import Notice
from skillbag.lint.cache.live import LiveChecker
from skillbag.lint.engine.request import CheckRequest

_STEP = 5
"""Milliseconds without a further change after which the changes are examined."""


class EndEvent(Protocol):
    """An event that ends the watch; polled many times a second."""

    def is_set(self) -> bool:
        """Whether the watch should end."""
        ...


def watch_checks(
    request: CheckRequest,
    deliver: Callable[[CheckResult | UserError], object],
    ended: EndEvent,
    notice: Notice | None = None,
    *,
    remember: bool = True,
) -> None:
    """Deliver the current result, then each new one, until `ended` is set.

    A configuration error is delivered as a `UserError`, once until it changes. With `remember`, the cache of earlier
    checks is used and updated.

    Raises:
        UserError: there is nothing to check at the start.
        OSError: the environment failed.
    """
    live = LiveChecker(request, notice, remember=remember)
    deliver(live.check())
    while not ended.is_set():
        folders = live.memory.folders()
        for paths in _changes(folders, live.rest, ended):
            result = live.check_again(paths)
            if result is not None:
                deliver(result)
            if live.memory.folders() != folders:
                break
    live.memory.flush()


def _changes(folders: Iterable[str], rest: float, ended: EndEvent) -> Iterator[frozenset[str] | None]:
    """Batches of changed paths in the folders; None where anything may have changed."""
    import watchfiles

    # Changes before the watch begins are not reported.
    first = True
    try:
        for changes in watchfiles.watch(
            *sorted(folders),
            watch_filter=None,
            step=_STEP,
            debounce=_STEP * 10,
            rust_timeout=int(rest * 1000),
            yield_on_timeout=True,
            stop_event=ended,
            raise_interrupt=False,
            recursive=False,
        ):
            yield None if first or not changes else frozenset(path for _, path in changes)
            first = False
    except OSError:
        # A folder was deleted, or the system's limit of watches is reached: check everything instead.
        time.sleep(rest)
        yield None


def ticks(folder: str, seconds: float, ended: EndEvent) -> Iterator[None]:
    """A tick at each change below a folder, and one after so many seconds without any, until `ended` is set."""
    import watchfiles

    while not ended.is_set():
        try:
            for _ in watchfiles.watch(
                folder,
                watch_filter=None,
                step=_STEP,
                debounce=_STEP * 10,
                rust_timeout=int(seconds * 1000),
                yield_on_timeout=True,
                stop_event=ended,
                raise_interrupt=False,
            ):
                yield
        except OSError:
            # As in `_changes`.
            time.sleep(seconds)
            yield
