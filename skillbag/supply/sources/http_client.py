"""The HTTP client that downloads archives: retries, redirects, limits. httpx2 is heavy: import this when it is needed.

Redirects are followed here and not by httpx2: never to another scheme, and never with the user's credentials to another
host.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import BinaryIO, NamedTuple
from urllib.parse import parse_qsl, unquote

import httpx2

from skillbag.kernel.base.cancellation import check_stop, on_stop
from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs.atomic import open_atomic
from skillbag.supply.sources import limits
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.http_failures import BY_HAND, DownloadError, error_failure, status_failure
from skillbag.supply.sources.netrc_login import login_for
from skillbag.supply.sources.source import Source

Progress = Callable[[int, int | None], None]
"""Receives the bytes so far, and the total if the server declares it."""

_PIECE = 1 << 16
REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Status codes of redirects."""

_GZIP = ("gzip", "x-gzip")
"""What some servers call the encoding of a file that is a tar.gz archive."""

_SURELY_SECRET = 8
"""Shorter secrets may occur in an address by chance."""


class Deadline:
    """A context that limits the whole time of a download, since a slow server can keep within every other limit.

    After that many seconds it shuts down the connections that it watches, and `over` is true.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.over = False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self.end)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for connection in self._sockets:
                connection.close()

    def watch(self, event: str, info: Mapping[str, object]) -> None:
        """The `trace` extension of a request: records each connection that is made for it."""
        if event == "connection.connect_tcp.complete":
            connection = info["return_value"].get_extra_info("socket")  # type: ignore[attr-defined]
            with self._lock:
                # TLS takes the socket over, so keep a second handle.
                self._sockets.append(connection.dup())
            if self.over:
                self.end()

    def end(self) -> None:
        """Shut the connections down now, from any thread."""
        self.over = True
        with self._lock:
            for connection in self._sockets:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


def silence_log() -> None:
    """Keep the client from logging each address that it requests, with the query."""
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)


class _Download(NamedTuple):
    client: httpx2.Client
    source: Source
    deadline: Deadline
    file: BinaryIO
    progress: Progress | None


def download(source: Source, to: str, progress: Progress | None = None) -> None:
    """Fetch the archive of a source into the file `to`, whole or not at all.

    Proxies and certificates are those of the environment. Credentials, of the address or the user's netrc file, are
    sent only to the host in the address.

    Raises:
        FetchError: the download failed; the message holds no secret.
    """
    silence_log()
    if source.credentials is None:
        source = replace(source, credentials=login_for(source.address))
    try:
        with (
            Deadline(limits.DOWNLOAD_SECONDS) as deadline,
            new_client() as client,
            open_atomic(to, root=os.path.dirname(to), mode=0o644, durable=False) as file,
            on_stop(deadline.end),
        ):
            _with_retries(_Download(client, source, deadline, file, progress))
    except DownloadError as error:
        # The chained errors may hold secrets.
        raise FetchError(source.declared, error.reason) from None


def new_client() -> httpx2.Client:
    """A client with the proxies, certificates and time limits of every download; it follows no redirect.

    Raises:
        DownloadError: a proxy or certificate of the environment can't be used.
    """
    timeout = httpx2.Timeout(limits.READ_SECONDS, connect=limits.CONNECT_SECONDS)
    headers = {"Accept-Encoding": "identity", "User-Agent": "skillbag"}
    try:
        # Before 0.28 httpx2 ignores a missing file.
        os.stat(os.environ.get("SSL_CERT_FILE") or os.curdir)
        hooks = {"request": [_tell]}
        return httpx2.Client(timeout=timeout, headers=headers, follow_redirects=False, event_hooks=hooks)
    except (OSError, ValueError, ImportError, httpx2.InvalidURL):
        # The error's message may hold the credentials of a proxy.
        names = "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR"
        raise DownloadError(f"a proxy or certificate of the environment can't be used; check {names}") from None


def _tell(request: httpx2.Request) -> None:
    # A query may hold a secret.
    log_step("fetches {}", f"{request.url.scheme}://{request.url.netloc.decode()}{request.url.path}")


def _with_retries(download: _Download) -> None:
    for pause in limits.RETRY_PAUSES:
        try:
            return _try(download)
        except DownloadError as error:
            if not error.again or error.after > limits.MAX_RETRY_AFTER:
                raise
            time.sleep(max(pause, error.after))
            check_stop()
    return _try(download)


def _try(download: _Download) -> None:
    """Make one attempt, through all redirects."""
    source, url = download.source, None
    try:
        url = start = httpx2.URL(source.full_address)
        for _ in range(limits.MAX_REDIRECTS + 1):
            with contextlib.closing(_answer(download, url, known=origin(url) == origin(start))) as response:
                if response.status_code not in REDIRECTS:
                    return _receive(download, response)
                url = following(response, start, source)
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
        _check_time(download.deadline)
        raise error_failure(error, url.host if url else "") from None
    raise DownloadError(f"the server redirects more than {limits.MAX_REDIRECTS} times; check the address")


def _answer(download: _Download, url: httpx2.URL, known: bool) -> httpx2.Response:
    """The response to a request, its body unread; credentials are sent if the server is `known`."""
    credentials = download.source.credentials if known else None
    auth = httpx2.BasicAuth(credentials.user, credentials.password) if credentials else None
    request = download.client.build_request("GET", url, extensions={"trace": download.deadline.watch})
    return download.client.send(request, auth=auth, stream=True)


def _receive(download: _Download, response: httpx2.Response) -> None:
    """Store the body of a successful response."""
    if response.status_code != 200:
        raise status_failure(response)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("identity", "") and not (encoding in _GZIP and download.source.kind.row.is_gzip):
        reason = f"the server compresses the archive again ({encoding[:20]!r}) although it was asked not to"
        raise DownloadError(f"{reason}; {BY_HAND}")
    length = response.headers.get("content-length", "")
    total = int(length) if length.isdecimal() else None
    _check_size(total or 0)
    # An earlier attempt may have written a part.
    download.file.seek(0)
    download.file.truncate()
    done = 0
    for piece in response.iter_raw(_PIECE):
        if done == 0:
            _check_beginning(response, piece)
        done += len(piece)
        _check_size(done)
        download.file.write(piece)
        if download.progress:
            download.progress(done, total)
    # A response without a length ends with its connection, which the deadline may have closed.
    _check_time(download.deadline)


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


def _check_time(deadline: Deadline) -> None:
    check_stop()
    if deadline.over:
        raise DownloadError(f"the download took longer than {deadline.seconds:g} seconds; try again later")


def origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port: the server that credentials are meant for."""
    return url.scheme, url.host, url.port


def following(response: httpx2.Response, start: httpx2.URL, source: Source) -> httpx2.URL:
    """The address that a redirect leads to; `start` is the first address of the download.

    Raises:
        DownloadError: it may not be followed.
        httpx2.InvalidURL: it is malformed.
    """
    location = response.headers.get("location", "")
    url = response.request.url.join(location)
    if url.scheme != start.scheme:
        raise DownloadError(
            f"the server redirects from {start.scheme} to {url.scheme[:20]}, and no redirect to another scheme is"
            " followed; write the address at which the archive is now"
        )
    if not location:
        raise DownloadError("the server redirects to nowhere; check the address")
    url = url.copy_with(fragment=None)
    if origin(url) != origin(start) and _carries_secrets(source, url):
        raise DownloadError(f"the server redirects to {url.host} and would send it your credentials; that is refused")
    # httpx2 would use credentials in it, and they are not the user's.
    return url.copy_with(userinfo=b"")


def _carries_secrets(source: Source, url: httpx2.URL) -> bool:
    """Whether the address of a redirect holds a secret of the user's address."""
    parameters = parse_qsl(source.query, keep_blank_values=True)
    secrets = [value for _, value in parameters] + ([source.credentials.password] if source.credentials else [])
    plain = unquote(str(url))
    found = any(secret in plain for secret in secrets if len(secret) >= _SURELY_SECRET)
    return found or any(pair in url.params.multi_items() for pair in parameters)
