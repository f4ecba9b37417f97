"""Checking again whenever something changes: what the system tells of is looked at, and nothing else.

The system may miss something, and some of what matters lies beyond what it watches for us (a link's target, git's
settings): every now and then everything is looked at.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Protocol

from skillbag.base.errors import UserError
from skillbag.cache.checker import CachedChecker
from skillbag.cache.eviction import place_of
from skillbag.cache.memory import CheckRecord, Memory, stamps_of
from skillbag.engine.request import CheckRequest
from skillbag.fs import tracked
from skillbag.model.result import Result
from skillbag.transaction.locations import Notice

_STEP = 5
"""Milliseconds without a further change after which those so far are looked at."""
_REST = 2.0
"""Seconds of rest after which everything is looked at; more where a look takes long."""
_SHARE = 50
"""A look at everything may take one part in so many of the time."""


class Ended(Protocol):
    """What says that the watch shall end; asked many times a second."""

    def is_set(self) -> bool:
        """Whether it shall."""
        ...


class LiveMemory(Memory):
    """A memory that stays, of a process that is told of what changes; nothing is written until `flush`."""

    def __init__(self, path: str | None) -> None:
        super().__init__(path)
        self._suspects: frozenset[int] | None = None
        self._is_written = True

    def suspect(self, paths: Iterable[str]) -> bool:
        """Let the next check look at these absolute paths alone; whether anything hangs on them."""
        numbers: set[int] = set()
        for path in paths:
            numbers |= self._hanging_on(path)
        self._suspects = frozenset(numbers)
        return bool(numbers)

    def suspect_all(self) -> None:
        """Let the next check look at everything."""
        self._suspects = None

    def folders(self) -> frozenset[str]:
        """The folders to watch: those in which a change may matter, or where there is none, what would hold it."""
        wanted = {os.path.dirname(path) for path in self._paths}
        wanted |= {question[1:] for question in self._units.asked() if question[0] == tracked.NAMES}
        return frozenset(map(_nearest, filter(os.path.isabs, wanted)))

    def forget(self) -> None:
        """Know nothing any more, and look at everything."""
        super().forget()
        self._suspects = None
        vars(self).pop("_paths", None)

    def remember(self, outcome: CheckRecord) -> None:
        """Keep it for the next check."""
        self._take(outcome)
        self._is_written = False
        vars(self).pop("_paths", None)

    def flush(self) -> None:
        """Write down what is known."""
        if not self._is_written:
            self._write()
            self._is_written = True

    def _look(self) -> frozenset[int]:
        if self._suspects is None:
            return super()._look()
        suspects = ((number, self._units[number]) for number in self._suspects)
        return frozenset(number for number, unit in suspects if stamps_of([unit.questions]) != unit.stamps)

    @cached_property
    def _paths(self) -> dict[str, set[int]]:
        """The units that hang on each path."""
        found: dict[str, set[int]] = {}
        for number, unit in enumerate(self._units):
            for question in unit.asked:
                found.setdefault(question[1:], set()).add(number)
        return found

    def _hanging_on(self, path: str) -> set[int]:
        """The units that hang on a path, on the names in its folder, or on something below it."""
        numbers = self._paths.get(path, set()) | self._paths.get(os.path.dirname(path), set())
        if os.path.lexists(path) and not os.path.isdir(path):
            return numbers
        below = path + os.sep
        return numbers.union(*(units for other, units in self._paths.items() if other.startswith(below)))


def _nearest(folder: str) -> str:
    """The folder, or the nearest around it that is there and can be looked into: nothing else can be watched."""
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
    """Deliver the result as it is now, then each other one as soon as it is found out, until it is `ended`.

    A mistake in a configuration is delivered as the one that it is, and again when it is another. With `remember`, it
    begins with what earlier checks of the same request found out, and leaves what it finds to later ones.

    Raises:
        UserError: there is nothing to check to begin with.
        OSError: the environment failed.
    """
    live = _Live(request, notice, remember=remember)
    deliver(live.check())
    while not ended.is_set():
        for paths in _changes(live.memory.folders(), live.rest, ended):
            found = live.check_again(paths)
            if found is not None:
                deliver(found)
            if live.takes_other_folders():
                break
    live.memory.flush()


class _Live:
    """The last result, and what it takes to find out the next."""

    def __init__(self, request: CheckRequest, notice: Notice | None, *, remember: bool) -> None:
        self.memory = LiveMemory(place_of(request._replace(today="")) if remember else None)
        self.rest = _REST
        self._checker = CachedChecker(request, notice)
        self._last: Result | str | None = None
        self._folders: frozenset[str] = frozenset()
        self._due = 0.0

    def takes_other_folders(self) -> bool:
        """Take note of the folders that matter; whether they are others than before."""
        before, self._folders = self._folders, self.memory.folders()
        return before != self._folders

    def check(self) -> Result:
        """The result as it is now."""
        self._last = result = self._checker.check_from(self.memory)
        self._folders = self.memory.folders()
        return result

    def check_again(self, paths: Iterable[str] | None) -> Result | UserError | None:
        """The result after a change of these paths (None: of any), if it is another than before."""
        begun = time.monotonic()
        everything = paths is None or begun > self._due
        if everything:
            self.memory.suspect_all()
        elif not self.memory.suspect(paths or ()):
            return None
        try:
            result = self._checker.check_from(self.memory)
        except UserError as error:
            # What has changed was not looked at to its end.
            self._due = 0.0
            is_new, self._last = str(error) != self._last, str(error)
            return error if is_new else None
        if everything:
            self._rest_since(begun)
            self.memory.flush()
        is_new, self._last = result != self._last, result
        return result if is_new else None

    def _rest_since(self, begun: float) -> None:
        now = time.monotonic()
        self.rest = max(_REST, (now - begun) * _SHARE)
        # Where something changes all the time there is no rest: everything is due all the same.
        self._due = now + 2 * self.rest


def _changes(folders: Iterable[str], rest: float, ended: Ended) -> Iterator[frozenset[str] | None]:
    """The paths that changed in one of the folders, again and again; None where it may be anything."""
    import watchfiles

    # What changed before we watch is told by nobody.
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
        # A folder went away, or the system watches no more of them for us: we look ourselves.
        time.sleep(rest)
        yield None
