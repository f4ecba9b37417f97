"""A small text over HTTP(S), such as a published entrypoint. httpx2 is heavy: import this when it is needed."""

from __future__ import annotations

import contextlib

import httpx2

from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.address import hidden
from skillbag.supply.sources.http_client import REDIRECTS, Deadline, following, new_client, silence_log
from skillbag.supply.sources.http_failures import DownloadError, error_failure, status_failure
from skillbag.supply.sources.limits import MAX_REDIRECTS
from skillbag.supply.sources.source import Source

_PIECE = 1 << 16


def fetch_text(address: str, limit: int, seconds: float) -> bytes:
    """The first `limit` bytes at an address, in at most so many seconds; redirects keep to the scheme.

    Raises:
        DownloadError: it failed; the message holds neither an address nor a secret.
    """
    silence_log()
    url = None
    with Deadline(seconds) as deadline, new_client() as client:
        try:
            url = start = httpx2.URL(address)
            query = start.query.decode()
            source = Source(SourceKind.HTTP_ZIP, address, hidden(address), address, remote=True, query=query)
            for _ in range(MAX_REDIRECTS + 1):
                request = client.build_request("GET", url, extensions={"trace": deadline.watch})
                # Credentials in the address are for its own server; `following` leaves them out of every other.
                with contextlib.closing(client.send(request, stream=True)) as response:
                    if response.status_code not in REDIRECTS:
                        return _body(response, limit, deadline)
                    url = following(response, start, source)
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
            _check_time(deadline)
            raise error_failure(error, url.host if url else "") from None
    raise DownloadError(f"the server redirects more than {MAX_REDIRECTS} times; check the address")


def _body(response: httpx2.Response, limit: int, deadline: Deadline) -> bytes:
    if response.status_code != 200:
        raise status_failure(response)
    data = bytearray()
    for piece in response.iter_raw(_PIECE):
        data += piece
        if len(data) >= limit:
            break
    # An answer without a length ends with its connection, which the deadline may have closed.
    _check_time(deadline)
    return bytes(data[:limit])


def _check_time(deadline: Deadline) -> None:
    if deadline.over:
        raise DownloadError(f"it took longer than {deadline.seconds:g} seconds; try again later")
