"""Tar archives made block by block, so that they can be as wrong as needed."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping

from tests.supply.sources.registries import skill_files

NAME, VERSION = "tidy", "1.0.0"
GOOD = skill_files(NAME, VERSION)
END = bytes(1024)


def header(
    name: str | bytes,
    size: int = 0,
    flag: bytes = b"0",
    *,
    mode: int = 0o644,
    link: str = "",
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
    size_field: bytes | None = None,
    checksum: int | None = None,
) -> bytes:
    """One header; `checksum` and `size_field` stand in for the true ones."""
    raw = name.encode("utf-8", "surrogateescape") if isinstance(name, str) else name
    block = bytearray(512)
    block[0:100] = raw[:100].ljust(100, b"\0")
    block[100:108], block[108:116], block[116:124] = b"%07o\0" % mode, b"0000000\0", b"0000000\0"
    block[124:136] = (size_field if size_field is not None else b"%011o\0" % size).ljust(12, b"\0")
    block[136:148], block[148:156], block[156:157] = b"00000000000\0", b" " * 8, flag
    block[157:257] = link.encode().ljust(100, b"\0")
    block[257:265], block[345:500] = magic, prefix.ljust(155, b"\0")
    block[148:156] = b"%06o\0 " % (sum(block) if checksum is None else checksum)
    return bytes(block)


def entry(name: str | bytes, content: str | bytes = "", flag: bytes = b"0", **more: object) -> bytes:
    """A header with its content, padded."""
    raw = content.encode() if isinstance(content, str) else content
    return header(name, len(raw), flag, **more) + padded(raw)  # type: ignore[arg-type]


def padded(raw: bytes) -> bytes:
    """The content up to the next block."""
    return raw + bytes(-len(raw) % 512)


def good(files: Mapping[str, str | bytes] = GOOD, top: str = "") -> bytes:
    """The entries of a sound skill."""
    return b"".join(entry(f"{top}{name}", text) for name, text in files.items())


def pax(records: Mapping[str, str] | bytes, flag: bytes = b"x") -> bytes:
    """An extended header of POSIX."""
    raw = records if isinstance(records, bytes) else b"".join(_record(*pair) for pair in records.items())
    return entry("PaxHeader", raw, flag)


def _record(key: str, value: str) -> bytes:
    text = f" {key}={value}\n".encode("utf-8", "surrogateescape")
    size = len(text) + 1
    while len(str(size)) + len(text) != size:
        size = len(str(size)) + len(text)
    return str(size).encode() + text


def zipped(*blocks: bytes | Iterable[bytes], end: bytes = END) -> bytes:
    """The archive of these blocks."""
    return gzip.compress(b"".join(b if isinstance(b, bytes) else b"".join(b) for b in blocks) + end, 1, mtime=0)
