"""Check again whenever a file changes: normally only the changes that the system reports are examined.

It may miss some, and some dependencies lie outside the watched folders (a link's target, git's settings), so everything
is examined from time to time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Protocol

from skillbag.base.errors import UserError
from skillbag.cache.checker import CachedChecker
from skillbag.cache.entry import split_questions
from skillbag.cache.eviction import place_of
from skillbag.cache.memory import Memory, stamps_of
from skillbag.engine.request import CheckRequest
from skillbag.fs import tracked
from skillbag.model.result import Result
from skillbag.transaction.locations import Notice

_STEP = 5
"""Milliseconds without a further change after which the changes are examined."""
_REST = 2.0
"""Seconds between two full checks; more if they take long."""
_SHARE = 50
"""A full check may take one part in so many of the time."""


class Ended(Protocol):
    """An event that ends the watch; polled many times a second."""

    def is_set(self) -> bool:
        """Whether the watch should end."""
        ...


class LiveMemory(Memory):
    """The cache of a process that is notified of changes; nothing is written until `flush`."""

    def __init__(self, path: str | None) -> None:
        super().__init__(path)
        self._suspects: frozenset[int] | None = None
        self._is_written = True

    def suspect(self, paths: Iterable[str] | None) -> bool:
        """Let the next check examine only these absolute paths (None: everything); whether that is needed."""
        self._suspects = None if paths is None else frozenset[int]().union(*map(self._dependents, paths))
        return self._suspects != frozenset()

    def folders(self) -> frozenset[str]:
        """The folders to watch: those in which a change may matter, or the nearest existing ones above them."""
        wanted = {os.path.dirname(path) for path in self._paths}
        questions = split_questions([entry.questions for entry in self._entries])
        wanted |= {question[1:] for question in questions if question[0] == tracked.NAMES}
        return frozenset(map(_nearest, filter(os.path.isabs, wanted)))

    def flush(self) -> None:
        """Write the cache file."""
        if not self._is_written:
            super()._write()
            self._is_written = True

    def forget(self) -> None:
        """Discard all cached state, and examine everything."""
        super().forget()
        self._suspects = None

    def _write(self) -> None:
        self._is_written = False
        vars(self).pop("_paths", None)

    def _find_changed(self) -> AbstractSet[int]:
        if self._suspects is None:
            return super()._find_changed()
        suspects = ((number, self._entries[number]) for number in self._suspects)
        return {number for number, entry in suspects if stamps_of([entry.questions]) != entry.stamps}

    @cached_property
    def _paths(self) -> dict[str, set[int]]:
        """The entries that depend on each path."""
        found: dict[str, set[int]] = {}
        for number, entry in enumerate(self._entries):
            for question in split_questions([entry.questions]):
                found.setdefault(question[1:], set()).add(number)
        return found

    def _dependents(self, path: str) -> set[int]:
        """The entries that depend on a path, on the names in its folder, or on something below it."""
        numbers = self._paths.get(path, set()) | self._paths.get(os.path.dirname(path), set())
        if os.path.lexists(path) and not os.path.isdir(path):
            return numbers
        below = path + os.sep
        return numbers.union(*(entries for other, entries in self._paths.items() if other.startswith(below)))


def _nearest(folder: str) -> str:
    """The nearest readable folder at or above `folder`: nothing else can be watched."""
    while not (os.path.isdir(folder) and os.access(folder, os.R_OK)) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def watch_checks(
    request: CheckRequest,
    deliver: Callable[[Result | UserError], object],
    ended: Ended,
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
    live = _Live(request, notice, remember=remember)
    deliver(live.first)
    while not ended.is_set():
        folders = live.memory.folders()
        for paths in _changes(folders, live.rest, ended):
            result = live.check_again(paths)
            if result is not None:
                deliver(result)
            if live.memory.folders() != folders:
                break
    live.memory.flush()


class _Live:
    """The last result, and the state that the next check needs."""

    def __init__(self, request: CheckRequest, notice: Notice | None, *, remember: bool) -> None:
        self.memory = LiveMemory(place_of(request._replace(today="")) if remember else None)
        self.rest = _REST
        self._checker = CachedChecker(request, notice)
        self.first = self._checker.check_from(self.memory)
        self._last: Result | str = self.first
        self._due = 0.0

    def check_again(self, paths: Iterable[str] | None) -> Result | UserError | None:
        """The result after a change of these paths (None: of any), if it differs from the last one."""
        begun = time.monotonic()
        everything = paths is None or begun > self._due
        if not self.memory.suspect(None if everything else paths):
            return None
        try:
            result = self._checker.check_from(self.memory)
        except UserError as error:
            # The changes were not examined completely.
            self._due = 0.0
            is_new, self._last = str(error) != self._last, str(error)
            return error if is_new else None
        if everything:
            now = time.monotonic()
            self.rest = max(_REST, (now - begun) * _SHARE)
            # With constant changes there is no pause for a full check, which is due nevertheless.
            self._due = now + 2 * self.rest
            self.memory.flush()
        is_new, self._last = result != self._last, result
        return result if is_new else None


def _changes(folders: Iterable[str], rest: float, ended: Ended) -> Iterator[frozenset[str] | None]:
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


def ticks(folder: str, seconds: float, ended: Ended) -> Iterator[None]:
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
