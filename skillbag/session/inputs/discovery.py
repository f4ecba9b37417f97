"""A bounded search within the workspace for the files of a parameter's `discover` (clause inputs.discovery)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.kernel.fs.read import is_within
from skillbag.kernel.workspace.tree import is_folder
from skillbag.session.inputs.discovery_patterns import PatternPart, pattern_parts, reached

BUDGET = 100_000
"""Files and folders that the searches of a skill visit together."""

_LONGEST = 4_096
"""Characters of a pattern; no path is longer."""


class FoundFiles(NamedTuple):
    """The matching files, sorted, relative to the root with `/`; `complete` is False if the budget was used up."""

    paths: tuple[str, ...]
    complete: bool


class FileSearch:
    """Searches below `root` that share a `budget`."""

    def __init__(self, root: str, budget: int = BUDGET) -> None:
        self.root = root
        self._left = budget

    def files(self, patterns: Iterable[str]) -> FoundFiles:
        """The files that match any of the patterns; none is opened.

        `*`, `?` and `[…]` match within a name, `**` any number of folders, never through a link. Hidden entries match
        only a part of the pattern that begins with a dot, folders such as `node_modules` only their own name. A link
        matches if its target is within the root.
        """
        found: set[str] = set()
        for pattern in patterns:
            if self._left <= 0:
                break
            if len(pattern) <= _LONGEST:
                found.update(self._matches(pattern))
        return FoundFiles(tuple(sorted(found)), self._left > 0)

    def _matches(self, pattern: str) -> Iterator[str]:
        parts = pattern_parts(pattern)
        last = len(parts) - 1
        pending = [("", reached({0}, parts))]
        while pending and self._left > 0:
            prefix, at = pending.pop()
            for entry in self._children(prefix):
                fits = last in at and parts[last].takes(entry.name)
                if fits and os.path.isfile(entry.path) and self._is_inside(entry):
                    yield prefix + entry.name
                elif onward := self._onward(entry, at, parts):
                    pending.append((f"{prefix}{entry.name}/", reached(onward, parts)))

    def _children(self, prefix: str) -> Iterator[os.DirEntry[str]]:
        self._left -= 1
        try:
            with os.scandir(os.path.join(self.root, prefix)) as children:
                for entry in children:
                    self._left -= 1
                    if self._left <= 0:
                        return
                    yield entry
        except OSError:
            return

    def _onward(self, entry: os.DirEntry[str], at: frozenset[int], parts: tuple[PatternPart, ...]) -> set[int]:
        """The parts of the pattern for the folder's content to match; empty if the entry is not entered."""
        onward: set[int] = set()
        for index in at:
            if parts[index].deep and not entry.is_symlink():
                onward.update({index} if parts[index].takes(entry.name) else ())
            elif index + 1 < len(parts) and not parts[index].deep and parts[index].takes(entry.name):
                onward.add(index + 1)
        return onward if onward and is_folder(entry) and self._is_inside(entry) else set()

    def _is_inside(self, entry: os.DirEntry[str]) -> bool:
        return not entry.is_symlink() or is_within(self.root, entry.path)
