"""Marks of Markdown that were begun and not finished: comments without an end, headings without words.

Source: the CommonMark specification, "HTML blocks" and "ATX headings".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject

_COMMENT = (b"<!--",)
_INDENTED = 3
"""Most blanks before a mark that begins a block."""
# One mark alone is mostly a comment of a shell script.
_HEADINGS = tuple(b"\n" + b"#" * depth + end for depth in (2, 3, 4) for end in (b"\n", b" \n"))


@Predicate("comment-unclosed", Subject.TEXT, literals=_COMMENT, needs="open-comment")
def unclosed_comment(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """The first comment that begins a line and never ends: all that follows it is hidden."""
    if text.language != "markdown":
        return ()
    source = text.document.text
    closed = max(source.rfind("-->"), text.body - 1)
    for at in text.places.of(_COMMENT):
        if at > closed and _begins_line(source, at) and not text.markdown.in_code(at):
            return (Match(text.document.path, at, at + 4),)
    return ()


def _begins_line(source: str, at: int) -> bool:
    before = source[source.rfind("\n", 0, at) + 1 : at]
    return len(before) <= _INDENTED and not before.strip(" ")


@Predicate("heading-empty", Subject.TEXT, literals=_HEADINGS)
def empty_heading(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Lines of two to four `#` and nothing else, outside of code, comments and samples."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    for at in text.places.of(_HEADINGS)[:MAX]:
        start, end = at + 1, text.document.text.find("\n", at + 1)
        if start >= text.body and not text.markdown.in_code(start) and not text.markdown.in_comment(start):
            yield Match(text.document.path, start, end)
