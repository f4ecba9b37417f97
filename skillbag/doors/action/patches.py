"""Which lines of a pull request can bear a comment: those of the hunks of its diff, as they are after it."""

from __future__ import annotations

import re
from typing import NamedTuple

_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@", re.ASCII)


class ChangedFile(NamedTuple):
    """A file of a pull request: its path in the repository, the object of its content, and the spans of its hunks.

    A span is the first and the last line, 1-based.
    """

    path: str
    blob: str
    hunks: tuple[tuple[int, int], ...]

    def holds(self, first: int, last: int) -> bool:
        """Whether these lines are in one hunk."""
        return any(start <= first <= last <= end for start, end in self.hunks)


def hunks_of(patch: str) -> tuple[tuple[int, int], ...]:
    """The spans of the hunks of a patch of one file; hunks that only delete have none."""
    found = []
    for line in patch.split("\n"):
        # A line of the file has ` `, `+` or `-` before it.
        if match := _HUNK.match(line):
            start, count = int(match[1]), int(match[2] or 1)
            if count:
                found.append((start, start + count - 1))
    return tuple(found)
