"""Zip archives written byte by byte, so that each part of one can say what is not true."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LATER = 0x8
UTF_8 = 0x800
STORED, DEFLATED = 0, 8


@dataclass(frozen=True)
class Packed:
    """An entry. What is None is as it should be; `local_…` is what the header before the content says.

    An entry with `at` is listed as if it were there, and not written.
    """

    name: str | bytes
    data: bytes = b""
    mode: int = 0o100644
    method: int = DEFLATED
    flags: int = UTF_8
    size: int | None = None
    packed_size: int | None = None
    checksum: int | None = None
    raw: bytes | None = None
    extra: bytes = b""
    local_extra: bytes | None = None
    attributes: int | None = None
    local_name: str | bytes | None = None
    local_method: int | None = None
    local_flags: int | None = None
    local_sums: tuple[int, int, int] | None = None
    after: bytes = b""
    at: int | None = None
    system: int = 3

    @property
    def body(self) -> bytes:
        """The content as it stands in the archive."""
        if self.raw is not None:
            return self.raw
        if self.method != DEFLATED:
            return self.data
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(self.data) + packer.flush()

    @property
    def sums(self) -> tuple[int, int, int]:
        """Checksum, packed size and size, as both headers have them."""
        checksum = zlib.crc32(self.data) if self.checksum is None else self.checksum
        packed = len(self.body) if self.packed_size is None else self.packed_size
        return checksum, packed, len(self.data) if self.size is None else self.size


def _bytes(name: str | bytes) -> bytes:
    return name.encode() if isinstance(name, str) else name


def _local(entry: Packed) -> bytes:
    name = _bytes(entry.name if entry.local_name is None else entry.local_name)
    extra = entry.extra if entry.local_extra is None else entry.local_extra
    method = entry.method if entry.local_method is None else entry.local_method
    flags = entry.flags if entry.local_flags is None else entry.local_flags
    sums = entry.local_sums or ((0, 0, 0) if entry.flags & LATER else entry.sums)
    head = struct.pack("<4s5H3L2H", b"PK\3\4", 20, flags, method, 0, 33, *sums, len(name), len(extra))
    return head + name + extra


def _listed(entry: Packed, at: int) -> bytes:
    name = _bytes(entry.name)
    attributes = entry.mode << 16 if entry.attributes is None else entry.attributes
    head = (entry.flags, entry.method, 0, 33, *entry.sums)
    tail = (len(name), len(entry.extra), 0, 0, 0, attributes, at if entry.at is None else entry.at)
    return struct.pack("<4s4B4H3L5H2L", b"PK\1\2", 20, entry.system, 20, 0, *head, *tail) + name + entry.extra


def end(count: int, size: int, start: int, comment: bytes = b"", disk: int = 0) -> bytes:
    """An end record."""
    return struct.pack("<4s4H2LH", b"PK\5\6", disk, disk, count, count, size, start, len(comment)) + comment


def pack(
    entries: Iterable[Packed],
    *,
    prefix: bytes = b"",
    comment: bytes = b"",
    count: int | None = None,
    disk: int = 0,
) -> bytes:
    """An archive of these entries; `prefix` stands before the first, and all offsets know of it."""
    body, listed, total = bytearray(prefix), bytearray(), 0
    for entry in entries:
        listed += _listed(entry, len(body))
        body += _local(entry) + entry.body + entry.after if entry.at is None else b""
        total += 1
    tail = end(total if count is None else count, len(listed), len(body), comment, disk)
    return bytes(body + listed + tail)


def sound(*more: Packed) -> Sequence[Packed]:
    """The entries of a small sound source, and these."""
    return [Packed("AGENTS.md", b"# SKILLBAG\n"), Packed(".skills/a/SKILL.md", b"---\nname: a\n---\n"), *more]


def link(name: str, target: str | bytes, mode: int = 0o120777) -> Packed:
    """A symbolic link."""
    return Packed(name, _bytes(target), mode, STORED)


def extra(kind: int, data: bytes) -> bytes:
    """An extra field."""
    return struct.pack("<2H", kind, len(data)) + data
