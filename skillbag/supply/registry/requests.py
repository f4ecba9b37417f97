"""The head of an HTTP request: a line and headers, of which few are known; a request with a body is refused."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.kernel.base.lazy_regex import late
from skillbag.supply.registry.answers import RefusedError

LONGEST_HEAD = 16 << 10
"""Bytes of the request line and the headers."""

_MOST_HEADERS = 100
_LINE = late(r"([A-Z]{1,16}) (/[!-~]{0,4095}) HTTP/1\.[01]")
_HEADER = late(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)")


class Request(NamedTuple):
    """A request: its method, its target (a path and a query), and its headers by their names in lower case.

    The values of a header that is given several times are joined by commas.
    """

    method: str
    target: str
    headers: dict[str, str]


def read_request(head: bytes) -> Request:
    """The request of a head, which ends with an empty line.

    Raises:
        RefusedError: it is no head of HTTP/1.0 or 1.1, or announces a body.
    """
    lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    match = _LINE().fullmatch(lines[0])
    if match is None:
        raise RefusedError(400, "this is no request line of HTTP/1.1 with a path")
    if len(lines) > _MOST_HEADERS:
        raise RefusedError(431, "too many headers")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        header = _HEADER().fullmatch(line)
        if header is None:
            raise RefusedError(400, "a header is malformed")
        name, value = header[1].lower(), header[2].strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
        raise RefusedError(400, "a request has no body")
    return Request(match[1], match[2], headers)
