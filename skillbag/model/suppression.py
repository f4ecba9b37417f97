"""A suppression as it is written in a file; `checks/suppressions.py` reads and applies them."""

from __future__ import annotations

from skillbag.base.records import NamedTuple


class Suppression(NamedTuple):
    """One comment: the rules that it names, the 1-based lines that it applies to (0: the file), reason and end.

    `until` is the date as written, None without one; `start` and `end` are the comment's offsets.
    """

    path: str
    rules: tuple[str, ...]
    first: int
    last: int
    reason: str
    until: str | None
    start: int
    end: int

    def covers(self, line: int) -> bool:
        """Whether it applies to a line."""
        return self.first == 0 or self.first <= line <= self.last
