"""Addresses in a text, with or without a scheme, and what is remarkable about each."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Flag, auto

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import ARCHIVES
from skillbag.lint.signals import hosts

_ADDRESS = late(
    r"(?i:(?P<scheme>https?|ftp)://(?:[^\s/@\"'<>]{1,80}+@)?|(?<![\w./@%+-]))"
    r"(?P<host>(?:[A-Za-z0-9-]{1,63}+\.(?=[A-Za-z0-9-])){1,8}+[A-Za-z0-9]{1,24}(?![\w-])|(?<=//)[\w-]++)(?P<port>:\d{1,5})?"
    r"(?P<path>[/?#][^\s\"'`<>()\[\]{}|\\^]*+)?"
)
_IPV4 = late(r"\d{1,3}(?:\.\d{1,3}){3}")
_NUMBER = late(r"\d{8,10}|0[xX][0-9a-fA-F]{8}")
_ARCHIVES = (*ARCHIVES, ".001")
_BINARIES = (
    *(".exe", ".msi", ".msix", ".dmg", ".pkg", ".deb", ".rpm", ".appimage", ".apk", ".jar", ".scr", ".bat", ".cmd"),
    *(".vbs", ".bin", ".run", ".app", ".hta", ".lnk", ".command", ".scpt", ".pif"),
)
_ASSET = late(r"/(?:-/)?releases/(?:download|latest/download|[^/]+/downloads)/|/downloads/[^/]+\.\w+$")
_PAGE = late(r"/(?:-/)?releases(?:/|$)")


class AddressTrait(Flag):
    """What is remarkable about an address; several may hold.

    ARCHIVE, BINARY: the file it names. ASSET: a file of a release; RELEASES: a page of releases. PASTE: a page that
    anybody fills. SHARED: a file that anybody left. RAW: a public IPv4 address. SHORT: a shortener. COLLECTOR: a
    request bin or mail hook. CHAT: a web hook of a chat. TUNNEL: a computer behind a tunnel.
    """

    NONE = 0
    ARCHIVE = auto()
    BINARY = auto()
    ASSET = auto()
    RELEASES = auto()
    PASTE = auto()
    SHARED = auto()
    RAW = auto()
    SHORT = auto()
    COLLECTOR = auto()
    CHAT = auto()
    TUNNEL = auto()


DOWNLOADS = AddressTrait.ARCHIVE | AddressTrait.BINARY | AddressTrait.ASSET | AddressTrait.SHARED
"""Kinds of addresses that give a file to run or to unpack."""
ODD = (
    AddressTrait.RAW
    | AddressTrait.PASTE
    | AddressTrait.SHORT
    | AddressTrait.SHARED
    | AddressTrait.TUNNEL
    | AddressTrait.COLLECTOR
)
"""Kinds of addresses that no known publisher answers for."""


class Address(NamedTuple):
    """An address: its text, the offsets of it, its parts (`scheme` and `host` in lower case), and its kind."""

    text: str
    start: int
    end: int
    scheme: str
    host: str
    path: str
    kind: AddressTrait


def addresses(text: str, start: int = 0, end: int | None = None) -> Iterator[Address]:
    """The addresses in a part of a text, in order.

    Without a scheme, a name counts as a host only if it has a path or is a known host or an IPv4 address with a port or
    path, and if it does not look like a file.
    """
    limit = len(text) if end is None else end
    # Each address has a dot or a scheme; a sign or a blank ends it.
    for match in _ADDRESS().finditer(text, start, limit):
        host, scheme = match["host"].lower(), (match["scheme"] or "").lower()
        path = (match["path"] or "").rstrip(".,;:!?*_~")
        kind = kind_of(host, path)
        if not scheme and not _is_bare_address(host, match["port"], path, kind):
            continue
        stop = match.start("path") + len(path) if path else match.end("port" if match["port"] else "host")
        yield Address(text[match.start() : stop], match.start(), stop, scheme, host, path, kind)


def _is_bare_address(host: str, port: str | None, path: str, kind: AddressTrait) -> bool:
    if kind & AddressTrait.RAW:
        return bool(port or path)
    ending = host.rpartition(".")[2]
    if not ending.isalpha() or ending in hosts.FILE_ENDINGS or len(ending) < 2:
        return False
    known = (
        AddressTrait.PASTE
        | AddressTrait.SHARED
        | AddressTrait.SHORT
        | AddressTrait.COLLECTOR
        | AddressTrait.CHAT
        | AddressTrait.TUNNEL
    )
    return bool(path or kind & known)


def kind_of(host: str, path: str) -> AddressTrait:
    """What is remarkable about an address with this host (lower case) and path (with its slash)."""
    kind = AddressTrait.RAW if is_raw_public(host) else AddressTrait.NONE
    for known, name in (
        (hosts.PASTE, AddressTrait.PASTE),
        (hosts.SHARED_FILES, AddressTrait.SHARED),
        (hosts.SHORTENERS, AddressTrait.SHORT),
        (hosts.COLLECTORS, AddressTrait.COLLECTOR),
        (hosts.CHAT_HOOKS, AddressTrait.CHAT),
        (hosts.TUNNELS, AddressTrait.TUNNEL),
    ):
        if hosts.below(host, path, known):
            kind |= name
    file = path.partition("?")[0].partition("#")[0].lower()
    if file.endswith(_ARCHIVES):
        kind |= AddressTrait.ARCHIVE
    if file.endswith(_BINARIES):
        kind |= AddressTrait.BINARY
    if _ASSET().search(file):
        kind |= AddressTrait.ASSET
    elif _PAGE().search(file):
        kind |= AddressTrait.RELEASES
    return kind


def is_raw_public(host: str) -> bool:
    """Whether a host is a public IPv4 address, also as one number; no resolver, no sample, nothing reserved."""
    if not host[:1].isdigit():
        return False
    number: str | int | None = host if _IPV4().fullmatch(host) else None
    if number is None and _NUMBER().fullmatch(host):
        number = int(host, 0) if host.startswith(("0x", "0X")) else int(host)
    if number is None or number in hosts.RESOLVERS or number in hosts.SAMPLES:
        return False
    octets = (
        str(number).split(".") if isinstance(number, str) else [str(number >> shift & 255) for shift in (24, 16, 8, 0)]
    )
    first, second, third, _ = numbers = [int(octet) for octet in octets]
    reserved = (
        first in (0, 10, 127) or first >= 224 or (first, second) in ((169, 254), (192, 168), (198, 18), (198, 19))
    )
    shared = (first == 100 and 64 <= second < 128) or (first == 172 and 16 <= second < 32)
    documented = (first, second, third) in ((192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113), (192, 88, 99))
    return max(numbers) < 256 and len(set(numbers)) > 1 and not (reserved or shared or documented)
