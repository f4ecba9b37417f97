"""Messages of a client to the MCP server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SLOW = {"name": "run_skill_script", "arguments": {"skill": "aa", "script": "scripts/slow.sh"}}
ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
OPENING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}

GARBAGE = {
    b"no JSON at all": PARSE_ERROR,
    b'{"jsonrpc": "2.0", "id": 1, "meth': PARSE_ERROR,
    b"\x00\x01\x02\xff\xfe": PARSE_ERROR,
    b'{"jsonrpc": "2.0", "id": 1, "method": "p\xffng"}': PARSE_ERROR,
    b'{"a": "\\ud800"}': PARSE_ERROR,
    b'{"a": NaN}': PARSE_ERROR,
    b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}': PARSE_ERROR,
    b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}': PARSE_ERROR,
    b'{"jsonrpc": "2.0", "id": true, "method": "p\xffng"}': PARSE_ERROR,
    b'{"jsonrpc": "2.0", "id": "%s", "method": "p\xffng"}' % (b"x" * 2_000): PARSE_ERROR,
    b"[" * 100_000: PARSE_ERROR,
    b'{"a":' * 100_000: PARSE_ERROR,
    b"[" * 100_000 + b"]" * 100_000: PARSE_ERROR,
    b"[]": INVALID_REQUEST,
    b"{}": INVALID_REQUEST,
    b"1": INVALID_REQUEST,
    b"null": INVALID_REQUEST,
    b'"text"': INVALID_REQUEST,
    b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]': INVALID_REQUEST,
    b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}': INVALID_REQUEST,
    b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}': INVALID_REQUEST,
    b'{"jsonrpc": "2.0", "id": 1, "method": 1}': INVALID_REQUEST,
    b"9" * 100_000: PARSE_ERROR,
}


def conversation(*requests: Mapping[str, Any]) -> bytes:
    """The lines of a client that shakes hands and makes these requests."""
    hello: Mapping[str, Any] = {"method": "initialize", "id": 1, "params": HELLO}
    messages = (hello, {"method": "notifications/initialized"}, *requests)
    return "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages).encode()
