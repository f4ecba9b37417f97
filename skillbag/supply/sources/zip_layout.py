"""The layout of a zip: entries from the first byte on without a gap, their directory, the end record, and no more.

Programs can read any other layout differently: overlapping entries, data that no directory lists, a second directory.
Such an archive is refused.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple
from zipfile import ZipInfo

from skillbag.supply.sources import limits
from skillbag.supply.sources.entry import quoted
from skillbag.supply.sources.fetched import InvalidSourceError

MAX_DIRECTORY = 64 << 20
"""Largest directory that is read, in bytes."""

ENCRYPTED, DESCRIBED_LATER, UTF_8 = 0x1, 0x8, 0x800
"""Bits of an entry's flags: sizes and checksum follow the content; the name is UTF-8."""

_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LISTED = struct.Struct("<4s4xH18x3H12x")
_LOCAL = struct.Struct("<4s2xHH4x3L2H")
_LONGEST_COMMENT = 0xFFFF
_DESCRIPTORS = frozenset({0, 12, 16, 20, 24})
"""Sizes of the data descriptor after an entry: with or without a signature, of 32 or 64 bits."""


class _End(NamedTuple):
    """The directory by the end record: entries, bytes, and where it begins; and where it has to stop."""

    total: int
    size: int
    start: int
    stop: int


def check_end(handle: BinaryIO) -> int:
    """Check the end record and the directory; return the offset at which the directory begins.

    Raises:
        InvalidSourceError: it is no zip, is cut off, has data before or after it, or its counts are wrong.
    """
    end = _read_end(handle)
    if end.total > limits.MAX_ENTRIES:
        raise InvalidSourceError([f"the archive holds {end.total:,} entries; at most {limits.MAX_ENTRIES:,} are taken"])
    if end.size > MAX_DIRECTORY:
        raise InvalidSourceError([f"the list of the archive's entries is larger than {MAX_DIRECTORY >> 20} MiB"])
    if end.start + end.size != end.stop:
        raise InvalidSourceError(["the archive's list is not where its end says: bytes were added"])
    handle.seek(end.start)
    _walk(handle.read(end.size), end.total)
    return end.start


def _read_end(handle: BinaryIO) -> _End:
    size = handle.seek(0, os.SEEK_END)
    tail_at = max(0, size - _END.size - _LONGEST_COMMENT)
    handle.seek(tail_at)
    tail = handle.read()
    at = tail.rfind(b"PK\5\6")
    if at == -1 or len(tail) - at < _END.size:
        handle.seek(0)
        cut = handle.read(4) == b"PK\3\4"
        raise InvalidSourceError(
            ["the archive is cut off: its end is missing" if cut else "this is no archive in zip, tar or tar.gz"]
        )
    _, disk, first_disk, here, count, length, start, comment = _END.unpack_from(tail, at)
    beyond = len(tail) - at - _END.size - comment
    if beyond:
        raise InvalidSourceError(
            ["there are bytes after the archive's end" if beyond > 0 else "the archive's comment is cut off"]
        )
    if disk or first_disk or here != count:
        raise InvalidSourceError(["this is one part of an archive in several parts"])
    return _read_end_64(handle, _End(count, length, start, tail_at + at))


def _read_end_64(handle: BinaryIO, end: _End) -> _End:
    """The end by the zip64 record before the end record, if there is one."""
    at = end.stop - _LOCATOR.size - _END_64.size
    if at < 0:
        return end
    handle.seek(at)
    data = handle.read(_END_64.size + _LOCATOR.size)
    sign, _, record_at, disks = _LOCATOR.unpack_from(data, _END_64.size)
    if sign != b"PK\6\7":
        return end
    sign, _, _, _, disk, first_disk, here, count, size, start = _END_64.unpack_from(data)
    large = _End(count, size, start, at)
    # A field that is full refers to the large record; any other must agree with it.
    pairs = zip(end[:3], large[:3], (0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF), strict=True)
    agree = all(small in (full, true) for small, true, full in pairs)
    if sign != b"PK\6\6" or record_at != at or disk or first_disk or disks > 1 or here != count or not agree:
        raise InvalidSourceError(["the archive's two end records, small and large (zip64), do not agree"])
    return large


def _walk(directory: bytes, count: int) -> None:
    """Raise unless the directory holds exactly `count` entries with valid names."""
    at = 0
    for _ in range(count):
        if len(directory) - at < _LISTED.size or directory[at : at + 4] != b"PK\1\2":
            raise InvalidSourceError(["the archive holds fewer entries than it says, or its list is damaged"])
        _, flags, name, extra, comment = _LISTED.unpack_from(directory, at)
        at += _LISTED.size
        raw = directory[at : at + name]
        try:
            raw.decode("utf-8" if flags & UTF_8 else "cp437")
        except UnicodeDecodeError:
            raise InvalidSourceError([f"{raw[:80]!r}: the name is marked as UTF-8 and is not"]) from None
        at += name + extra + comment
    if at != len(directory):
        raise InvalidSourceError(["the archive holds more entries than it says"])


def raw_name(info: ZipInfo) -> bytes:
    """The name of an entry as in the archive."""
    return info.orig_filename.encode("utf-8" if info.flag_bits & UTF_8 else "cp437")


def layout_faults(handle: BinaryIO, infos: Sequence[ZipInfo], directory_at: int) -> Iterator[str]:
    """The faults of the entries' positions and local headers; a sentence each."""
    at, before = 0, None
    for info in sorted(infos, key=lambda info: info.header_offset):
        name = quoted(info.orig_filename)
        local = _read_local(handle, min(info.header_offset, directory_at))
        if local is None:
            # Its end is unknown, so the following entries can't be checked.
            yield f"{name}: there is no entry where the archive's list has it"
            return
        if fault := _gap_fault(info.header_offset - at, before):
            yield f"{name}: {fault}"
        if fault := _local_fault(local, info):
            yield f"{name}: {fault}"
        at, before = info.header_offset + local.size + info.compress_size, info
    if _gap_fault(directory_at - at, before):
        yield "the last entry of the archive does not end where the list of entries begins"


def _gap_fault(gap: int, before: ZipInfo | None) -> str | None:
    if gap == 0 or (before and before.flag_bits & DESCRIBED_LATER and gap in _DESCRIPTORS):
        return None
    if gap < 0:
        return "it overlaps another entry of the archive"
    return "there are bytes before it that belong to no entry" + ("" if before else " (a program that unpacks itself?)")


class _Local(NamedTuple):
    """The local header before an entry's content; `size` is that of the header, in bytes."""

    name: bytes
    flags: int
    method: int
    checksum: int
    packed: int
    unpacked: int
    size: int


def _read_local(handle: BinaryIO, at: int) -> _Local | None:
    handle.seek(at)
    data = handle.read(_LOCAL.size)
    if data[:4] != b"PK\3\4":
        return None
    _, flags, method, checksum, packed, unpacked, name, extra = _LOCAL.unpack(data)
    rest = handle.read(name + extra)
    large = dict(extra_fields(rest[name:])).get(1, b"")
    if 0xFFFFFFFF in (packed, unpacked) and len(large) >= 16:
        unpacked, packed = struct.unpack_from("<2Q", large)
    return _Local(rest[:name], flags, method, checksum, packed, unpacked, _LOCAL.size + name + extra)


def _local_fault(local: _Local, info: ZipInfo) -> str | None:
    if local.name != raw_name(info):
        return f"the archive's list and the entry itself do not agree on its name ({local.name[:80]!r})"
    bits = ENCRYPTED | DESCRIBED_LATER | UTF_8
    stated = (local.checksum, local.packed, local.unpacked)
    listed = (info.CRC, info.compress_size, info.file_size)
    # With a data descriptor the header may leave some of them at zero.
    later = bool(info.flag_bits & DESCRIBED_LATER)
    agree = all(here == there or (later and here == 0) for here, there in zip(stated, listed, strict=True))
    if not agree or local.method != info.compress_type or (local.flags ^ info.flag_bits) & bits:
        return "the archive's list and the entry itself do not agree on its size, checksum or compression"
    return None


def extra_fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The kind and content of each extra field of an entry; the last may be cut off."""
    at = 0
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<2H", data, at)
        yield kind, data[at + 4 : at + 4 + size]
        at += 4 + size
