"""What a context file says in words: its text outside of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.documents.markdown import scan
from skillbag.documents.source import Document

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


class Prose(NamedTuple):
    """The words of the file at `path`; `lines` has for each of their lines its 1-based line in the file, or an earlier
    one that reads the same.
    """

    path: str
    words: str
    lines: tuple[int, ...]


def prose_of(path: str, document: Document | None) -> Prose:
    """What the document at `path` says in words, and where."""
    words = prose(document)
    return Prose(path, words, tuple(_places(words, document)) if document else ())


def _places(words: str, document: Document) -> Iterator[int]:
    """Words are the document less some of its lines: each is sought from where the one before was found."""
    lines = iter([*enumerate((line.strip() for line in document.text.split("\n")), 1)])
    at = 1
    for line in words.split("\n"):
        seek = (number for number, there in lines if there == line.strip())
        # One that is not found (a block began within it) ends the search: what follows is read from there.
        at = next(seek, at)
        yield at


def prose(document: Document | None) -> str:
    """A document without its fenced `yaml` blocks, and without headings that are left empty; nothing without one."""
    if document is None:
        return ""
    text = document.text.replace("\r\n", "\n")
    blocks = (
        (fence.start, fence.end) for fence in scan(text).fences if fence.info.split(" ")[0].lower() in ("yaml", "yml")
    )
    text = _without(text, blocks)
    starts = [heading.start for heading in scan(text).headings]
    empty = (
        (start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=False) if _is_bare(text[start:end])
    )
    return _BLANK_LINES.sub("\n\n", _without(text, empty)).strip()


def _is_bare(section: str) -> bool:
    """Whether nothing but a line (or the underlining of a heading) stands there."""
    return not section.partition("\n")[2].strip("=- \t\n")


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept, at = "", 0
    for start, end in spans:
        kept += text[at:start]
        at = end
    return kept + text[at:]
