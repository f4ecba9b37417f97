"""Edit a list of mappings in YAML as text: add, remove or change an item. Every other byte stays.

Offsets of nodes are those of the text. Edits of parts of lines, and those that would remove a comment, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from skillbag.kernel.documents.edit.lines import (
    NotEditableError,
    last_line,
    line_end,
    line_start,
    own_margin,
    scalar,
    with_lines,
    without_part,
)
from skillbag.kernel.documents.nodes import MappingEntry, Scalar, Sequence


def item_lines(item: Mapping[str, str], margin: str = "", gap: str = " ") -> list[str]:
    """An item of a list as lines: `- name: …`, and one below it for each further key."""
    below = f"{margin} {' ' * len(gap)}"
    pairs = [f"{key}: {scalar(value)}" for key, value in item.items()]
    return [f"{margin}-{gap}{pairs[0]}", *(below + pair for pair in pairs[1:])]


def with_item(text: str, entry: MappingEntry, item: Mapping[str, str], newline: str) -> str:
    """The text with a new item at the end of the list in `entry`, which may be empty.

    Raises:
        NotEditableError: the list is neither in flow style nor a list of lines.
    """
    node = entry.value
    if isinstance(node, Sequence) and text[node.start] == "[":
        pairs = ", ".join(f"{key}: {scalar(value)}" for key, value in item.items())
        at, lead = (node.items[-1].end, ", ") if node.items else (node.start + 1, "")
        return f"{text[:at]}{lead}{{{pairs}}}{text[at:]}"
    if isinstance(node, Sequence):
        _, margin, gap = _dash(text, node, len(node.items) - 1)
        return with_lines(text, last_line(text, node.items[-1].end, margin), item_lines(item, margin, gap), newline)
    if node.start != node.end:
        raise NotEditableError("holds no list")
    margin = own_margin(text, entry.key.start)
    return with_lines(text, line_end(text, entry.key.end), item_lines(item, f"{margin}  "), newline)


def without_item(text: str, sequence: Sequence, number: int) -> str:
    """The text without one item of a list.

    Raises:
        NotEditableError: the item does not begin its line, or there is a comment between it and the next one.
    """
    if text[sequence.start] == "[":
        parts = [(item.start, item.end) for item in sequence.items]
        return without_part(text, parts, number, sequence.end - 1)
    start = _dash(text, sequence, number).start
    end = line_end(text, sequence.items[number].end)
    rest = text[end:]
    if rest:
        return text[:start] + rest.partition("\n")[2]
    # The last line has no end; the one before it becomes the last.
    return text[: line_end(text, start - 1)]


def with_value(text: str, node: Scalar, value: str) -> str:
    """The text with another value for a scalar, unchanged if it is the same.

    Raises:
        NotEditableError: the value is a block of lines.
    """
    if node.value == value:
        return text
    if not node.plain and text[node.start] in "|>":
        raise NotEditableError("holds a value that is written as a block of lines")
    return f"{text[: node.start]}{scalar(value)}{text[node.end :]}"


class _Dash(NamedTuple):
    """The dash of an item: the start of its line, the spaces before it, and those between it and the item."""

    start: int
    margin: str
    gap: str


_DASH = re.compile(r"^([ ]*)-([ ]*)", re.MULTILINE)


def _dash(text: str, sequence: Sequence, number: int) -> _Dash:
    # Between two items there is nothing but the dash, comments and blank lines.
    before = sequence.items[number - 1].end if number else line_start(text, sequence.start)
    match = _DASH.search(text, before, sequence.items[number].start)
    if match is None:
        raise NotEditableError("has items that do not begin with a line")
    return _Dash(match.start(), match[1], match[2] or " ")
