"""Raw HTML in Markdown: its comments, and the attributes that link somewhere or can be linked to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.documents.markdown_values import HtmlComment, Link

# Possessive throughout: a tag that fails must not be tried again in other cuts.
_VALUE = r"""[^\s"'=<>`]++|'[^']*+'|"[^"]*+\""""
_ATTRIBUTE = r"[A-Za-z_:][\w.:-]*+"
_HTML = re.compile(
    r"<!--(?:-?>|(?P<comment>.*?)(?:-->|\Z))|<[?!][^>]*+"
    rf"|<(?P<tag>[A-Za-z][A-Za-z0-9-]*+)(?P<attributes>(?:\s++{_ATTRIBUTE}(?:\s*+=\s*+(?:{_VALUE}))?+)*+)",
    re.DOTALL | re.ASCII,
)
_VALUED = re.compile(rf"({_ATTRIBUTE})\s*+=\s*+({_VALUE})", re.ASCII)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|([A-Za-z][A-Za-z0-9]{1,31}));")
_LINKING_TAG = re.compile(r"<(?:a|img)(?=\s)", re.IGNORECASE | re.ASCII)
_QUOTED_LINE = re.compile(r"[ \t]*+\r?\n[ \t]*+>")
_LINKING = {("a", "href"): False, ("img", "src"): True}
"""The attributes that name a destination, and whether it is an image's."""


def html_parts(html: str, offset: int) -> Iterator[HtmlComment | Link | str]:
    """The comments, links and ids in a piece of HTML that begins at `offset`; an open comment ends with the piece."""
    for found in _HTML.finditer(html):
        if found["attributes"]:
            yield from _attributes(found, offset)
        elif found[0].startswith("<!--"):
            yield HtmlComment(found["comment"] or "", offset + found.start(), offset + found.end())


def seeming_links(text: str) -> Iterator[str | None]:
    """The destinations of everything that looks like a link or image in HTML, in comments and code as well.

    None stands for a tag that goes on in the next line of a block quote.
    """
    for start in _LINKING_TAG.finditer(text):
        if found := _HTML.match(text, start.start()):
            yield from (part.target for part in _attributes(found, 0) if isinstance(part, Link))
            if _QUOTED_LINE.match(text, found.end()):
                yield None


def _attributes(tag: re.Match[str], offset: int) -> Iterator[Link | str]:
    name = tag["tag"].lower()
    for found in _VALUED.finditer(tag.string, *tag.span("attributes")):
        key, quoted = found[1].lower(), found[2][0] in "\"'"
        start, end = found.start(2) + quoted, found.end(2) - quoted
        value = _ENTITY.sub(_resolved, tag.string[start:end])
        if key == "id" or (name, key) == ("a", "name"):
            yield value
        elif (name, key) in _LINKING:
            yield Link(value, offset + start, offset + end, _LINKING[name, key])


def _resolved(entity: re.Match[str]) -> str:
    from html import unescape
    from html.entities import html5

    return unescape(entity[0]) if entity[1] is None or f"{entity[1]};" in html5 else entity[0]
