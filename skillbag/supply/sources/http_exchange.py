"""One request over HTTP(S) and the redirects of its answer, within a time limit. httpx2 is heavy: import this late.

Redirects are followed here and not by httpx2: never to another scheme, and never with the user's credentials to another
host.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl, unquote

import httpx2

from skillbag.kernel.base.cancellation import check_stop, on_stop
from skillbag.kernel.base.verbose import log_step
from skillbag.supply.sources import limits
from skillbag.supply.sources.http_failures import DownloadError, UnreachableError, error_failure
from skillbag.supply.sources.source import Source

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Status codes of redirects."""

_LATE = "the download took longer than {:g} seconds; try again later"
_SURELY_SECRET = 8
"""Shorter secrets may occur in an address by chance."""


T = TypeVar("T")


class Deadline:
    """A context that limits the whole time of a download, since a slow server can keep within every other limit.

    After that many seconds it shuts down the connections that it watches, and `over` is true. `late` says so.
    """

    def __init__(self, seconds: float, late: str = _LATE) -> None:
        self.seconds = seconds
        self._late = late
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

    def check(self) -> None:
        """Raise UnreachableError if the time is over, or what the run was asked to stop by."""
        check_stop()
        if self.over:
            raise UnreachableError(self._late.format(self.seconds))

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


class HttpConnection(NamedTuple):
    """A client whose requests keep within a deadline."""

    client: httpx2.Client
    deadline: Deadline

    def get(self, request: HttpRequest, receive: Callable[[httpx2.Response], T]) -> T:
        """What `receive` makes of the answer to a request, whose body it reads.

        Raises:
            DownloadError: it failed; the message holds neither an address nor a secret. Whatever `receive` raises.
        """
        url = None
        try:
            url = start = httpx2.URL(request.address)
            for _ in range(limits.MAX_REDIRECTS + 1):
                with contextlib.closing(self._answer(request, url, known=_origin(url) == _origin(start))) as response:
                    if response.status_code not in REDIRECTS:
                        found = receive(response)
                        # A response without a length ends with its connection, which the deadline may have closed.
                        self.deadline.check()
                        return found
                    url = _following(response, start, request)
        except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
            self.deadline.check()
            raise error_failure(error, url.host if url else "") from None
        raise DownloadError(f"the server redirects more than {limits.MAX_REDIRECTS} times; check the address")

    def _answer(self, request: HttpRequest, url: httpx2.URL, *, known: bool) -> httpx2.Response:
        """The response, its body unread; secrets are sent if the server is `known`."""
        headers = {**request.headers, **(request.secret_headers if known else {})}
        extensions = {"trace": self.deadline.watch}
        built = self.client.build_request("GET", url, headers=headers, extensions=extensions)
        return self.client.send(built, auth=request.auth if known else None, stream=True)


class HttpRequest(NamedTuple):
    """A request for the `address` of a source. `secret_headers` and `auth` are for the server of the address alone, as
    the secrets of the source are. `may_lead` refuses the address of a redirect by raising.
    """

    source: Source
    address: str
    headers: Mapping[str, str] = {}
    secret_headers: Mapping[str, str] = {}
    auth: Any = None
    may_lead: Callable[[httpx2.URL], None] = lambda _: None


@contextlib.contextmanager
def connected(seconds: float, late: str = _LATE) -> Iterator[HttpConnection]:
    """A connection for so many seconds, or until the run is stopped; `late` is the message of a deadline.

    Proxies and certificates are those of the environment.

    Raises:
        DownloadError: one of them can't be used.
    """
    silence_log()
    with Deadline(seconds, late) as deadline, _new_client() as client, on_stop(deadline.end):
        yield HttpConnection(client, deadline)


def _new_client() -> httpx2.Client:
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


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port: the server that credentials are meant for."""
    return url.scheme, url.host, url.port


def _following(response: httpx2.Response, start: httpx2.URL, request: HttpRequest) -> httpx2.URL:
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
    request.may_lead(url)
    if _origin(url) != _origin(start) and _carries_secrets(request.source, url):
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
