"""Hostile archives, each with the one sentence that refuses it."""

from __future__ import annotations

import random
import struct
import zlib
from typing import NamedTuple

from tests.sources.zips import LATER, STORED, UTF_8, Packed, end, extra, link, pack, sound

A = ".skills/a"


class HostileArchive(NamedTuple):
    """The bytes of an archive, and what is said of it."""

    data: bytes
    fault: str


def _with(*more: Packed) -> bytes:
    return pack(sound(*more))


def _named(name: str | bytes) -> bytes:
    return _with(Packed(name, b"x"))


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
        "'AGENTS.md': bytes that belong to no entry stand before it (a program that unpacks itself?)",
    ),
    "a program put before": HostileArchive(
        b"#!/bin/sh\nexit\n" + pack(sound()), "the archive's list is not where its end says: bytes were added"
    ),
    "an entry that is not listed": HostileArchive(
        _hidden_entry(), f"'{A}/x': bytes that belong to no entry stand before it"
    ),
    "twelve bytes that describe nothing": HostileArchive(
        pack([Packed(f"{A}/w", after=bytes(12)), Packed(f"{A}/x")]),
        f"'{A}/x': bytes that belong to no entry stand before it",
    ),
    "more bytes than describe an entry": HostileArchive(
        pack([Packed(f"{A}/w", flags=UTF_8 | LATER, after=bytes(13)), Packed(f"{A}/x")]),
        f"'{A}/x': bytes that belong to no entry stand before it",
    ),
    "bytes before the list": HostileArchive(
        _with(Packed(f"{A}/x", after=b"....")),
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
    "one over another": HostileArchive(_overlapping(), f"'{A}/x': it lies over another entry of the archive"),
    "listed where there is none": HostileArchive(
        pack([Packed("AGENTS.md", b"x" * 99, method=STORED), Packed(f"{A}/x", at=138)]),
        f"'{A}/x': there is no entry where the archive's list has it",
    ),
    "listed beyond the end": HostileArchive(
        pack([Packed(f"{A}/x", at=0xFFFFFFFF, extra=extra(1, struct.pack("<Q", 1 << 63)))]),
        f"'{A}/x': there is no entry where the archive's list has it",
    ),
    "a name of its own": HostileArchive(
        _with(Packed(f"{A}/x", local_name="../x")),
        f"'{A}/x': the archive's list and the entry itself do not agree on its name (b'../x')",
    ),
    "a method of its own": HostileArchive(
        _with(Packed(f"{A}/x", b"x", local_method=STORED)),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "sizes of its own": HostileArchive(
        _with(Packed(f"{A}/x", b"x", local_sums=(0, 0, 0))),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "sizes of its own, told later": HostileArchive(
        _with(Packed(f"{A}/x", b"x", flags=UTF_8 | LATER, local_sums=(0, 3, 2), after=bytes(12))),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "flags of its own": HostileArchive(
        _with(Packed(f"{A}/x", b"x", local_flags=UTF_8 | LATER)),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "a large size that is none": HostileArchive(
        _with(LARGE),
        f"'{A}/x': the archive's list and the entry itself do not agree on its size, checksum or compression",
    ),
    "a damaged list": HostileArchive(
        _with(Packed(f"{A}/x", size=0xFFFFFFFF, extra=extra(1, b"1234"))),
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
    "encrypted": HostileArchive(_with(Packed(f"{A}/x", b"x", flags=0x801)), f"'{A}/x': the entry is encrypted"),
    "another method": HostileArchive(
        _with(Packed(f"{A}/x", b"x", method=14)),
        f"'{A}/x': packed by method 14; only stored and deflated entries are read",
    ),
    "stored with two sizes": HostileArchive(
        _with(Packed(f"{A}/x", b"four", method=STORED, size=5)), f"'{A}/x': stored as it is, and yet with two sizes"
    ),
    "a bomb": HostileArchive(
        _with(Packed(f"{A}/x", bytes(2 << 20))),
        f"'{A}/x': it unpacks to more than 200 times its size (2,049 to 2,097,152 bytes)",
    ),
    "a file too large": HostileArchive(
        _with(Packed(f"{A}/x", raw=NOISE, size=65 << 20)),
        f"'{A}/x': a file of 68,157,440 bytes; at most 64 MiB are taken",
    ),
    "too large together": HostileArchive(
        _with(*(Packed(f"{A}/{n}", raw=NOISE, size=60 << 20) for n in range(9))),
        "the source holds 566,231,067 bytes; at most 512 MiB are taken",
    ),
    "more than it says": HostileArchive(
        _with(Packed(f"{A}/x", SURPLUS, size=4, checksum=zlib.crc32(SURPLUS[:4]))),
        f"'{A}/x': it unpacks to more than the archive says",
    ),
    "less than it says": HostileArchive(
        _with(Packed(f"{A}/x", b"four", size=40)), f"'{A}/x': it unpacks to less than the archive says"
    ),
    "a wrong checksum": HostileArchive(
        _with(Packed(f"{A}/x", b"four", checksum=1)), f"'{A}/x': its content is damaged: it does not fit its checksum"
    ),
    "not deflated": HostileArchive(
        _with(Packed(f"{A}/x", b"four", raw=b"\xff\xff\xff\xff")),
        f"'{A}/x': its content is damaged: it does not fit its checksum",
    ),
    # Kinds.
    "a device": HostileArchive(
        _with(Packed(f"{A}/x", mode=0o020644)),
        f"'{A}/x': a device; only files, folders and links are taken from a source",
    ),
    "a disk": HostileArchive(
        _with(Packed("disk", mode=0o060644)), "'disk': a device; only files, folders and links are taken from a source"
    ),
    "a pipe": HostileArchive(
        _with(Packed(f"{A}/x", mode=0o010644)),
        f"'{A}/x': a named pipe; only files, folders and links are taken from a source",
    ),
    "a socket": HostileArchive(
        _with(Packed(f"{A}/x", mode=0o140644)),
        f"'{A}/x': a socket; only files, folders and links are taken from a source",
    ),
    "an unknown kind": HostileArchive(
        _with(Packed(f"{A}/x", mode=0o110644)),
        f"'{A}/x': a thing of an unknown kind; only files, folders and links are taken from a source",
    ),
    "set-user-ID": HostileArchive(
        _with(Packed(f"{A}/x", mode=0o104755)),
        f"'{A}/x': a file that would run as another user (set-user-ID or set-group-ID)",
    ),
    "a hard link": HostileArchive(
        _with(Packed(f"{A}/x", extra=extra(0x0D, bytes(12) + b"/etc/passwd"))),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a device by an extra field": HostileArchive(
        _with(Packed(f"{A}/y", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o020644, 0x103, 0, 0)))),
        f"'{A}/y': a hard link or a device by its extra fields",
    ),
    "a link by an extra field": HostileArchive(
        _with(Packed(f"{A}/x", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o100644, 0, 0, 0) + b"/etc/passwd"))),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a link without a name by an extra field": HostileArchive(
        _with(Packed(f"{A}/x", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o100644, 11, 0, 0)))),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a kind by an extra field": HostileArchive(
        _with(Packed(f"{A}/x", extra=extra(0x756E, struct.pack("<LHLHH", 0, 0o120777, 0, 0, 0)))),
        f"'{A}/x': a hard link or a device by its extra fields",
    ),
    "a folder that is called a file": HostileArchive(
        _with(Packed(f"{A}/x", attributes=0x10, system=0)),
        f"'{A}/x': its name and its attributes do not agree whether it is a folder",
    ),
    "a file that is called a folder": HostileArchive(
        _with(Packed(f"{A}/x/", mode=0o100644)),
        f"'{A}/x': its name and its attributes do not agree whether it is a folder",
    ),
    "a folder with content": HostileArchive(
        _with(Packed(f"{A}/x/", b"x", mode=0o040755)), f"'{A}/x': a folder with content of its own"
    ),
    "skills that are a file": HostileArchive(
        pack([Packed("AGENTS.md"), Packed(".skills")]),
        "'.skills': a file; a source holds its skills in a folder of this name",
    ),
    "skills that are a link": HostileArchive(
        pack([Packed("AGENTS.md"), Packed("skills/a/SKILL.md"), link(".skills", "skills")]),
        "'.skills': a symbolic link; a source holds its skills in a folder of this name",
    ),
    "instructions that are a link": HostileArchive(
        pack([link("AGENTS.md", "README.md"), Packed("README.md")]),
        "'AGENTS.md': a symbolic link; the text itself has to stand there, since what it leads to is not taken along",
    ),
    # Links.
    "a link to an absolute path": HostileArchive(
        _with(link(f"{A}/x", "/etc/passwd")), f"'{A}/x': the link leads to the absolute path '/etc/passwd'"
    ),
    "a link to a drive": HostileArchive(
        _with(link(f"{A}/x", "C:/x")), f"'{A}/x': the link leads to the absolute path 'C:/x'"
    ),
    "a link that leaves its skill": HostileArchive(
        _with(link(f"{A}/x", "../b/SKILL.md")),
        f"'{A}/x': the link to '../b/SKILL.md' leaves its skill, which is installed on its own; a copy has to stand"
        " there",
    ),
    "a link that leaves the skills": HostileArchive(
        _with(link(".skills/x", "../docs")), "'.skills/x': the link to '../docs' leaves .skills"
    ),
    "a link that leaves the source": HostileArchive(
        _with(link("docs/x", "../../x")), "'docs/x': the link to '../../x' leaves the source"
    ),
    "a link that leaves by a detour": HostileArchive(
        _with(link(f"{A}/x", "././/../b")),
        f"'{A}/x': the link to '././/../b' leaves its skill, which is installed on its own; a copy has to stand there",
    ),
    "a link by way of another": HostileArchive(
        _with(link(f"{A}/b/c", ".."), link(f"{A}/x", "b/c/../SKILL.md")),
        f"'{A}/x': the link to 'b/c/../SKILL.md' leaves its skill, which is installed on its own; a copy has to stand"
        " there",
    ),
    "a link by way of one of another case": HostileArchive(
        _with(link(f"{A}/b/c", ".."), link(f"{A}/x", "B/C/../y")),
        f"'{A}/x': the link to 'B/C/../y' leaves its skill, which is installed on its own; a copy has to stand there",
    ),
    "a link to itself": HostileArchive(_with(link(f"{A}/x", "x")), f"'{A}/x': the link to 'x' leads in a circle"),
    "a link to nothing": HostileArchive(_with(link(f"{A}/x", "")), f"'{A}/x': the link leads to nothing at all"),
    "a long link": HostileArchive(
        _with(link(f"{A}/x", "y/" * 600)), f"'{A}/x': the link's target is longer than 1024 bytes"
    ),
    "a long link that is damaged besides": HostileArchive(
        _with(Packed(f"{A}/x", b"y/" * 600, 0o120777, STORED, checksum=1)),
        f"'{A}/x': the link's target is longer than 1024 bytes",
    ),
    "a link with a control character": HostileArchive(
        _with(link(f"{A}/x", "a\nb")), f"'{A}/x': a control character or a backslash in the link's target 'a\\nb'"
    ),
    "a link with backslashes": HostileArchive(
        _with(link(f"{A}/x", "..\\..\\x")),
        f"'{A}/x': a control character or a backslash in the link's target '..\\\\..\\\\x'",
    ),
    "a link that is no text": HostileArchive(
        _with(link(f"{A}/x", b"\xff")), f"'{A}/x': the link's target is not UTF-8"
    ),
    "a file below a link": HostileArchive(
        _with(link(f"{A}/x", "y"), Packed(f"{A}/x/z")), f"'{A}/x/z': it lies below '{A}/x', which is no folder"
    ),
    # Names.
    "climbing": HostileArchive(_named("../x"), "'../x': the path climbs with `..`"),
    "a folder that climbs": HostileArchive(_with(Packed("../x/", mode=0o040755)), "'../x': the path climbs with `..`"),
    "climbing within": HostileArchive(_named(f"{A}/../../../x"), f"'{A}/../../../x': the path climbs with `..`"),
    "climbing as the single folder": HostileArchive(
        pack([Packed("../AGENTS.md")]), "'../AGENTS.md': the path climbs with `..`"
    ),
    "absolute": HostileArchive(_named("/x"), "'/x': an absolute path"),
    "a drive": HostileArchive(_named("C:x"), "'C:x': the path names a drive"),
    "a backslash": HostileArchive(
        _named("..\\x"), "'..\\\\x': a backslash in the name, which Windows takes for a slash"
    ),
    "no name": HostileArchive(_named(""), "'': an entry without a name"),
    "a dot": HostileArchive(_named(f"{A}/./x"), f"'{A}/./x': an empty name or `.` within the path"),
    "two slashes": HostileArchive(_named(f"{A}//x"), f"'{A}//x': an empty name or `.` within the path"),
    "NUL": HostileArchive(_named(f"{A}/x\0.md"), f"'{A}/x\\x00.md': a control character in the name"),
    "an escape": HostileArchive(_named(f"{A}/\x1b[2J"), f"'{A}/\\x1b[2J': a control character in the name"),
    "marked as UTF-8": HostileArchive(
        _named(b".skills/a/\xff"), "b'.skills/a/\\xff': the name is marked as UTF-8 and is not"
    ),
    "a long name": HostileArchive(
        _named(f"{A}/" + "é" * 128), f"'{A}/" + "é" * 128 + "': a name of 256 bytes; at most 255 are taken"
    ),
    "a deep path": HostileArchive(
        _named(f"{A}/" + "b/" * 31 + "x"), f"'{A}/" + "b/" * 31 + "x': 34 names deep; at most 32 are taken"
    ),
    "a dot at the end": HostileArchive(
        _named(f"{A}/x."), f"'{A}/x.': a name that ends with a dot or a space, which Windows drops"
    ),
    "a space at the end": HostileArchive(
        _named(f"{A}/x /y"), f"'{A}/x /y': a name that ends with a dot or a space, which Windows drops"
    ),
    "a device of Windows": HostileArchive(
        _named(f"{A}/Aux.py"), f"'{A}/Aux.py': a name that Windows keeps for a device"
    ),
    "a stream of Windows": HostileArchive(
        _named(f"{A}/x:y"),
        f"'{A}/x:y': a character in the name that Windows does not allow (one of <>:\"|?*)",
    ),
    "git's folder": HostileArchive(
        _named(f"{A}/.Git/hooks/post-checkout"),
        f"'{A}/.Git/hooks/post-checkout': a name of git's own folder, which is never taken from a source",
    ),
    "git's folder in short": HostileArchive(
        _named(f"{A}/GIT~1/config"),
        f"'{A}/GIT~1/config': a name of git's own folder, which is never taken from a source",
    ),
    "git's folder in disguise": HostileArchive(
        _named(f"{A}/.g\u200cit/config"),
        f"'{A}/.g\\u200cit/config': a name of git's own folder, which is never taken from a source",
    ),
    "twice": HostileArchive(
        _with(Packed(f"{A}/x", b"1"), Packed(f"{A}/x", b"2")), f"'{A}/x': there are two entries of this name"
    ),
    "a file that is a folder too": HostileArchive(
        _with(Packed(f"{A}/x"), Packed(f"{A}/x/y")), f"'{A}/x/y': it lies below '{A}/x', which is no folder"
    ),
    "cases": HostileArchive(
        _with(Packed(f"{A}/x"), Packed(f"{A}/X")),
        f"'{A}/X': the same name as '{A}/x' where case or the form of Unicode does not count",
    ),
    "cases of folders": HostileArchive(
        _with(Packed(".skills/A/x"), Packed(".skills/A/y")),
        "'.skills/A': the same name as '.skills/a' where case or the form of Unicode does not count",
    ),
    "forms of Unicode": HostileArchive(
        _with(Packed(f"{A}/\u00e9"), Packed(f"{A}/e\u0301")),
        f"'{A}/e\u0301': the same name as '{A}/\u00e9' where case or the form of Unicode does not count",
    ),
}
