"""A list of mappings in YAML, edited as text: one item more, one less, another value. Every other byte stays.

Offsets of nodes are those of the text. What can't be done by lines, or would take a comment along, is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from skillbag.documents.nodes import Entry, Node, Scalar, Sequence, foreign_type

_BARE = re.compile(r"[a-z][a-z0-9-]*")
_SHORT_BOOLEANS = ("y", "n")


class NotEditableError(Exception):
    """The text can't be edited safely; the argument says why, in words that follow "it"."""


def scalar(value: str) -> str:
    """A value as every reader of YAML takes it for this text: a plain word where that is certain, else quoted."""
    plain = _BARE.fullmatch(value) and not foreign_type(Scalar(value, 0, 0, True)) and value not in _SHORT_BOOLEANS
    return value if plain else json.dumps(value, ensure_ascii=False)


def item_lines(item: Mapping[str, str], indent: str = "", gap: str = " ") -> list[str]:
    """An item of a list as lines: `- name: …`, and one below it for each further key."""
    below = f"{indent} {' ' * len(gap)}"
    pairs = [f"{key}: {scalar(value)}" for key, value in item.items()]
    return [f"{indent}-{gap}{pairs[0]}", *(below + pair for pair in pairs[1:])]


def with_item(text: str, entry: Entry, item: Mapping[str, str], newline: str) -> str:
    """The text with one more item at the end of the list that `entry` holds; its value may be empty.

    Raises:
        NotEditableError: the list is neither in flow style nor a list of lines.
    """
    node = entry.value
    if isinstance(node, Sequence) and text[node.start] == "[":
        pairs = ", ".join(f"{key}: {scalar(value)}" for key, value in item.items())
        at, lead = (node.items[-1].end, ", ") if node.items else (node.start + 1, "")
        return f"{text[:at]}{lead}{{{pairs}}}{text[at:]}"
    if isinstance(node, Sequence):
        _, indent, gap = _dash(text, node, len(node.items) - 1)
        return _with_lines(text, _last_line(text, node.items[-1], indent), item_lines(item, indent, gap), newline)
    if node.start != node.end:
        raise NotEditableError("holds no list")
    indent = text[_line_start(text, entry.key.start) : entry.key.start]
    if indent.strip(" "):
        raise NotEditableError("does not stand on a line of its own")
    return _with_lines(text, _line_end(text, entry.key.end), item_lines(item, f"{indent}  "), newline)


def without_item(text: str, sequence: Sequence, number: int) -> str:
    """The text without one item of a list.

    Raises:
        NotEditableError: the item does not begin with a line, or a comment stands between it and the next one.
    """
    if text[sequence.start] == "[":
        return _without_flow_item(text, sequence, number)
    start = _dash(text, sequence, number).start
    end = _line_end(text, sequence.items[number].end)
    rest = text[end:]
    if rest:
        return text[:start] + rest.partition("\n")[2]
    # The last line has no end; the one before it becomes the last.
    return text[: _line_end(text, start - 1)]


def with_value(text: str, node: Scalar, value: str) -> str:
    """The text with another value in the place of a scalar; untouched where it is the same already.

    Raises:
        NotEditableError: the value is a block of lines.
    """
    if node.value == value:
        return text
    if not node.plain and text[node.start] in "|>":
        raise NotEditableError("holds a value that is written as a block of lines")
    return f"{text[: node.start]}{scalar(value)}{text[node.end :]}"


def _without_flow_item(text: str, sequence: Sequence, number: int) -> str:
    items = sequence.items
    start, end = items[number].start, items[number].end
    if number:
        between, start = text[items[number - 1].end : start], items[number - 1].end
    elif len(items) > 1:
        between, end = text[end : items[1].start], items[1].start
    else:
        between = text[end : sequence.end - 1]
        end += between.index(",") + 1 if "," in between else 0
    if "#" in between:
        raise NotEditableError("has a comment beside the item")
    return text[:start] + text[end:]


class _Dash(NamedTuple):
    """The dash of an item: where its line starts, the spaces in front of it, and those between it and the item."""

    start: int
    indent: str
    gap: str


_DASH = re.compile(r"^([ ]*)-([ ]*)", re.MULTILINE)


def _dash(text: str, sequence: Sequence, number: int) -> _Dash:
    # Between two items there is nothing but the dash, comments and blank lines.
    before = sequence.items[number - 1].end if number else _line_start(text, sequence.start)
    match = _DASH.search(text, before, sequence.items[number].start)
    if match is None:
        raise NotEditableError("has items that do not begin with a line")
    return _Dash(match.start(), match[1], match[2] or " ")


def _last_line(text: str, item: Node, indent: str) -> int:
    """Where the last line of an item ends: comments below it that are set in deeper than its dash belong to it."""
    at = _line_end(text, item.end)
    while match := _DEEPER.match(text, at):
        if len(match[1]) <= len(indent):
            break
        at = _line_end(text, match.end())
    return at


_DEEPER = re.compile(r"\r?\n([ ]*)#")


def _with_lines(text: str, at: int, lines: list[str], newline: str) -> str:
    """The text with lines below the one that ends at `at`; their ends are that one's."""
    if match := re.compile(r"\r?\n").match(text, at):
        newline = match[0]
    return text[:at] + "".join(newline + line for line in lines) + text[at:]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Where the content of the line that holds `at` ends, before its line feed and the carriage return of that."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if end and text[end - 1] == "\r" else end
