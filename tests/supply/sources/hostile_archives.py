"""Hostile archives, each with the sentence that refuses it (`hostile_archives.toml`)."""

from __future__ import annotations

import random
import struct
import tomllib
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.supply.sources.zips import LATER, STORED, UTF_8, Packed, end, extra, link, pack, sound

A = ".skills/a"


class HostileArchive(NamedTuple):
    """What makes the bytes of an archive, and the fault that is reported."""

    make: Callable[[], bytes]
    fault: str


def archive_with(*more: Packed) -> bytes:
    return pack(sound(*more))


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


def _unlisted() -> bytes:
    """An entry that is not in the directory; programs that read from the front find it all the same."""
    hidden = pack([Packed(f"{A}/hidden.sh", b"#!/bin/sh\n")])
    return pack([Packed("AGENTS.md", b"x", after=hidden[: hidden.index(b"PK\1\2")]), Packed(f"{A}/x", b"x")])


def _listing(count: int, more: bytes) -> bytes:
    """A sound archive with more in its directory."""
    whole = pack(sound())
    at = whole.rindex(b"PK\5\6")
    *_, size, start, _ = struct.unpack("<4s4H2LH", whole[at:])
    return whole[:at] + more + end(count, size + len(more), start)


def _by_field(mode: int = 0o100644, size: int = 0, target: bytes = b"") -> bytes:
    """An archive whose entry `x` has an old extra field for Unix."""
    data = struct.pack("<LHLHH", 0, mode, size, 0, 0) + target
    return archive_with(Packed(f"{A}/x", extra=extra(0x756E, data)))


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
DESCRIBED = Packed(f"{A}/x", b"x", flags=UTF_8 | LATER, local_sums=(0, 3, 2), after=bytes(12))
SURPLUS = b"four" + bytes(10_000_000)
NOISE = random.Random(0).randbytes(400_000)

MADE: dict[str, bytes | Callable[[], bytes]] = {
    "a page of HTML": b"<!DOCTYPE html><title>Log in</title>",
    "an empty file": b"",
    "cut off": pack(sound())[:-30],
    "an end that is cut off": pack(sound())[:-1],
    "a cut comment": pack(sound(), comment=b"0123456789")[:-4],
    "bytes after the end": pack(sound()) + b"#!/bin/sh",
    "a second archive as the comment": pack(sound(), comment=pack(sound(Packed(f"{A}/other")))),
    "a program that unpacks itself": pack(sound(), prefix=b"#!/bin/sh\nexit\n"),
    "a program in front": b"#!/bin/sh\nexit\n" + pack(sound()),
    "an unlisted entry": _unlisted(),
    "twelve bytes that are no descriptor": pack([Packed(f"{A}/w", after=bytes(12)), Packed(f"{A}/x")]),
    "more bytes than a descriptor has": pack(
        [Packed(f"{A}/w", flags=UTF_8 | LATER, after=bytes(13)), Packed(f"{A}/x")]
    ),
    "one part of several": pack(sound(), disk=1),
    "fewer than counted": pack(sound(), count=3),
    "more than counted": pack(sound(), count=1),
    "two end records that differ": _zip64(7),
    "too many": lambda: pack(Packed(f"{A}/{number}", method=STORED) for number in range(50_001)),
    "overlapping entries": _overlapping(),
    "an offset without an entry": pack([Packed("AGENTS.md", b"x" * 99, method=STORED), Packed(f"{A}/x", at=138)]),
    "an offset beyond the end": pack([Packed(f"{A}/x", at=0xFFFFFFFF, extra=extra(1, struct.pack("<Q", 1 << 63)))]),
    "sizes in the descriptor that differ": archive_with(DESCRIBED),
    "large sizes that are incomplete": archive_with(LARGE),
    "a damaged directory": archive_with(Packed(f"{A}/x", size=0xFFFFFFFF, extra=extra(1, b"1234"))),
    "a directory that is cut off": _listing(3, b"PK\1\2"),
    "a local header in the directory": _listing(3, b"PK\3\4" + bytes(42)),
    "a bomb": archive_with(Packed(f"{A}/x", bytes(2 << 20))),
    "a file too large": archive_with(Packed(f"{A}/x", raw=NOISE, size=65 << 20)),
    "too large together": archive_with(*(Packed(f"{A}/{number}", raw=NOISE, size=60 << 20) for number in range(9))),
    "more content than listed": archive_with(Packed(f"{A}/x", SURPLUS, size=4, checksum=zlib.crc32(SURPLUS[:4]))),
    "not deflated": archive_with(Packed(f"{A}/x", b"four", raw=b"\xff\xff\xff\xff")),
    "a hard link": archive_with(Packed(f"{A}/x", extra=extra(0x0D, bytes(12) + b"/etc/passwd"))),
    "a device by an extra field": _by_field(mode=0o020644, size=0x103),
    "a link by an extra field": _by_field(target=b"/etc/passwd"),
    "a link without a name by an extra field": _by_field(size=11),
    "a kind by an extra field": _by_field(mode=0o120777),
    "a long link": archive_with(link(f"{A}/x", "y/" * 600)),
    "a long link with a wrong checksum": archive_with(Packed(f"{A}/x", b"y/" * 600, 0o120777, STORED, checksum=1)),
    "a link that is not UTF-8": archive_with(link(f"{A}/x", b"\xff")),
    "a name that is wrongly marked as UTF-8": archive_with(Packed(b".skills/a/\xff", b"x")),
    "a long name that is wrongly marked as UTF-8": archive_with(Packed(b"a" * 100 + b"\xff", b"x")),
    "a long name": archive_with(Packed(f"{A}/" + "é" * 128, b"x")),
    "a deep path": archive_with(Packed(f"{A}/" + "b/" * 31 + "x", b"x")),
}
"""Archives that need more than a list of entries."""


def _archives() -> dict[str, HostileArchive]:
    cases = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    assert MADE.keys() == {name for name, case in cases.items() if "entries" not in case}
    return {name: HostileArchive(partial(_bytes, name, case), case["fault"]) for name, case in cases.items()}


def _bytes(name: str, case: dict[str, Any]) -> bytes:
    made = MADE[name] if name in MADE else _packed(case)
    return made if isinstance(made, bytes) else made()


def _packed(case: dict[str, Any]) -> bytes:
    """The archive with the entries of a case."""
    entries = [_entry(**values) for values in case["entries"]]
    return pack(entries) if case.get("alone") else archive_with(*entries)


def _entry(name: str = f"{A}/x", **values: Any) -> Packed:
    if "link" in values:
        return link(name, values["link"])
    given = {key: value.encode() if key in ("data", "after") else value for key, value in values.items()}
    return Packed(name, **given)


ARCHIVES = _archives()
