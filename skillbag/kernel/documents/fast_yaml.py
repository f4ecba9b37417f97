"""A fast reader for the usual YAML: keys at a line's start, words, quotes, lists, blocks of text.

It reads only what all readers agree on, and leaves the rest to libyaml; tests compare their values and places. A match
covers a line, the blank and comment lines after it, and the indentation of the next line.
"""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.yaml_values import Mapping, MappingEntry, Node, Scalar, Sequence

_DEEPEST = 40
"""The column beyond which collections are left to libyaml, so that few are nested."""

_MAX = 20
"""Brackets in a line beyond which it is left to libyaml."""

_WORDS = r"(?:[^\r\n:#]++|:(?=[^ \r\n])|(?<! )#)*+"
_PLAIN = rf"(?:[^ \r\n?:,\[\]{{}}#&*!|>'\"%@`-]|-(?=[^ \r\n])){_WORDS}"
_SINGLE = r"'(?:[^'\r\n]++|'')*+'"
# Of the escapes, quotes and the numbers of signs and emoji, which all readers take as one character.
_DOUBLE = r'"(?:[^"\\\r\n]++|\\(?:["\\]|u2[0-9A-Fa-f]{3}|U000[1-9A-Fa-f][0-9A-Fa-f]{4}))*+"'
_FLOW = r"[\[{][^#\r\n]{0,1000}+"
_HEADER = r"[|>][-+]?+"
_GAP = r"(?: *+(?:#[^\r\n]*+)?\r?\n)*+( *+)"

_LINE = re.compile(
    rf"(?:([A-Za-z0-9_/][A-Za-z0-9_./-]{{0,99}}+):(?: ++|(?![^\r\n])))?+"
    rf"({_PLAIN}|{_DOUBLE}|{_SINGLE}|{_FLOW}|{_HEADER})?+ *+(?:(?<= )#[^\r\n]*+)?(?:\r?\n|\Z){_GAP}"
)
_START = late(_GAP)
_FURTHER = late(rf"(?: *+\r?\n)*+( *+)({_WORDS})(?:\r?\n|\Z)")
_FOLD = late(r" *+\n([ \n]*+)")
_TEXT = late(r"\r?\n( ++)[^ \r\n][^\r\n]*+(?:(?:\r?\n)++\1 *+[^ \r\n][^\r\n]*+)*+(?:\r?\n)*+(?! ++(?:\r?\n|\Z))")
_BREAKS = late(r"\n(\n*+)")
_LETTER = r"(?:[A-Za-z0-9_.@/()*<>=-]|:(?=[A-Za-z0-9/*]))"
_FLOW_SCALAR = rf"([A-Za-z0-9_]{_LETTER}*+(?: ++{_LETTER}++)*+|{_SINGLE}|{_DOUBLE})"
_NEXT = r" *+(?:, *+|(?=[\]}]))"
_FLOW_ITEM = late(_FLOW_SCALAR + _NEXT)
_FLOW_KEY = late(_FLOW_SCALAR + ": ++")
_COMMA = late(_NEXT)
_ESCAPE = late(r"\\(?:u(.{4})|U(.{8})|(.))")

_new = tuple.__new__  # as the constructor of a NamedTuple, in half the time


class _Odd(Exception):  # noqa: N818 - not an error: libyaml reads the text
    pass


def read_plain(text: str, offset: int) -> Mapping | Sequence | None:
    """The value of a block's text, which starts at `offset` of its document; None where libyaml has to be asked."""
    # No tabs, no control characters, no byte order marks, no line ends but these two.
    if not text.replace("\r\n", "\n").replace("\n", "").isprintable():
        return None
    at, indent = _next(text, 0) if text[:1] in " #\r\n" else (0, 0)
    try:
        node, at, _ = _node(text, at, indent, -1, offset)
    except _Odd:
        return None
    return None if at < len(text) or isinstance(node, Scalar) else node


def _next(text: str, at: int) -> tuple[int, int]:
    """Where the next content begins, from a line's start, and its column; -1 at the end of the text."""
    match = _START().match(text, at)
    if match is None or match.end() == len(text):
        return len(text), -1
    return match.end(), len(match[1])


def _node(text: str, at: int, column: int, parent: int, offset: int) -> tuple[Node, int, int]:
    """The value that begins a line at `at`, within a collection at the column `parent`; what comes next and where."""
    if column > _DEEPEST:
        raise _Odd
    if text.startswith("- ", at):
        return _sequence(text, at, column, offset)
    match = _LINE.match(text, at)
    if match and match[1] is None:
        return _value(text, match, parent, offset)
    return _mapping(text, match, column, offset)


def _mapping(text: str, match: re.Match[str] | None, column: int, offset: int) -> tuple[Mapping, int, int]:
    """The mapping whose first line is matched, up to a line at another column; what comes next and where."""
    entries = []
    keys = set()
    size = len(text)
    while match:
        name, value, space = match.groups()
        if name is None or name in keys:
            raise _Odd
        keys.add(name)
        start = match.start() + offset
        end = start + len(name)
        at = match.end()
        indent = len(space) if at < size else -1
        node: Node
        if value is None:
            if indent > column or (indent == column and text.startswith("- ", at)):
                node, at, indent = _node(text, at, indent, column, offset)
            else:
                node = _new(Scalar, ("", end + 1, end + 1, True))
        elif indent > column or value[0] in "'\"[{|>":
            node, at, indent = _value(text, match, column, offset)
        else:
            value = value.rstrip(" ")
            begin = match.start(2) + offset
            node = _new(Scalar, (value, begin, begin + len(value), True))
        entries.append(_new(MappingEntry, (_new(Scalar, (name, start, end, True)), node)))
        if indent != column:
            return Mapping(tuple(entries), entries[0].key.start, node.end), at, indent
        match = _LINE.match(text, at)
    raise _Odd


def _sequence(text: str, at: int, column: int, offset: int) -> tuple[Sequence, int, int]:
    """The list whose first dash is at `at`; what comes next and where."""
    items: list[Node] = []
    start, indent = at + offset, column
    while indent == column and text.startswith("- ", at):
        content = at + 2
        while text.startswith(" ", content):
            content += 1
        match = _LINE.match(text, content)
        if match is None:
            raise _Odd
        item: Node
        if match[1] is None:
            item, at, indent = _value(text, match, column, offset)
        else:
            item, at, indent = _mapping(text, match, column + content - at, offset)
        items.append(item)
    return Sequence(tuple(items), start, items[-1].end), at, indent


def _value(text: str, match: re.Match[str], column: int, offset: int) -> tuple[Node, int, int]:
    """The value of a matched line, within a collection at `column`; what comes next and where."""
    value, start, at = match[2], match.start(2), match.end()
    if value is None:
        raise _Odd
    kind = value[0]
    if kind in "|>":
        return _block(text, match, column, offset)
    indent = len(match[3]) if at < len(text) else -1
    if kind in "[{":
        if value.count("[") + value.count("{") > _MAX:
            raise _Odd
        node, end = _flow(value, 0, start + offset)
        if value[end:].strip(" "):
            raise _Odd
        return node, at, indent
    if kind in "'\"":
        return Scalar(_unquoted(value), start + offset, start + offset + len(value), False), at, indent
    value = value.rstrip(" ")
    end = start + len(value)
    if indent > column:
        end, at, indent = _last_line(text, end, column)
        lines = text[start:end].replace("\r\n", "\n")
        value = _FOLD().sub(lambda match: "\n" * match[1].count("\n") or " ", lines)
    return Scalar(value, start + offset, end + offset, True), at, indent


def _unquoted(value: str) -> str:
    if value[0] == "'":
        return value[1:-1].replace("''", "'")
    return _ESCAPE().sub(_meant, value[1:-1]) if "\\" in value else value[1:-1]


def _meant(escape: re.Match[str]) -> str:
    number = escape[1] or escape[2]
    return chr(int(number, 16)) if number else escape[3]


def _last_line(text: str, end: int, column: int) -> tuple[int, int, int]:
    """The end of a plain value that continues after a line which ends at `end`; what comes next and where."""
    at = text.index("\n", end) + 1
    if text[end:at].strip(" \r\n"):
        raise _Odd
    further = _FURTHER()
    while (match := further.match(text, at)) and match[2] and len(match[1]) > column:
        end = match.start(2) + len(match[2].rstrip(" "))
        at = match.end()
    return end, *_next(text, at)


def _block(text: str, header: re.Match[str], column: int, offset: int) -> tuple[Scalar, int, int]:
    """The text below a `|` or `>`, as deep as its first line."""
    sign = header[2]
    match = _TEXT().match(text, header.end(2))
    if match is None or len(match[1]) <= column:
        raise _Odd
    value = match[0].replace("\r\n", "\n").replace("\n" + match[1], "\n")[1:]
    lines = value.rstrip("\n")
    rest = value[len(lines) :]
    if sign[0] == ">":
        if "\n " in lines:
            raise _Odd
        lines = _BREAKS().sub(lambda breaks: breaks[1] or " ", lines)
    kept = {"": rest[:1], "-": "", "+": rest}[sign[1:]]
    end = match.start() + len(match[0].rstrip("\r\n"))
    node = Scalar(lines + kept, header.start(2) + offset, end + offset, False)
    return node, *_next(text, match.end())


def _flow(value: str, at: int, offset: int) -> tuple[Mapping | Sequence, int]:
    """The `[a, 'b']` or `{a: b}` that begins at `at` of a line's value, and where it ends."""
    inner = at + 1
    while value.startswith(" ", inner):
        inner += 1
    if value[at] == "[":
        items, end = _flow_items(value, inner, offset)
        return _new(Sequence, (items, at + offset, end + offset)), end
    entries, end = _flow_entries(value, inner, offset)
    return _new(Mapping, (entries, at + offset, end + offset)), end


def _flow_items(value: str, at: int, offset: int) -> tuple[tuple[Node, ...], int]:
    """The items of a list up to the bracket that closes it, and the end of that."""
    items: list[Node] = []
    if value.startswith("]", at):
        return (), at + 1
    find = _FLOW_ITEM().match
    while not value.startswith("]", at):
        if match := find(value, at):
            items.append(_flow_scalar(match, offset))
            at = match.end()
        else:
            node, at = _flow_within(value, at, offset)
            items.append(node)
    return tuple(items), at + 1


def _flow_entries(value: str, at: int, offset: int) -> tuple[tuple[MappingEntry, ...], int]:
    """The entries of a mapping up to the bracket that closes it, and the end of that."""
    entries: list[MappingEntry] = []
    keys = set()
    if value.startswith("}", at):
        return (), at + 1
    find_key = _FLOW_KEY().match
    while not value.startswith("}", at):
        match = find_key(value, at)
        if match is None:
            raise _Odd
        key = _flow_scalar(match, offset)
        keys.add(key.value)
        at = match.end()
        node: Node
        if value.startswith(("[", "{"), at):
            node, at = _flow_within(value, at, offset)
        elif match := _FLOW_ITEM().match(value, at):
            node, at = _flow_scalar(match, offset), match.end()
        else:
            raise _Odd
        entries.append(_new(MappingEntry, (key, node)))
    if len(keys) < len(entries):
        raise _Odd
    return tuple(entries), at + 1


def _flow_within(value: str, at: int, offset: int) -> tuple[Mapping | Sequence, int]:
    """The collection that begins at `at` within another one, and where what follows its comma begins."""
    if not value.startswith(("[", "{"), at):
        raise _Odd
    node, at = _flow(value, at, offset)
    comma = _COMMA().match(value, at)
    if comma is None:
        raise _Odd
    return node, comma.end()


def _flow_scalar(match: re.Match[str], offset: int) -> Scalar:
    """The scalar that was matched with what follows it."""
    word = match[1]
    start, end = match.span(1)
    if word[0] in "'\"":
        return _new(Scalar, (_unquoted(word), start + offset, end + offset, False))
    return _new(Scalar, (word, start + offset, end + offset, True))
