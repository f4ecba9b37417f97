"""Downloads over HTTP(S): archives, with retries and limits, and small texts. httpx2 is heavy: import this late."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import BinaryIO
from urllib.parse import urlsplit

import httpx2

from skillbag.kernel.base.cancellation import check_stop
from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs.atomic import open_atomic
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources import limits
from skillbag.supply.sources.address import hidden
from skillbag.supply.sources.configured_hosts import is_loopback
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.http_exchange import HttpRequest, connected
from skillbag.supply.sources.http_failures import BY_HAND, DownloadError, status_failure
from skillbag.supply.sources.source import Credentials, Source

Progress = Callable[[int, int | None], None]
"""Receives the bytes so far, and the total if the server declares it."""

_PIECE = 1 << 16
_GZIP = ("gzip", "x-gzip")
"""What some servers call the encoding of a file that is a tar.gz archive."""


def download(source: Source, to: str, progress: Progress | None = None) -> None:
    """Fetch the archive of a source into the file `to`, whole or not at all.

    Proxies and certificates are those of the environment. Credentials, of the address or the user's netrc file, are
    sent only to the host in the address.

    Raises:
        FetchError: the download failed; the message holds no secret.
    """
    login = source.credentials or login_for(source.address)
    request = HttpRequest(
        replace(source, credentials=login),
        source.full_address,
        auth=httpx2.BasicAuth(login.user, login.password) if login else None,
    )
    try:
        with (
            connected(limits.DOWNLOAD_SECONDS) as connection,
            open_atomic(to, root=os.path.dirname(to), mode=0o644, durable=False) as file,
        ):
            receive = partial(_receive, source.kind.row.is_gzip, file, progress)
            _with_retries(partial(connection.get, request, receive))
    except DownloadError as error:
        # The chained errors may hold secrets.
        raise FetchError(source.declared, error.reason) from None


def _with_retries(attempt: Callable[[], None]) -> None:
    for pause in limits.RETRY_PAUSES:
        try:
            return attempt()
        except DownloadError as error:
            if not error.again or error.after > limits.MAX_RETRY_AFTER:
                raise
            time.sleep(max(pause, error.after))
            check_stop()
    return attempt()


def _receive(is_gzip: bool, file: BinaryIO, progress: Progress | None, response: httpx2.Response) -> None:
    """Store the body of a successful response."""
    if response.status_code != 200:
        raise status_failure(response)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("identity", "") and not (encoding in _GZIP and is_gzip):
        reason = f"the server compresses the archive again ({encoding[:20]!r}) although it was asked not to"
        raise DownloadError(f"{reason}; {BY_HAND}")
    length = response.headers.get("content-length", "")
    total = int(length) if length.isdecimal() else None
    _check_size(total or 0)
    # An earlier attempt may have written a part.
    file.seek(0)
    file.truncate()
    done = 0
    for piece in response.iter_raw(_PIECE):
        if done == 0:
            _check_beginning(response, piece)
        done += len(piece)
        _check_size(done)
        file.write(piece)
        if progress:
            progress(done, total)


def _check_beginning(response: httpx2.Response, piece: bytes) -> None:
    """Refuse a page; whether anything else is an archive shows when it is unpacked."""
    page = "html" in response.headers.get("content-type", "").lower() or piece.lstrip()[:1] == b"<"
    if page and not piece.startswith((b"PK", b"\x1f\x8b")):
        raise DownloadError(
            "the server answers with a web page instead of an archive, perhaps one to log in at; write the address of"
            " the archive itself, with credentials if it needs them"
        )


def _check_size(size: int) -> None:
    if size > limits.MAX_ARCHIVE:
        raise DownloadError(f"the archive is larger than {limits.MAX_ARCHIVE >> 20} MiB, the most that is downloaded")


def fetch_text(address: str, limit: int, seconds: float) -> bytes:
    """The first `limit` bytes at an address, such as that of a published entrypoint, in at most so many seconds.

    Raises:
        DownloadError: it failed; the message holds neither an address nor a secret.
    """
    query = httpx2.URL(address).query.decode()
    source = Source(SourceKind.HTTP_ZIP, address, hidden(address), address, remote=True, query=query)
    # Credentials in the address are for its own server.
    request = HttpRequest(source, address, auth=httpx2.USE_CLIENT_DEFAULT)
    with connected(seconds) as connection:
        return connection.get(request, lambda response: _beginning(response, limit))


def _beginning(response: httpx2.Response, limit: int) -> bytes:
    if response.status_code != 200:
        raise status_failure(response)
    data = bytearray()
    for piece in response.iter_raw(_PIECE):
        data += piece
        if len(data) >= limit:
            break
    return bytes(data[:limit])


def login_for(address: str) -> Credentials | None:
    """The login for the server of an HTTP(S) address; None if there is none, or it would be sent unencrypted.

    A file that can't be used is as good as none, since most archives need no login; `--verbose` says so.
    """
    from netrc import NetrcParseError, netrc

    parts = urlsplit(address)
    host = parts.hostname or ""
    path = os.environ.get("NETRC") or os.path.join(os.path.expanduser("~"), ".netrc")
    if parts.scheme != "https" and not is_loopback(host):
        return None
    try:
        if not is_ours(os.stat(path)):
            log_step("does not use {}, which others can write", path)
            return None
        login, _, password = netrc(path).hosts.get(host, ("", "", ""))
    except FileNotFoundError:
        return None
    except NetrcParseError as error:
        # Its message may hold a password.
        log_step("does not use {}, which is malformed in line {}", path, str(error.lineno))
        return None
    except (OSError, ValueError) as error:
        log_step("does not use {}: {}", path, getattr(error, "strerror", None) or "it is no text")
        return None
    return Credentials(login, password or "") if login or password else None
