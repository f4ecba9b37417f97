"""The discovery catalog `.skills/SKILLS.md`: one line per skill, `<name>: <description>`, sorted by name.

Clauses root.catalog-line and root.catalog-sorted. Names sort by code point, so `a` comes before `a-b`.
"""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document

_LINE = late(r"([A-Za-z0-9_][A-Za-z0-9_-]*):[ \t]+(\S[^\r\n]*)")


class CatalogLine(NamedTuple):
    """One entry; `start` and `end` are the offsets of the line's text without its line end."""

    name: str
    description: str
    start: int
    end: int


class Catalog(NamedTuple):
    """The entries in file order, and the spans of lines that are neither an entry nor blank."""

    lines: tuple[CatalogLine, ...]
    strays: tuple[tuple[int, int], ...]


def parse_catalog(document: Document) -> Catalog:
    """Read the catalog; lines may end with CRLF or white space, and be blank; any other line is a stray."""
    lines: list[CatalogLine] = []
    strays: list[tuple[int, int]] = []
    start = 0
    # Split at line feeds only: str.splitlines also breaks at form feeds and U+2028, and the lines would drift.
    for raw in document.text.split("\n"):
        text = raw.rstrip()
        if match := _LINE().fullmatch(text):
            lines.append(CatalogLine(match[1], match[2], start, start + len(text)))
        elif text:
            strays.append((start, start + len(text)))
        start += len(raw) + 1
    return Catalog(tuple(lines), tuple(strays))


def collapse(text: str) -> str:
    """`text` with runs of white space as single spaces: the form of descriptions in a catalog."""
    # A space is the only printable white space, so most texts need no change.
    return text if text.isprintable() and "  " not in text and text == text.strip() else " ".join(text.split())


def is_listable(name: str) -> bool:
    """Whether a line of the catalog can have this name; the folder of a skill may have any other."""
    match = _LINE().fullmatch(render_line(name, "x"))
    return match is not None and match[1] == name


def render_line(name: str, description: str) -> str:
    """The catalog line of a skill, without a line end."""
    return f"{name}: {collapse(description)}"


def render(lines: Iterable[tuple[str, str]], newline: str = "\n") -> str:
    """The whole catalog of `(name, description)` pairs, in ascending order of the names."""
    return "".join(render_line(name, description) + newline for name, description in sorted(lines))
