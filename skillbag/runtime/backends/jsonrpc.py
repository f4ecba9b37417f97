"""JSON-RPC 2.0, one object a line: what lines mean, and the lines of what we send (skill runtime, section 7.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from skillbag.kernel.base.call_input import object_of
from skillbag.kernel.processes import plain_json
from skillbag.runtime.errors import BadParametersError, RuntimeFaultError, error_of
from skillbag.runtime.skill import Json

LONGEST_SENT = 16 << 20
"""Bytes of the longest line that is sent to a child (16 MiB): a file that it reads has up to 10 MiB."""

INVALID_REQUEST, UNKNOWN_METHOD = -32600, -32601

_LONGEST_MESSAGE = 2000
_LONGEST_ID = 200
_DEEPEST = 100
"""Objects and lists within each other in a line: what handles it later may call itself for each."""
_HALF = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""The escape of a surrogate, be it lone or one of a pair. Without an escape, UTF-8 holds none."""


class NotJsonRpcError(Exception):
    """A line is no message of JSON-RPC; the message says why."""


class RpcRequest(NamedTuple):
    """A request of the child; `id` is None for a notification."""

    id: int | str | None
    method: str
    params: Mapping[str, Json]


class RpcResponse(NamedTuple):
    """The answer to a request: a result, or an error. `is_whole`: no text of the result has half a character."""

    id: Json
    result: Json
    error: RuntimeFaultError | None
    is_whole: bool = True

    def to(self, method: str) -> RpcResponse:
        """The answer to a request of this method: without half characters, but for what a skill registers, which is
        refused with them."""
        return self if self.is_whole or method == "initialize" else self._replace(result=whole(self.result))


def parse(line: bytes) -> RpcRequest | RpcResponse:
    """The message of a line.

    Raises:
        NotJsonRpcError: it is none.
    """
    try:
        value = _decode(line)
    except (ValueError, RecursionError) as error:
        raise NotJsonRpcError("it is not JSON with each key once") from error
    # Each level begins with a bracket: most lines have so few that they need not be walked through.
    if line.count(b"{") + line.count(b"[") > _DEEPEST and nests_deeper(value, _DEEPEST):
        raise NotJsonRpcError(f"it nests deeper than {_DEEPEST} objects and lists")
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise NotJsonRpcError('it is no object with "jsonrpc": "2.0"')
    if "method" in value:
        return _request(value.get("id"), value["method"], value.get("params", {}))
    if ("result" in value) == ("error" in value) or "id" not in value:
        raise NotJsonRpcError("it is neither a request nor an answer")
    fault = _error(value["error"]) if "error" in value else None
    return RpcResponse(value["id"], value.get("result"), fault, not _ESCAPED_HALF.search(line))


def nests_deeper(value: Json, most: int) -> bool:
    """Whether a JSON value has more than so many objects and lists within each other."""
    level = [value]
    for _ in range(most + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return False
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return True


def whole(value: Json) -> Json:
    """A value with U+FFFD for each half of a character (a lone surrogate): no output in UTF-8 can hold one."""
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {_HALF.sub("\ufffd", key): whole(each) for key, each in value.items()}
    return value


def encode(value: Json) -> bytes:
    """A value as JSON, in UTF-8 and on one line.

    Raises:
        BadParametersError: it is no JSON value.
    """
    try:
        text = plain_json.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadParametersError(f"this value can't be written as JSON: {error}") from error
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Half a character (a lone surrogate): JSON can escape it.
        return json.dumps(value).encode("ascii")


def request_line(number: int, method: str, params: bytes) -> bytes:
    """The line of a request; `params` is JSON."""
    return b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}' % (number, method.encode(), params)


def notification_line(method: str, params: Mapping[str, Json]) -> bytes:
    """The line of a notification."""
    return encode({"jsonrpc": "2.0", "method": method, "params": params})


def result_line(number: int | str, value: Json) -> bytes:
    """The line of an answer to the child; an error if the value is no JSON or too long for a line."""
    try:
        line = encode({"jsonrpc": "2.0", "id": number, "result": value})
    except BadParametersError as error:
        return error_line(number, RuntimeFaultError.code, str(error))
    if len(line) > LONGEST_SENT:
        return error_line(number, RuntimeFaultError.code, f"the result is longer than {LONGEST_SENT >> 20} MiB")
    return line


def error_line(number: int | str, code: int, message: str) -> bytes:
    """The line of an answer to the child that reports an error."""
    return encode({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def _request(number: object, method: object, params: object) -> RpcRequest:
    if not isinstance(method, str) or not isinstance(params, dict):
        raise NotJsonRpcError("its method is no text, or its params are no object")
    if isinstance(number, bool) or not isinstance(number, int | str | None):
        raise NotJsonRpcError("its id is neither a number nor a text")
    if len(str(number)) > _LONGEST_ID:
        raise NotJsonRpcError(f"its id is longer than {_LONGEST_ID} characters")
    return RpcRequest(number, method, params)


def _error(value: Json) -> RuntimeFaultError:
    """An error of the child, of the class that its code names."""
    if not isinstance(value, dict) or not isinstance(value.get("message"), str):
        raise NotJsonRpcError("its error has no message")
    message = _HALF.sub("\ufffd", value["message"][:_LONGEST_MESSAGE])
    return error_of(value.get("code"), message or "it failed without a message")


def _decode(line: bytes) -> Any:
    text = line.decode("utf-8").strip(" \t\r\n")
    value, end = _decoder.raw_decode(text)
    if end != len(text):
        raise ValueError("something follows the value")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=object_of)
