"""Hostile archives, each with the one sentence that refuses it."""

from __future__ import annotations

import random
import struct
import zlib
from typing import NamedTuple

from tests.sources.zips import LATER, STORED, UTF_8, Packed, end, extra, pack, sound

A = ".skills/a"


class HostileArchive(NamedTuple):
    """The bytes of an archive, and what is said of it."""

    data: bytes
    fault: str


def archive_with(*more: Packed) -> bytes:
    return pack(sound(*more))


def archive_named(name: str | bytes) -> bytes:
    return archive_with(Packed(name, b"x"))


def _zip64(count: int) -> bytes:
    """A sound archive with a large end record that counts otherwise than the small one."""
    whole = pack(sound())
    at = whole.rindex(b"PK\5\6")
    _, _, _, _, true, size, start, _ = struct.unpack("<4s4H2LH", whole[at:])
    large = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    return whole[:at] + large + struct.pack("<4sLQL", b"PK\6\7", 0, at, 1) + end(true, size, start)


def _overlapping() -> bytes:
    """An entry whose content is the next entry: how a small archive unpacks to any size."""
    inner = pack([Packed(f"{A}/x", b"x")])
    outer = Packed("AGENTS.md", inner[: inner.index(b"PK\1\2")], method=STORED)
    return pack([outer, Packed(f"{A}/x", b"x", at=39)])


def _hidden_entry() -> bytes:
    """An entry that the list does not have, which programs that read from the front find all the same."""
    hidden = pack([Packed(f"{A}/hidden.sh", b"#!/bin/sh\n")])
    return pack([Packed("AGENTS.md", b"x", after=hidden[: hidden.index(b"PK\1\2")]), Packed(f"{A}/x", b"x")])


def _listing(count: int, more: bytes) -> bytes:
    """A sound archive with more in its list."""
    whole = pack(sound())
    at = whole.rindex(b"PK\5\6")
    *_, size, start, _ = struct.unpack("<4s4H2LH", whole[at:])
    return whole[:at] + more + end(count, size + len(more), start)


# Both headers refer to an extra field for the sizes; that of the entry itself is too short.
LARGE = Packed(
    f"{A}/x",
    b"x" * 9,
    size=0xFFFFFFFF,
    packed_size=0xFFFFFFFF,
    method=STORED,
    extra=extra(1, struct.pack("<2Q", 9, 9)),
    local_extra=extra(1, struct.pack("<Q", 9)),
)
SURPLUS = b"four" + bytes(10_000_000)
NOISE = random.Random(0).randbytes(400_000)

ARCHIVES: dict[str, HostileArchive] = {
    # The archive as such.
    "something else": HostileArchive(b"<!DOCTYPE html><title>Log in</title>", "this is not a zip archive"),
    "nothing at all": HostileArchive(b"", "this is not a zip archive"),
    "cut off": HostileArchive(pack(sound())[:-30], "the archive is cut off: its end is missing"),
    "a cut comment": HostileArchive(pack(sound(), comment=b"0123456789")[:-4], "the archive's comment is cut off"),
    "bytes after the end": HostileArchive(pack(sound()) + b"#!/bin/sh", "there are bytes after the archive's end"),
    "a second archive as comment": HostileArchive(
        pack(sound(), comment=pack(sound(Packed(f"{A}/other")))),
        "the archive's list is not where its end says: bytes were added",
    ),
    "a program that unpacks itself": HostileArchive(
        pack(sound(), prefix=b"#!/bin/sh\nexit\n"),
        "'AGENTS.md': there are bytes before it that belong to no entry (a program that unpacks itself?)",
    ),
    "a program put before": HostileArchive(
        b"#!/bin/sh\nexit\n" + pack(sound()), "the archive's list is not where its end says: bytes were added"
    ),
    "an entry that is not listed": HostileArchive(
        _hidden_entry(), f"'{A}/x': there are bytes before it that belong to no entry"
    ),
    "twelve bytes that describe nothing": HostileArchive(
        pack([Packed(f"{A}/w", after=bytes(12)), Packed(f"{A}/x")]),
        f"'{A}/x': there are bytes before it that belong to no entry",
    ),
    "more bytes than describe an entry": HostileArchive(
        pack([Packed(f"{A}/w", flags=UTF_8 | LATER, after=bytes(13)), Packed(f"{A}/x")]),
        f"'{A}/x': there are bytes before it that belong to no entry",
    ),
    "bytes before the list": HostileArchive(
        archive_with(Packed(f"{A}/x", after=b"....")),
        "the last entry of the archive does not end where the list of entries begins",
    ),
    "one of several parts": HostileArchive(pack(sound(), disk=1), "this is one part of an archive in several parts"),
    "fewer than counted": HostileArchive(
        pack(sound(), count=3), "the archive holds fewer entries than it says, or its list is damaged"
    ),
    "more than counted": HostileArchive(pack(sound(), count=1), "the archive holds more entries than it says"),
    "two counts": HostileArchive(_zip64(7), "the archive's two end records, small and large (zip64), do not agree"),
    "too many": HostileArchive(
        pack(Packed(f"{A}/{n}", method=STORED) for n in range(50_001)),
        "the archive holds 50,001 entries; at most 50,000 are taken",
    ),
    "one over another": HostileArchive(_overlapping(), f"'{A}/x': it overlaps another entry of the archive"),
    "listed where there is none": HostileArchive(
        pack([Packed("AGENTS.md", b"x" * 99, method=STORED), Packed(f"{A}/x", at=138)]),
        f"'{A}/x': there is no entry where the archive's list has it",
    ),
    "listed beyond the end": HostileArchive(
        pack([Packed(f"{A}/x", at=0xFFFFFFFF, extra=extra(1, struct.pack("<Q", 1 << 63)))]),
        f"'{A}/x': there is no entry where the archive's list has it",
    ),
    "a name of its own": HostileArchive(
        archive_with(Packed(f"{A}/x", local_name="../x")),
        f"'{A}/x': the archive's list and the entry itself do not agree on its name (b'../x')",
    ),
    "a method of its own": HostileArchive(
        archive_with(Packed(f"{A}/x", b"x", local_method=STORED)),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "sizes of its own": HostileArchive(
        archive_with(Packed(f"{A}/x", b"x", local_sums=(0, 0, 0))),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "sizes of its own, told later": HostileArchive(
        archive_with(Packed(f"{A}/x", b"x", flags=UTF_8 | LATER, local_sums=(0, 3, 2), after=bytes(12))),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "flags of its own": HostileArchive(
        archive_with(Packed(f"{A}/x", b"x", local_flags=UTF_8 | LATER)),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "a large size that is none": HostileArchive(
        archive_with(LARGE),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "a damaged list": HostileArchive(
        archive_with(Packed(f"{A}/x", size=0xFFFFFFFF, extra=extra(1, b"1234"))),
        "the list of the archive's entries is damaged",
    ),
    "a list that is cut off": HostileArchive(
        _listing(3, b"PK\1\2"), "the archive holds fewer entries than it says, or its list is damaged"
    ),
    "something else in the list": HostileArchive(
        _listing(3, b"PK\3\4" + bytes(42)), "the archive holds fewer entries than it says, or its list is damaged"
    ),
    "an end that is cut off": HostileArchive(pack(sound())[:-1], "the archive is cut off: its end is missing"),
    "no source": HostileArchive(
        pack([Packed("a/README.md"), Packed("b/README.md")]),
        "the archive holds neither `AGENTS.md` nor `.skills/`, at its root or in a single folder",
    ),
    "empty": HostileArchive(
        pack([]), "the archive holds neither `AGENTS.md` nor `.skills/`, at its root or in a single folder"
    ),
    # Content.
    "encrypted": HostileArchive(archive_with(Packed(f"{A}/x", b"x", flags=0x801)), f"'{A}/x': the entry is encrypted"),
    "another method": HostileArchive(
        archive_with(Packed(f"{A}/x", b"x", method=14)),
        f"'{A}/x': packed by method 14; only stored and deflated entries are read",
    ),
    "stored with two sizes": HostileArchive(
        archive_with(Packed(f"{A}/x", b"four", method=STORED, size=5)),
        f"'{A}/x': stored without compression, but with two sizes",
    ),
    "a bomb": HostileArchive(
        archive_with(Packed(f"{A}/x", bytes(2 << 20))),
        f"'{A}/x': it unpacks to more than 200 times its size (2,049 to 2,097,152 bytes)",
    ),
    "a file too large": HostileArchive(
        archive_with(Packed(f"{A}/x", raw=NOISE, size=65 << 20)),
        f"'{A}/x': a file of 68,157,440 bytes; at most 64 MiB are taken",
    ),
    "too large together": HostileArchive(
        archive_with(*(Packed(f"{A}/{n}", raw=NOISE, size=60 << 20) for n in range(9))),
        "the source holds 566,231,067 bytes; at most 512 MiB are taken",
    ),
    "more than it says": HostileArchive(
        archive_with(Packed(f"{A}/x", SURPLUS, size=4, checksum=zlib.crc32(SURPLUS[:4]))),
        f"'{A}/x': it unpacks to more than the archive says",
    ),
    "less than it says": HostileArchive(
        archive_with(Packed(f"{A}/x", b"four", size=40)), f"'{A}/x': it unpacks to less than the archive says"
    ),
    "a wrong checksum": HostileArchive(
        archive_with(Packed(f"{A}/x", b"four", checksum=1)),
        f"'{A}/x': its content is damaged: it does not fit its checksum",
    ),
    "not deflated": HostileArchive(
        archive_with(Packed(f"{A}/x", b"four", raw=b"\xff\xff\xff\xff")),
        f"'{A}/x': its content is damaged: it does not fit its checksum",
    ),
}
