"""The files that the pattern of a `discover` key finds in a workspace."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from skillbag.kernel.fs.read import is_within
from skillbag.kernel.workspace.tree import PRUNED, is_folder

_DEEP = "**"


class PatternPart(NamedTuple):
    """A part of a pattern between two `/`."""

    text: str
    matches: Callable[[str], object]
    deep: bool

    def takes(self, name: str) -> bool:
        """Whether it matches a name; hidden and pruned names must be written out."""
        is_pruned = name in PRUNED and self.text != name
        is_hidden = name.startswith(".") and not self.text.startswith(".")
        return not is_pruned and not is_hidden and bool(self.matches(name))


def pattern_parts(pattern: str) -> tuple[PatternPart, ...]:
    """The parts of a pattern; one that names no entry, such as `a/**`, gets `*` for every entry."""
    texts: list[str] = []
    for text in pattern.split("/"):
        if text not in ("", ".") and not (text == _DEEP and texts[-1:] == [_DEEP]):
            texts.append(text)
    if texts[-1:] in ([], [_DEEP]):
        texts.append("*")
    return tuple(PatternPart(text, re.compile(fnmatch.translate(text)).match, text == _DEEP) for text in texts)


def reached(at: set[int], parts: tuple[PatternPart, ...]) -> frozenset[int]:
    """`at`, with the part after each `**`, which may also match no folder."""
    return frozenset(at | {index + 1 for index in at if parts[index].deep})


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
