"""`fetch`: a text over HTTP(S), from public addresses alone (skill runtime, sections 5 and 7.2).

Each address, those of redirects too, is looked up once, checked, and connected to as a number, so that a name can't
lead to another place in between. Proxies are not used: they look names up themselves. httpx2 is heavy, so import this
when it is needed.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

import httpx2

from skillbag.kernel.base.time_limit import rest
from skillbag.runtime.errors import BadParametersError, NotPermittedError, RuntimeFaultError, TimeLimitError
from skillbag.supply.sources.entry import quoted
from skillbag.supply.sources.http_exchange import REDIRECTS, Deadline, silence_log
from skillbag.supply.sources.limits import MAX_REDIRECTS

_PORTS = {"http": 80, "https": 443}
_PIECE = 1 << 16
_CHARSETS = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "windows-1252": "cp1252", "utf-16": "utf-16"}
"""Charsets besides UTF-8 that are read; a server may name anything."""


class FetchLimits(NamedTuple):
    """Seconds of the whole call, and bytes of the answer. `allow_private` is for tests: servers on loopback."""

    seconds: float = 15.0
    bytes: int = 1 << 20
    allow_private: bool = False


class _Fetch(NamedTuple):
    client: httpx2.Client
    deadline: Deadline
    until: float
    limits: FetchLimits

    def rest(self) -> float:
        """The seconds that are left.

        Raises:
            TimeLimitError: none are.
        """
        rest = self.until - time.monotonic()
        if rest <= 0 or self.deadline.over:
            raise TimeLimitError(f"the answer took longer than {self.limits.seconds:g} s")
        return rest


def fetch(url: str, limits: FetchLimits) -> str:
    """The text at an address; bytes that are no text of its charset are replaced.

    Raises:
        BadParametersError: it is no address of HTTP(S). NotPermittedError: it leads to a private address.
        TimeLimitError, RuntimeFaultError: the server is late, fails, answers with 400 or more, or too much.
    """
    silence_log()
    seconds = rest(limits.seconds)
    # The transport takes certificates of the environment; a client with one takes no proxies.
    transport = httpx2.HTTPTransport(trust_env=True)
    with (
        Deadline(seconds) as deadline,
        httpx2.Client(transport=transport, trust_env=False, follow_redirects=False) as client,
    ):
        return _follow(_Fetch(client, deadline, time.monotonic() + seconds, limits), _parsed(url))


def _follow(fetch: _Fetch, url: httpx2.URL) -> str:
    for _ in range(MAX_REDIRECTS + 1):
        try:
            with contextlib.closing(_answer(fetch, url)) as response:
                if response.status_code not in REDIRECTS:
                    return _text(fetch, response)
                url = _next(url, response)
        except httpx2.HTTPError as error:
            # The deadline shuts connections down, which looks like any other failure.
            fetch.rest()
            raise _failure(error, url.host) from None
    raise RuntimeFaultError(f"the server redirects more than {MAX_REDIRECTS} times")


def _failure(error: BaseException, host: str) -> RuntimeFaultError:
    if isinstance(error, httpx2.TimeoutException):
        return TimeLimitError(f"{host} takes too long to answer")
    what = "can't be connected to" if isinstance(error, httpx2.ConnectError) else "sent no complete answer"
    cause: BaseException | None = error
    while cause and not isinstance(cause, OSError):
        cause = cause.__context__
    words = getattr(cause, "verify_message", "") or getattr(cause, "strerror", "")
    return RuntimeFaultError(f"{host} {what}" + (f" ({words})" if words else ""))


def _parsed(url: str) -> httpx2.URL:
    try:
        parsed = httpx2.URL(url)
        host = parsed.raw_host
    except (httpx2.InvalidURL, UnicodeError, ValueError) as error:
        raise BadParametersError(f"{quoted(url)} is not a valid address") from error
    if parsed.scheme not in _PORTS or not host:
        raise BadParametersError(f"{quoted(url)} is not an address of http:// or https://")
    if parsed.userinfo:
        raise BadParametersError("the address holds a name or a password; fetch sends no credentials")
    return parsed


def _next(url: httpx2.URL, response: httpx2.Response) -> httpx2.URL:
    """The target of a redirect."""
    location = response.headers.get("location", "")
    try:
        target = url.join(location)
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        target = httpx2.URL()
    if not location or target.scheme not in _PORTS or not target.raw_host:
        raise RuntimeFaultError("the server redirects to nothing that can be fetched")
    if (url.scheme, target.scheme) == ("https", "http"):
        raise RuntimeFaultError("the server redirects from https to http, which is not followed")
    return target.copy_with(userinfo=b"", fragment=None)


def _answer(fetch: _Fetch, url: httpx2.URL) -> httpx2.Response:
    """The answer of the first of the host's addresses that takes the connection; its body is unread."""
    host, port = url.raw_host.decode("ascii"), url.port or _PORTS[url.scheme]
    addresses = resolve(host, port, fetch.rest(), allow_private=fetch.limits.allow_private)
    for number, address in enumerate(addresses, 1):
        try:
            return fetch.client.send(_request(fetch, url, address), stream=True)
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            if number == len(addresses):
                raise
    raise AssertionError


def _request(fetch: _Fetch, url: httpx2.URL, address: str) -> httpx2.Request:
    """A request to the number `address` for the host of `url`, whose certificate is checked."""
    name = url.raw_host.decode("ascii")
    return fetch.client.build_request(
        "GET",
        url.copy_with(host=address, fragment=None),
        headers={"Host": url.netloc.decode("ascii"), "Accept-Encoding": "identity", "User-Agent": "skillbag"},
        timeout=httpx2.Timeout(fetch.rest()),
        extensions={"trace": fetch.deadline.watch, "sni_hostname": name},
    )


def _text(fetch: _Fetch, response: httpx2.Response) -> str:
    if response.status_code >= 400:
        raise RuntimeFaultError(f"the server answered {response.status_code}")
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("identity", ""):
        raise RuntimeFaultError("the server compresses the answer although it was asked not to")
    data = bytearray()
    for piece in response.iter_raw(_PIECE):
        data += piece
        if len(data) > fetch.limits.bytes:
            raise RuntimeFaultError(f"the answer is larger than {fetch.limits.bytes >> 10} KiB, the most that is read")
    # An answer without a length ends with its connection, which the deadline may have closed.
    fetch.rest()
    charset = _CHARSETS.get((response.charset_encoding or "").lower(), "utf-8")
    return data.decode(charset, "replace")


_TRANSLATED = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
"""Networks of IPv6 whose last 32 bits are an address of IPv4."""

_LOCAL = (IPv6Network("64:ff9b:1::/48"), IPv6Network("fec0::/10"))
"""Networks of IPv6 that are local, though Python takes them for global ones: translated, and of a site."""


def resolve(host: str, port: int, seconds: float, *, allow_private: bool = False) -> list[str]:
    """The numeric addresses of a host, all of them public unless `allow_private`, which is for tests.

    A connection must be made to one of these: a second look-up may answer with something else.

    Raises:
        NotPermittedError: one of them is not public. RuntimeFaultError: there are none.
        TimeLimitError: the look-up takes longer than `seconds`.
    """
    found = list(dict.fromkeys(_looked_up(host, port, seconds)))
    if not allow_private and not all(map(is_public, found)):
        raise NotPermittedError(f"{quoted(host)} is an address of this machine or of a private network")
    return found


def is_public(address: str) -> bool:
    """Whether an address is that of a single host in the public internet."""
    try:
        parsed = ip_address(address)
    except ValueError:
        # With a zone, and so of a local link.
        return False
    if isinstance(parsed, IPv4Address):
        return _is_plain(parsed)
    inner = _inner(parsed)
    if inner is not None:
        return _is_plain(inner)
    return _is_plain(parsed) and not any(parsed in network for network in _LOCAL)


def _is_plain(address: IPv4Address | IPv6Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _inner(address: IPv6Address) -> IPv4Address | None:
    """The address of IPv4 that one of IPv6 leads to."""
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    if any(address in network for network in _TRANSLATED):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _looked_up(host: str, port: int, seconds: float) -> list[str]:
    """Look a host up, in a thread of its own: the system's function knows no time limit."""
    answers: queue.SimpleQueue[list[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answers.put([str(entry[4][0]) for entry in found])
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        answer = answers.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise TimeLimitError(f"the look-up of {quoted(host)} takes too long; try again later") from None
    if isinstance(answer, Exception) or not answer:
        raise RuntimeFaultError(f"there is no host {quoted(host)}; check the address")
    return answer
