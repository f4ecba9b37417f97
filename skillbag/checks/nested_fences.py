"""Code as its author meant it, where fences within a fence are no longer than it and Markdown takes them apart."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from skillbag.base.lazy_regex import late
from skillbag.workspace.text import TextFile

_FENCE = late(r"^[ \t]*+(?:```+|~~~+)(?P<info>[^\n`]*+)$", re.MULTILINE)


def in_outer_fence(text: TextFile, offset: int) -> bool:
    """Whether an offset lies in a fence that was meant to hold others."""
    return outer_fence(text, offset) is not None


def outer_fence(text: TextFile, offset: int) -> int | None:
    """Where the fence begins that was meant to hold others and the offset; None where there is none.

    Markdown ends a fence at the first line of marks alone, so a sample of Markdown with samples of its own falls apart:
    what its author takes for code is text from there on.
    """
    spans = _outer_fences(text)
    index = bisect_right(spans, (offset, len(text.document.text))) - 1
    return spans[index][0] if index >= 0 and offset < spans[index][1] else None


# Asked for each fault of a text in a row.
@lru_cache(maxsize=1)
def _outer_fences(text: TextFile) -> list[tuple[int, int]]:
    """The outermost spans with fences within, when a line of marks with words opens and one without closes."""
    spans: list[tuple[int, int]] = []
    depth = deepest = start = 0
    for match in _FENCE().finditer(text.document.text, text.body):
        if match["info"].strip() or not depth:
            start = start if depth else match.start()
            depth += 1
            deepest = max(deepest, depth)
            continue
        depth -= 1
        if not depth:
            spans += [(start, match.end())] if deepest > 1 else []
            deepest = 0
    return spans
