"""The cache of a process that stays: after a change, only what depends on the changed paths is examined.

Some dependencies lie outside of what a process is notified of (a link's target, git's settings), so everything is
examined from time to time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum
from functools import cached_property, partial
from typing import Generic, TypeVar

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.transaction.locations import Notice
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.cache.entry import CacheEntry, split_questions
from skillbag.lint.cache.memory import Memory, stamps_of
from skillbag.lint.cache.store import Snapshot, place_of
from skillbag.lint.engine.request import CheckRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.workspace.summary import SkillSummary
    from skillbag.kernel.workspace.target import SkillFolder
    from skillbag.lint.engine.verdict import Verdict

K = TypeVar("K")
V = TypeVar("V")

_CONTENT = (tracked.CONTENT, tracked.VERSION)


class Extent(IntEnum):
    """How far what may have changed with a path reaches; each includes those before it."""

    CONTENT = 0
    """The content of the file there."""
    PATH = 1
    """What is there, and below it; it may have come or gone."""
    TREE = 2
    """Folders above it, too."""


_REST = 2.0
"""Seconds between two full checks; more if they take long."""
_SHARE = 50
"""A full check may take one part in so many of the time."""


class _Kept(Generic[K, V]):
    """Values by what they are made of, as long as each round asks for them."""

    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._used: dict[K, V] = {}

    def of(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, which is made if it is new."""
        value = self._used[key] = self._values[key] if key in self._values else make()
        return value

    def forget_unused(self) -> None:
        """End a round that has asked for any value: the others are forgotten."""
        if self._used:
            self._values, self._used = self._used, {}


class LiveMemory(Memory):
    """The cache of a process that is notified of changes; nothing is written until `flush`."""

    def __init__(self, path: str | None) -> None:
        super().__init__(path)
        self._suspects: frozenset[int] | None = None
        self._is_written = True
        self._verdicts: _Kept[tuple[str, bytes], Verdict] = _Kept()
        self._summaries: _Kept[tuple[SkillFolder, bytes], SkillSummary] = _Kept()

    def suspect(self, paths: Iterable[str] | None, extent: Extent = Extent.PATH) -> bool:
        """Let the next check examine only these absolute paths (None: everything); whether that is needed."""
        find = self._readers if extent is Extent.CONTENT else partial(self._dependents, extent=extent)
        found = None if paths is None else map(find, paths)
        self._suspects = None if found is None else frozenset[int]().union(*found)
        return self._suspects != frozenset()

    def folders(self) -> frozenset[str]:
        """The folders to watch: those in which a change may matter, or the nearest existing ones above them."""
        wanted = {os.path.dirname(path) for path in self._paths}
        questions = split_questions([entry.questions for entry in self._kept.entries])
        wanted |= {question[1:] for question in questions if question[0] == tracked.NAMES}
        return frozenset(map(_nearest, filter(os.path.isabs, wanted)))

    def verdict(self, packed: bytes, root: str) -> Verdict:
        """As of `Memory`; what is unpacked stays so while the entry is the same."""
        return self._verdicts.of((root, packed), lambda: super(LiveMemory, self).verdict(packed, root))

    def summary(self, packed: bytes, folder: SkillFolder) -> SkillSummary:
        """As `verdict`."""
        return self._summaries.of((folder, packed), lambda: super(LiveMemory, self).summary(packed, folder))

    def flush(self) -> None:
        """Write the cache file."""
        if not self._is_written:
            super()._write()
            self._is_written = True

    def forget(self) -> None:
        """Discard all cached state, and examine everything."""
        super().forget()
        vars(self).pop("_paths", None)
        self._suspects = None

    def _set(self, snapshot: Snapshot) -> None:
        if "_paths" in vars(self) and not self._renumber(self._kept.entries, snapshot.entries):
            del self._paths
        super()._set(snapshot)
        self._verdicts.forget_unused()
        self._summaries.forget_unused()

    def _write(self) -> None:
        self._is_written = False

    def _renumber(self, before: Sequence[CacheEntry], after: Sequence[CacheEntry]) -> bool:
        """Correct what depends on each path; False where too much has changed for that."""
        if len(before) != len(after):
            return False
        for number, (old, new) in enumerate(zip(before, after, strict=True)):
            if old.questions != new.questions:
                self._drop(number, old)
                self._note(number, new)
        return True

    def _drop(self, number: int, entry: CacheEntry) -> None:
        for path in _paths_of(entry):
            numbers = self._paths[path]
            numbers.pop(number, None)
            if not numbers:
                # Each key may ask of paths that nobody asks of again.
                del self._paths[path]

    def _note(self, number: int, entry: CacheEntry) -> None:
        for path, is_read in _paths_of(entry).items():
            self._paths.setdefault(path, {})[number] = is_read

    def _find_changed(self) -> AbstractSet[int]:
        if self._suspects is None:
            return super()._find_changed()
        suspects = ((number, self._kept.entries[number]) for number in self._suspects)
        return {number for number, entry in suspects if stamps_of([entry.questions]) != entry.stamps}

    @cached_property
    def _paths(self) -> dict[str, dict[int, bool]]:
        """The entries that depend on each path, and whether on the content of the file there."""
        found: dict[str, dict[int, bool]] = {}
        self._paths = found
        for number, entry in enumerate(self._kept.entries):
            self._note(number, entry)
        return found

    def _readers(self, path: str) -> set[int]:
        """The entries that depend on the content of a file."""
        return {number for number, is_read in self._paths.get(path, {}).items() if is_read}

    def _dependents(self, path: str, extent: Extent) -> set[int]:
        """The entries that depend on a path, on the names in its folder, or on something below it."""
        folder = os.path.dirname(path)
        numbers = {*self._paths.get(path, ()), *self._paths.get(folder, ())}
        while extent is Extent.TREE and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
            numbers.update(self._paths.get(folder, ()))
        if os.path.lexists(path) and not os.path.isdir(path):
            return numbers
        below = path + os.sep
        return numbers.union(*(entries for other, entries in self._paths.items() if other.startswith(below)))


def _paths_of(entry: CacheEntry) -> dict[str, bool]:
    """The paths of which an entry asks something, and whether for the content there.

    Their real folders are added: a change may be named by either.
    """
    paths: dict[str, bool] = {}
    for question in split_questions([entry.questions]):
        paths[question[1:]] = paths.get(question[1:], False) or question[0] in _CONTENT
    for folder in {os.path.dirname(path) for path in paths}:
        real = os.path.realpath(folder)
        if real != folder:
            inside = [(path, is_read) for path, is_read in paths.items() if os.path.dirname(path) == folder]
            paths.update((os.path.join(real, os.path.basename(path)), is_read) for path, is_read in inside)
    return paths


def _nearest(folder: str) -> str:
    """The nearest readable folder at or above `folder`: nothing else can be watched."""
    while not (os.path.isdir(folder) and os.access(folder, os.R_OK)) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


class LiveChecker:
    """Checks of one request, again and again; with `remember`, the cache of earlier checks is used and updated."""

    def __init__(self, request: CheckRequest, notice: Notice | None = None, *, remember: bool = True) -> None:
        self.memory = LiveMemory(place_of(request._replace(today="")) if remember else None)
        self.rest = _REST
        self._checker = CachedChecker(request, notice, self.memory)
        self._last: CheckResult | str | None = None
        self._due = 0.0

    def check(self) -> CheckResult:
        """The first result. Raises as `Checker.check`."""
        self._last = result = self._checker.check()
        return result

    def check_again(self, paths: Iterable[str] | None) -> CheckResult | UserError | None:
        """The result after a change of these paths (None: of any), if it differs from the last one."""
        everything = paths is None or time.monotonic() > self._due
        try:
            result = self.latest(None if everything else paths)
        except UserError as error:
            is_new, self._last = str(error) != self._last, str(error)
            return error if is_new else None
        if result is None:
            return None
        if everything:
            self.memory.flush()
        is_new, self._last = result != self._last, result
        return result if is_new else None

    def latest(self, paths: Iterable[str] | None, extent: Extent = Extent.PATH) -> CheckResult | None:
        """The result after a change of these paths (see `LiveMemory.suspect`); None where nothing depends on them.

        Raises as `Checker.check`; then everything is examined the next time.
        """
        begun = time.monotonic()
        due, self._due = self._due, 0.0
        if not self.memory.suspect(paths if due else None, extent):
            self._due = due
            return None
        result = self._checker.check()
        self._due = due
        if paths is None or not due:
            now = time.monotonic()
            self.rest = max(_REST, (now - begun) * _SHARE)
            # With constant changes there is no pause for a full check, which is due nevertheless.
            self._due = now + 2 * self.rest
        return result
