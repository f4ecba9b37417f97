"""Where the cursor is within YAML that is being written: line by line, since a parser needs it whole.

Only indentation, dashes and brackets count, so a tab, an open quote or half a line is no obstacle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

ITEM = "-"
"""Stands for an item of a list in a path."""

_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)*(?:-\Z)?")
_KEY = re.compile(r"""(?:"([^"]*)"|'([^']*)'|([^\s:,\[\]{}"'#-][^:\[\]{}"'#]*))[ \t]*:(?=[ \t]|\Z)""")


class YamlPlace(NamedTuple):
    """The cursor: `path` has the keys above it; `is_value` says that the value of the last one is written.

    `prefix` is what is written of the word there, and `siblings` are the keys that the mapping has besides. `opened`
    says that a quote stands before the word.
    """

    path: tuple[str, ...]
    is_value: bool
    prefix: str
    siblings: frozenset[str] = frozenset()
    opened: bool = False


class _Token(NamedTuple):
    column: int
    name: str


def place_in(before: str, after: str) -> YamlPlace:
    """The place between the text of a block before the cursor and the one after it."""
    *lines, line = before.split("\n")
    _, *following = after.split("\n")
    tokens, value = _tokens(line)
    indent = len(line) - len(line.lstrip(" \t")) if not tokens else tokens[0].column
    above, siblings = _above(lines, indent, bool(tokens) and tokens[0].name == ITEM)
    keys = [token for token in tokens if token.name != ITEM]
    path = (*above, *(token.name for token in tokens))
    if keys:
        return _in_value(path, value, siblings)
    beside = frozenset(_below(following, len(line) - len(value)))
    siblings = beside if tokens else siblings | beside
    if value[:1] in ("[", "{"):
        return _in_value(path, value, siblings)
    opened = value[:1] in ("'", '"')
    return YamlPlace(path, False, value[opened:], siblings, opened)


def _tokens(line: str) -> tuple[list[_Token], str]:
    """The dashes and the key of a line, with their columns, and what follows them."""
    match = _DASHES.match(line)
    head = match[0] if match else ""
    tokens = [_Token(at, ITEM) for at, letter in enumerate(head) if letter == "-"]
    rest = line[len(head) :]
    if key := _KEY.match(rest):
        tokens.append(_Token(len(head), (key[1] or key[2] or key[3] or "").strip()))
        return tokens, rest[key.end() :].lstrip(" \t")
    return tokens, rest


def _above(lines: list[str], column: int, is_item: bool) -> tuple[list[str], frozenset[str]]:
    """The keys and items around a column, and the keys beside it, from the lines above."""
    path: list[str] = []
    siblings: set[str] = set()
    for line in reversed(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        for token in reversed(_tokens(line.rstrip("\r"))[0]):
            holds = token.column < column or (is_item and token.column == column and token.name != ITEM)
            if holds:
                path.insert(0, token.name)
                column, is_item = token.column, token.name == ITEM
            elif token.column == column and not path and token.name != ITEM:
                siblings.add(token.name)
    return path, frozenset(siblings)


def _below(lines: list[str], column: int) -> Iterator[str]:
    """The keys beside a column, from the lines below."""
    for line in lines:
        tokens = _tokens(line.rstrip("\r"))[0]
        if line.strip() and (not tokens or tokens[0].column < column):
            return
        if tokens and tokens[0].column == column and tokens[0].name != ITEM:
            yield tokens[0].name


def _in_value(path: tuple[str, ...], value: str, siblings: frozenset[str]) -> YamlPlace:
    """The place in a value, which may be in brackets."""
    stack = [*path]
    depths: list[int] = []
    piece = ""
    for letter in value if value[:1] in ("[", "{") else "":
        if letter in "[{":
            if piece.strip().endswith(":"):
                stack.append(piece.strip().rstrip(":").strip("\"' "))
                depths.append(2 if letter == "[" else 1)
            else:
                depths.append(1 if letter == "[" else 0)
            if letter == "[":
                stack.append(ITEM)
            piece = ""
        elif letter in "]}":
            for _ in range(depths.pop() if depths else 0):
                stack.pop()
            piece = ""
        elif letter == ",":
            piece = ""
        else:
            piece += letter
    if not depths:
        opened = value[:1] in ("'", '"')
        return YamlPlace(path, True, value[opened:], siblings, opened)
    piece = piece.lstrip()
    if key := _KEY.match(piece):
        return YamlPlace((*stack, (key[1] or key[2] or key[3]).strip()), True, piece[key.end() :].lstrip(" \t\"'"))
    return YamlPlace(tuple(stack), False, piece.lstrip("\"'"), opened=piece[:1] in ("'", '"'))
