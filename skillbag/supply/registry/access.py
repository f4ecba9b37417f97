"""Who may read a registry: those with its token, or any program of this machine that names it by its own address."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Mapping
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.lazy_regex import late
from skillbag.supply.registry.answers import RequestRefusedError

_TOKEN = late(r"[!-~]+")
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
_PORT = late(r":[0-9]*\Z")


class ClientAccess(NamedTuple):
    """The `token` that clients send, empty for none; without one `hosts` are the names that they may use for us."""

    token: str
    hosts: frozenset[str]

    def check(self, headers: Mapping[str, str]) -> None:
        """Refuse a request with these headers (names in lower case) if its client may not read.

        A web page that has its own name lead to this machine sends that name as `Host`.

        Raises:
            RequestRefusedError: 401 without the token, 421 where there is none and another host is named.
        """
        if self.token:
            scheme, _, given = headers.get("authorization", "").partition(" ")
            matches = hmac.compare_digest(given.strip().encode("latin-1"), self.token.encode("ascii"))
            if scheme.lower() != "bearer" or not matches:
                raise RequestRefusedError(401, "send Authorization: Bearer with the token of this registry")
        elif _PORT().sub("", headers.get("host", "")).lower() not in self.hosts:
            raise RequestRefusedError(
                421, "this registry is for programs of its own machine; use its address as printed"
            )


def listening(host: str, port: int, token: str) -> tuple[socket.socket, ClientAccess]:
    """A socket that accepts connections at `host` (a name or an address) and `port` (0: any that is free), and who may
    read there.

    Raises:
        UserError: the host is unknown; or other machines can reach it, and there is no token.
        OSError: the port is taken, or may not be used.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (socket.gaierror, UnicodeError) as error:
        raise UserError(f"--host {host}: it is neither an address nor a name of this machine") from error
    place = ipaddress.ip_address(str(address[0]).partition("%")[0])
    if not place.is_loopback and not token:
        raise UserError(
            f"--host {host}: other machines can reach it, so name the variable of a token: --token-env NAME"
        )
    try:
        listener = socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        message = f"{error.strerror}; take another port, or 0 for any that is free"
        raise OSError(error.errno, message, f"--host {host} --port {port}") from error
    return listener, ClientAccess(token, _LOCAL | {_bracketed(str(place))})


def address_of(listener: socket.socket) -> str:
    """The URL of the registry, for clients on this machine."""
    host, port = listener.getsockname()[:2]
    return f"http://{_bracketed(host)}:{port}"


def token_from(environment: Mapping[str, str], variable: str | None) -> str:
    """The token in the variable of this name; empty without a name.

    Raises:
        UserError: the variable is not set, or holds what no header can carry.
    """
    if variable is None:
        return ""
    token = environment.get(variable, "")
    if not _TOKEN().fullmatch(token):
        raise UserError(f"--token-env {variable}: the variable must hold a token of visible ASCII, without spaces")
    return token


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
