"""The id of a request that can't be read: who asked waits for an answer to it, and one to nobody would not do.

A strict reader gives nothing of a line with half a surrogate, bytes that are no text, `NaN`, or very deep nesting. Here
the line is only taken apart into marks and texts, so that its own `id` is found whatever else it holds.
"""

from __future__ import annotations

import json
import re

_MARK = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
# A text that does not end takes the rest of the line: looked for from each quote anew, its end would take for ever.
_LONGEST = 1024
"""Bytes of an id, or of a key that matters."""

_LAST = re.compile(rb'\}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?,\s*"id"\s*:\s*(-?\d{1,19}|"(?:[^"\\]|\\.){0,256}")\s*')
_END = re.compile(rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


def request_id(line: bytes) -> int | str | None:
    """The id of the request that a line would be; None where it is none, or has no id that can be sent back."""
    found = _own_values(line)
    return _read_id(found[b"id"]) if b"method" in found and b"id" in found else None


def id_of_parts(head: bytes, tail: bytes) -> int | str | None:
    """The same of a line of which only the beginning and the end are known: clients write the id first or last."""
    found = _own_values(head)
    if b"method" not in found and b"id" not in found:
        return None
    if b"id" in found:
        return _read_id(found[b"id"])
    last = [match for match in _LAST.finditer(tail) if _END.match(tail, match.end())]
    return _read_id(last[-1][1]) if last else None


def _own_values(line: bytes) -> dict[bytes, bytes]:
    """The marks that follow the keys `id` and `method` of the outermost object; of a key given twice the last one."""
    found: dict[bytes, bytes] = {}
    depth, key, before = 0, b"", b""
    for match in _MARK.finditer(line):
        mark = match[0]
        if depth == 1 and before == b":" and key in (b"id", b"method"):
            found[key] = mark
        if depth == 1 and mark == b":":
            key = _text(before).encode("utf-8", "replace")
        depth += (mark in (b"{", b"[")) - (mark in (b"}", b"]"))
        before = mark
    return found


def _text(mark: bytes) -> str:
    value = _value(mark)
    return value if isinstance(value, str) else ""


def _read_id(mark: bytes) -> int | str | None:
    value = _value(mark)
    if type(value) is int:
        return value
    if not isinstance(value, str):
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _value(mark: bytes) -> object:
    if len(mark) > _LONGEST:
        return None
    try:
        return json.loads(mark)
    except ValueError:
        return None
