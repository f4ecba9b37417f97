"""Remarks for the user, bounded: a skill must not fill the memory of a long session with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

MAX = 100
"""So many remarks are kept."""

_LONGEST = 2000


class Remarks(list[str]):
    """Sentences for the user since the list was last emptied, each once, and cut at 2000 characters. Of more than
    `MAX`, the newest are kept, behind one with the number of the others."""

    def __init__(self) -> None:
        """There are none."""
        super().__init__()
        self._left_out = 0

    def append(self, remark: str, /) -> None:
        """Add a sentence, unless it is there."""
        if not self:
            self._left_out = 0
        cut = remark if len(remark) <= _LONGEST else f"{remark[:_LONGEST]}…"
        if cut in self:
            return
        super().append(cut)
        if len(self) - bool(self._left_out) > MAX:
            self._left_out += 1
            self[:] = [f"{self._left_out} earlier remarks are left out", *self[-MAX:]]

    def extend(self, remarks: Iterable[str], /) -> None:
        """Add sentences."""
        for remark in remarks:
            self.append(remark)

    def __iadd__(self, remarks: Iterable[str], /) -> Self:  # type: ignore[override,misc]
        """As `extend`."""
        self.extend(remarks)
        return self
