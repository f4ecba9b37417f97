"""Values on one line of YAML: words, quoted text, and lists and mappings in brackets."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from skillbag.kernel.documents.edit.change import NotEditableError
from skillbag.kernel.documents.nodes import Scalar, foreign_type

_BARE = re.compile(r"[a-z][a-z0-9-]*")
_SHORT_BOOLEANS = ("y", "n")


def scalar(value: str) -> str:
    """A string as YAML: a plain word if every reader takes it for a string, else quoted."""
    plain = _BARE.fullmatch(value) and not foreign_type(Scalar(value, 0, 0, True)) and value not in _SHORT_BOOLEANS
    return value if plain else json.dumps(value, ensure_ascii=False)


def flow(value: object) -> str:
    """A plain value on one line: a word, a number, quoted text, or lists and mappings of such in brackets."""
    if isinstance(value, str):
        return "".join(char if char.isprintable() else _escaped(char) for char in scalar(value))
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{flow(key)}: {flow(item)}' for key, item in value.items())}}}"
    return json.dumps(value)


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def without_part(text: str, parts: Sequence[tuple[int, int]], number: int, closing: int) -> str:
    """The text without one item or entry in brackets, nor its comma.

    `parts` are the bounds of all items or entries, `closing` is the offset of the closing bracket.

    Raises:
        NotEditableError: there is a comment beside it.
    """
    start, end = parts[number]
    if number:
        between, start = text[parts[number - 1][1] : start], parts[number - 1][1]
    elif len(parts) > 1:
        between, end = text[end : parts[1][0]], parts[1][0]
    else:
        between = text[end:closing]
        end += between.find(",") + 1
    if "#" in between:
        raise NotEditableError("has a comment beside the item")
    return text[:start] + text[end:]
