"""Addresses that a skill may connect to: public ones alone, so that it reaches no service in a private network."""

from __future__ import annotations

import queue
import socket
import threading
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from skillbag.runtime.errors import NotPermittedError, RuntimeFaultError, TimeLimitError
from skillbag.supply.sources.entry import quoted

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
