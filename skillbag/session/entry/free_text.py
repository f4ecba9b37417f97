"""The text of a context file outside of its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.kernel.documents.markdown import scan
from skillbag.kernel.documents.source import Document

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


class Prose(NamedTuple):
    """The words of the file at `path`; `lines` has for each of their lines its 1-based line in the file, or an earlier
    one of the same text.
    """

    path: str
    words: str
    lines: tuple[int, ...]


def prose_of(path: str, document: Document | None) -> Prose:
    """The document without its fenced `yaml` blocks and without headings that are left empty."""
    if document is None:
        return Prose(path, "", ())
    text = document.text.replace("\r\n", "\n")
    blocks = (
        (fence.start, fence.end) for fence in scan(text).fences if fence.info.split(" ")[0].lower() in ("yaml", "yml")
    )
    text = _without(text, blocks)
    starts = [heading.start for heading in scan(text).headings]
    sections = zip(starts, [*starts[1:], len(text)], strict=False)
    # Nothing but the heading and its underlining.
    empty = ((start, end) for start, end in sections if not text[start:end].partition("\n")[2].strip("=- \t\n"))
    words = _BLANK_LINES.sub("\n\n", _without(text, empty)).strip()
    return Prose(path, words, tuple(_places(words, document)))


def _places(words: str, document: Document) -> Iterator[int]:
    """Words are the document less some of its lines: search each line from the place of the one before."""
    lines = enumerate((line.strip() for line in document.text.split("\n")), 1)
    at = 1
    for line in words.split("\n"):
        # A line that is not found (a block began within it) ends the search: the next ones get the same place.
        at = next((number for number, text in lines if text == line.strip()), at)
        yield at


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept, at = "", 0
    for start, end in spans:
        kept += text[at:start]
        at = end
    return kept + text[at:]
