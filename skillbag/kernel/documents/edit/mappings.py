"""Edit a mapping in YAML as text: add, remove or change an entry. Every other byte stays.

Offsets of nodes are those of the text. Edits that would remove a comment, and unusual layouts, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from skillbag.kernel.documents.edit.lines import (
    NotEditableError,
    indent,
    last_line,
    line_end,
    own_margin,
    scalar,
    with_lines,
    without_lines,
    without_part,
)
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Scalar

_STEP = "  "
_HEAD = re.compile(r"[|>][-+0-9]*")
"""How a block of text begins."""


def entry_lines(keys: Sequence[str], value: str, margin: str = "", step: str = _STEP) -> list[str]:
    """An entry as lines, where `keys` lead to the value through mappings: `x:`, and `  name: value` below it."""
    lines = [f"{margin}{step * depth}{scalar(key)}:" for depth, key in enumerate(keys)]
    return [*lines[:-1], f"{lines[-1]} {value}"]


def with_value(text: str, entry: MappingEntry, value: str) -> str:
    """The text with another value (as written) in an entry; a comment after it stays.

    Raises:
        NotEditableError: there are comments in the old value.
    """
    key, node = entry
    if node.start == node.end:
        colon = "" if ":" in text[key.end : node.end] else ":"
        space = "" if text[node.end - 1] == " " and not colon else " "
        return f"{text[: node.end]}{colon}{space}{value}{text[node.end :]}"
    if isinstance(node, Scalar):
        head = None if node.plain else _HEAD.match(text, node.start)
        # The first line of a block of text may have a comment.
        first = line_end(text, node.start)
        comment, end = (text[head.end() : first], max(first, node.end)) if head else ("", node.end)
        return f"{text[: node.start]}{value}{comment}{text[end:]}"
    if text[node.start] in "[{":
        return f"{text[: node.start]}{value}{text[node.end :]}"
    # A value in lines below its key.
    start, key_end, end = text.index(":", key.end) + 1, line_end(text, key.end), line_end(text, node.end)
    if has_comment(text, key_end, node) or "#" in text[node.end : end]:
        raise NotEditableError("has comments in the lines of the old value")
    return f"{text[:start]} {value}{text[start:key_end]}{text[end:]}"


def with_entry(text: str, mapping: Mapping, keys: Sequence[str], value: str, newline: str) -> str:
    """The text with a new entry at the end of a mapping that has some; `keys` lead to the value (as written).

    Raises:
        NotEditableError: its keys do not begin their lines.
    """
    last = mapping.entries[-1].value
    if text[mapping.start] == "{":
        first, *inner = map(scalar, keys)
        nested = "".join(f"{{{key}: " for key in inner) + value + "}" * len(inner)
        return f"{text[: last.end]}, {first}: {nested}{text[last.end :]}"
    margin = own_margin(text, mapping.entries[0].key.start)
    lines = entry_lines(keys, value, margin, _step(text, mapping, margin))
    return with_lines(text, last_line(text, last.end, margin), lines, newline)


def without_entry(text: str, mapping: Mapping, name: str) -> str:
    """The text without one entry of a mapping; a comment on its last line goes with it.

    Raises:
        NotEditableError: the entry does not begin its line, or there is a comment in it or beside it.
    """
    number = mapping.keys().index(name)
    key, value = mapping.entries[number]
    if has_comment(text, key.end, value):
        raise NotEditableError("has a comment in it")
    if text[mapping.start] == "{":
        parts = [(entry.key.start, entry.value.end) for entry in mapping.entries]
        return without_part(text, parts, number, mapping.end - 1)
    own_margin(text, key.start)
    return without_lines(text, key.start, value.end)


def has_comment(text: str, start: int, node: Node) -> bool:
    """Whether there is a comment between `start` and the end of a node, outside of its scalars."""
    for scalar_node in _scalars(node):
        if "#" in text[start : scalar_node.start]:
            return True
        start = scalar_node.end
    return "#" in text[start : node.end]


def _scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for key, value in node.entries:
            yield key
            yield from _scalars(value)
    else:
        for item in node.items:
            yield from _scalars(item)


def _step(text: str, mapping: Mapping, margin: str) -> str:
    """The indentation of a nested mapping, as in the other entries."""
    for _, value in mapping.entries:
        if isinstance(value, Mapping) and text[value.start] != "{" and (inner := indent(text, value.start)):
            return inner.removeprefix(margin)
    return _STEP
