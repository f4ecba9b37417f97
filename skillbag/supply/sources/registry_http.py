"""One request to a registry: over HTTPS, except on loopback; limited in time and size; the token to its origin alone.

httpx2 is heavy: import this when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import httpx2

from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.secrets.detection import mask
from skillbag.supply.sources.configured_hosts import TOKEN_VARIABLE, is_loopback, token_for
from skillbag.supply.sources.http_exchange import HttpRequest, connected
from skillbag.supply.sources.http_failures import DownloadError, UnreachableError
from skillbag.supply.sources.source import registry_source

_PIECE = 1 << 16
_MAX_ERROR = 4096
_SHOWN_ERROR = 200


class RegistryRequest(NamedTuple):
    """A request to the registry at `address`: a `path` below it that is already quoted, the most bytes that are
    taken, the most `seconds`, and the `etag` of what is known already."""

    address: str
    path: str
    limit: int
    seconds: float
    etag: str = ""


class Response(NamedTuple):
    """The head of an answer; not `changed` means that what is known already still holds."""

    etag: str
    changed: bool = True


def send(request: RegistryRequest, write: Callable[[bytes], object]) -> Response:
    """Send a request and `write` the body of the answer piece by piece.

    Raises:
        UnreachableError, DownloadError: it failed; the message holds neither an address nor a secret.
        UserError: the token can't be sent.
    """
    token = token_for(request.address)
    sent = HttpRequest(
        registry_source(request.address, ""),
        f"{request.address}/api/v1/{request.path}",
        {"If-None-Match": request.etag} if request.etag else {},
        {"Authorization": f"Bearer {token}"} if token else {},
        may_lead=_may_lead,
    )
    with connected(request.seconds, "the registry took longer than {:g} seconds") as connection:
        return connection.get(sent, lambda response: _receive(request, response, write, token))


def _may_lead(url: httpx2.URL) -> None:
    if url.scheme != "https" and not is_loopback(url.host):
        raise DownloadError(f"the registry redirects to {url.host} without https; that is refused")


class NotInRegistryError(DownloadError):
    """The registry does not have what it is asked for (404)."""


def _receive(
    request: RegistryRequest, response: httpx2.Response, write: Callable[[bytes], object], token: str | None
) -> Response:
    if response.status_code == 304 and request.etag:
        return Response(request.etag, changed=False)
    if response.status_code != 200:
        raise _failure(response, token)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("identity", ""):
        raise DownloadError(f"the registry compresses its answer ({encoding[:20]!r}) although it was asked not to")
    if "html" in response.headers.get("content-type", "").lower():
        raise DownloadError("the registry answers with a web page; check its address")
    length = response.headers.get("content-length", "")
    left = request.limit
    if length.isdecimal() and int(length) > left:
        raise _too_large(request)
    for piece in response.iter_raw(_PIECE):
        left -= len(piece)
        if left < 0:
            raise _too_large(request)
        write(piece)
    etag = response.headers.get("etag", "")
    return Response(etag if etag.isascii() and etag.isprintable() and len(etag) <= 200 else "")


def _too_large(request: RegistryRequest) -> DownloadError:
    return DownloadError(f"the answer of the registry is larger than {request.limit >> 20} MiB, the most that is taken")


def _failure(response: httpx2.Response, token: str | None) -> DownloadError:
    """The error for an answer that is no success, with what the registry says."""
    status = response.status_code
    said = _said(response, token)
    if status == 401:
        answer = "refuses the token" if token else "asks for a token"
        return DownloadError(f"the registry {answer} (401{said}); {TOKEN_VARIABLE} names the one for your registry")
    if status == 404:
        return NotInRegistryError(f"the registry does not have it (404{said})")
    reason = f"unexpected status {status}{said}"
    return UnreachableError(reason) if status >= 500 or status == 429 else DownloadError(reason)


def _said(response: httpx2.Response, token: str | None) -> str:
    """The registry's own message, without secrets, on one line; empty if there is none."""
    body = bytearray()
    for piece in response.iter_raw(_MAX_ERROR):
        body += piece
        if len(body) >= _MAX_ERROR:
            return ""
    try:
        value = json_value(body.decode("utf-8"))
    except (BadJsonError, UnicodeDecodeError):
        return ""
    text = value.get("error") if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip():
        return ""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    plain = plain.replace(token, "****") if token else plain
    return f": {mask(plain)[:_SHOWN_ERROR]}"
