"""The parts of a pattern of `discover`, each of which matches one name."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import NamedTuple

from skillbag.kernel.workspace.tree import PRUNED

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
