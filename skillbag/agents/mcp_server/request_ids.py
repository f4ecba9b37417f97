"""Find the id of a request that is not valid JSON, so that the error is sent to the client that waits for it.

A strict parser returns nothing for lone surrogates, invalid UTF-8, `NaN` or very deep nesting. Here the line is only
split into tokens, so that its `id` is found whatever else it holds.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
# An unterminated string takes the rest of the line: searching from each quote again would be quadratic.
_LONGEST = 1024
"""Bytes of an id, or of a key."""

_LAST = re.compile(rb'\}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?,\s*"id"\s*:\s*(-?\d{1,19}|"(?:[^"\\]|\\.){0,256}")\s*')
_END = re.compile(rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


def request_id(line: bytes) -> int | str | None:
    """The id of the request in a line; None if there is none that can be sent back."""
    tokens = _top_level_tokens(line)
    return _value(tokens["id"]) if tokens.keys() == {"id", "method"} else None


def id_of_parts(head: bytes, tail: bytes) -> int | str | None:
    """The same for the beginning and end of a long line: clients write the id first or last."""
    tokens = _top_level_tokens(head)
    if "id" in tokens:
        return _value(tokens["id"])
    last = [match for match in _LAST.finditer(tail) if _END.match(tail, match.end())]
    return _value(last[-1][1]) if last and "method" in tokens else None


def _top_level_tokens(line: bytes) -> dict[str, bytes]:
    """The tokens after the keys `id` and `method` of the outermost object; of a repeated key the last."""
    tokens: dict[str, bytes] = {}
    depth, before = 0, b""
    key: int | str | None = None
    for match in _TOKEN.finditer(line):
        token = match[0]
        if depth == 1 and before == b":" and (key == "id" or key == "method"):
            tokens[key] = token
        if depth == 1 and token == b":":
            key = _value(before)
        depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
        before = token
    return tokens


def _value(token: bytes) -> int | str | None:
    """A number or text that can be sent back."""
    try:
        value: Any = json.loads(token) if len(token) <= _LONGEST else None
        if isinstance(value, str):
            value.encode()
    except ValueError:
        return None
    return value if type(value) in (int, str) else None
