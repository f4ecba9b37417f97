"""Markdown with exact places: what rules look for in a text, found the way CommonMark reads it."""

from __future__ import annotations

from skillbag.kernel.base import clock
from skillbag.kernel.documents.markdown_values import CodeSpan, Fence, Heading, HtmlComment, Link, Markdown, Section

__all__ = ["CodeSpan", "Fence", "Heading", "HtmlComment", "Link", "Markdown", "Section", "scan"]


def scan(text: str, start: int = 0) -> Markdown:
    """The structure of `text`, read from `start` on (after front matter, say); any text is Markdown."""
    return clock.timed("markdown", _scan, text, start) if clock.timed else _scan(text, start)


def _scan(text: str, start: int) -> Markdown:
    # Most checks end without: a search for literals is enough where there is nothing to find.
    from skillbag.kernel.documents.markdown_events import read_markdown

    return read_markdown(text, start)
