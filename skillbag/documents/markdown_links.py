"""The grammar of link destinations, titles and reference definitions (CommonMark 0.31, 4.7 and 6.3).

Every pattern is possessive or stops at a character that the next try begins with, so that text which looks like links
and is none costs no more than its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.base.records import NamedTuple

_NESTED = 4
"""How deep parentheses may nest in a bare destination; the standard asks for three."""


def _bare_destination() -> str:
    pattern = r"(?:[^\x00-\x20\x7f()\\]++|\\[()\\]?+)*+"
    for _ in range(_NESTED):
        pattern = rf"(?:[^\x00-\x20\x7f()\\]++|\\[()\\]?+|\({pattern}\))*+"
    return pattern


_DESTINATION = rf"<((?:[^<>\\\n]++|\\[^\n])*+)>|(?!<)({_bare_destination()})"
_TITLE = r"""(?:"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'|\((?:[^()\\]++|\\.)*+\))"""
_BLANKS = r"[ \t\n]*+"
_LABEL = r"\[((?:[^\[\]\\]|\\.){1,999}+)\]"

LABEL = re.compile(_LABEL, re.DOTALL)
"""A link label with its brackets; the group is what stands between them."""

TAIL = re.compile(rf"\({_BLANKS}(?:{_DESTINATION})(?:[ \t\n]++{_TITLE})?+{_BLANKS}\)", re.DOTALL)
"""What follows the text of an inline link; one of the two groups is the destination."""

_DEFINITION = re.compile(
    rf"[ \t]*+{_LABEL}:{_BLANKS}(?:{_DESTINATION})(?:[ \t\n]++{_TITLE}[ \t]*+(?=\n|\Z))?[ \t]*+(?:\n|\Z)", re.DOTALL
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_RESOLVED = re.compile(rf"{_ESCAPE.pattern}|{_ENTITY.pattern}")


class Definition(NamedTuple):
    """A reference definition: its label as labels are compared, the bounds of its destination, and where it ends."""

    label: str
    start: int
    end: int
    stop: int


def definitions(text: str, start: int, end: int) -> Iterator[Definition]:
    """The definitions with which the paragraph from `start` to `end` begins."""
    at = start
    while at < end and (match := _DEFINITION.match(text, at, end)):
        label = folded_label(match[1])
        group = 2 if match[2] is not None else 3
        if not label or (group == 3 and not match[3]):
            return
        yield Definition(label, match.start(group), match.end(group), match.end())
        at = match.end()


def definitions_end(paragraph: str) -> int:
    """Where the definitions end with which the paragraph begins; 0 where there are none."""
    stop = 0
    for definition in definitions(paragraph, 0, len(paragraph)):
        stop = definition.stop
    return stop


def folded_label(label: str) -> str:
    """A label in the form in which two are the same: case and the amount of blanks do not count."""
    return " ".join(label.split()).casefold()


def resolve(destination: str) -> str:
    """A destination without backslash escapes and entities."""
    return _RESOLVED.sub(_resolved, destination) if "\\" in destination or "&" in destination else destination


def resolve_entities(text: str) -> str:
    """A text without entities; an unknown name is kept as it is written."""
    return _ENTITY.sub(_resolved, text) if "&" in text else text


def _resolved(match: re.Match[str]) -> str:
    if match[0][0] == "\\":
        return match[0][1]
    from html import unescape
    from html.entities import html5

    known = match[0][1] == "#" or match[0][1:] in html5
    return unescape(match[0]) if known else match[0]
