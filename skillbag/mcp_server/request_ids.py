"""Find the id of a request that is not valid JSON, so that the error is sent to the client that waits for it.

A strict parser returns nothing for lone surrogates, invalid UTF-8, `NaN` or very deep nesting. Here the line is only
split into tokens, so that its `id` is found whatever else it holds.
"""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
# An unterminated string takes the rest of the line: searching from each quote again would be quadratic.
_LONGEST = 1024
"""Bytes of an id, or of a key."""

_LAST = re.compile(rb'\}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?,\s*"id"\s*:\s*(-?\d{1,19}|"(?:[^"\\]|\\.){0,256}")\s*')
_END = re.compile(rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


def request_id(line: bytes) -> int | str | None:
    """The id of the request in a line; None if there is none that can be sent back."""
    found = _top_level_tokens(line)
    return _read_id(found[b"id"]) if b"method" in found and b"id" in found else None


def id_of_parts(head: bytes, tail: bytes) -> int | str | None:
    """The same for the beginning and end of a long line: clients write the id first or last."""
    found = _top_level_tokens(head)
    if b"method" not in found and b"id" not in found:
        return None
    if b"id" in found:
        return _read_id(found[b"id"])
    last = [match for match in _LAST.finditer(tail) if _END.match(tail, match.end())]
    return _read_id(last[-1][1]) if last else None


def _top_level_tokens(line: bytes) -> dict[bytes, bytes]:
    """The tokens after the keys `id` and `method` of the outermost object; of a repeated key the last."""
    found: dict[bytes, bytes] = {}
    depth, key, before = 0, b"", b""
    for match in _TOKEN.finditer(line):
        token = match[0]
        if depth == 1 and before == b":" and key in (b"id", b"method"):
            found[key] = token
        if depth == 1 and token == b":":
            key = _text(before).encode("utf-8", "replace")
        depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
        before = token
    return found


def _text(token: bytes) -> str:
    value = _value(token)
    return value if isinstance(value, str) else ""


def _read_id(token: bytes) -> int | str | None:
    value = _value(token)
    if type(value) is int:
        return value
    if not isinstance(value, str):
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _value(token: bytes) -> object:
    if len(token) > _LONGEST:
        return None
    try:
        return json.loads(token)
    except ValueError:
        return None
