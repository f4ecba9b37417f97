"""The fenced blocks of a Markdown text, which is parsed only if they are not plain to see."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from skillbag.kernel.documents.markdown import CodeSpan, Fence, Link
from skillbag.kernel.documents.markdown_fences import plain_fences
from skillbag.kernel.workspace.text import TextFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _SpanT = TypeVar("_SpanT", CodeSpan, Fence, Link)


@lru_cache(maxsize=1)
def seen_fences(file: TextFile) -> Sequence[Fence] | None:
    """The fenced blocks of a Markdown text if they are plain to see."""
    return plain_fences(file.document.text, file.body)


def fences_of(file: TextFile) -> Sequence[Fence]:
    """The fenced blocks of a Markdown text, which is parsed only if they are not plain to see."""
    seen = seen_fences(file)
    return file.markdown.fences if seen is None else seen


def span_at(spans: Sequence[_SpanT], offset: int) -> _SpanT | None:
    """The span that contains an offset, of ordered spans that do not overlap."""
    index = bisect_right(spans, offset, key=lambda span: span.start) - 1
    return spans[index] if index >= 0 and offset < spans[index].end else None


_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console", "shell-session", "shellsession", "terminal"})
"""First words of the info strings of fences of commands."""


def is_shell(fence: Fence) -> bool:
    """Whether a fence contains commands, by its info string."""
    return fence.info.partition(" ")[0].lower() in _SHELLS


def some(offsets: Sequence[int], most: int = 20_000) -> Sequence[int]:
    """The offsets, or the first and the last of them where there are more than a text for readers or programs has.

    What is done at each of them costs up to a tenth of a millisecond; a hostile text of a megabyte can have 100,000.
    """
    return offsets if len(offsets) <= most else [*offsets[: most // 2], *offsets[-most // 2 :]]
