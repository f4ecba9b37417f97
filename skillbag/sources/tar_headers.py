"""The headers of a tar archive: POSIX (ustar, pax) and GNU.

What common programs write is accepted; what they read differently is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from skillbag.sources.entry import EntryKind
from skillbag.sources.entry_names import quoted
from skillbag.sources.fetched import InvalidSourceError

BLOCK = 512
END = bytes(BLOCK)

MAX_EXTENDED = 64 << 10
"""Largest extended header, in bytes."""

_POSIX, _GNU = b"ustar\x0000", b"ustar  \x00"
_OCTAL = re.compile(rb" *([0-7]+)[ \0]*")
_RECORD = re.compile(rb"([1-9][0-9]{0,6}) ([^=\0]+)=")
_DIGITS = re.compile(r"[0-9]{1,10}")
_UTF_8 = "ISO-IR 10646 2000 UTF-8"

_KINDS = {
    b"0": EntryKind.FILE,
    b"\0": EntryKind.FILE,
    b"2": EntryKind.LINK,
    b"3": EntryKind.DEVICE,
    b"4": EntryKind.DEVICE,
    b"5": EntryKind.FOLDER,
    b"6": EntryKind.PIPE,
}
_REFUSED = {
    b"1": "a hard link; an archive of a skill holds files and folders only",
    b"S": "a sparse file, which programs unpack differently",
    b"K": "a long target of a link; an archive of a skill holds files and folders only",
    b"M": "a part of a file in several archives",
    b"D": "a list of a folder, as backups have it",
    b"V": "the label of a tape",
}
PAX, PAX_GLOBAL, LONG_NAME = b"x", b"g", b"L"


class Header(NamedTuple):
    """A header: the `path` as written, `size` in bytes of what follows, `kind` where it is an entry."""

    path: str
    size: int
    executable: bool
    flag: bytes
    kind: EntryKind


def parse_header(block: bytes) -> Header:
    """The header in a block of the archive.

    Raises:
        InvalidSourceError: it is damaged, of another format, or of a kind that has no place in an archive of a skill.
    """
    stated = _number(block[148:156], "checksum", "")
    if stated != sum(block[:148]) + 8 * 32 + sum(block[156:]):
        raise InvalidSourceError(["the archive is damaged: the checksum of an entry's header is wrong"])
    magic = block[257:265]
    if magic not in (_POSIX, _GNU):
        raise InvalidSourceError(["an entry is of an old or unknown format of tar; pack the skill with GNU tar or pax"])
    raw = _text(block[:100])
    if magic == _POSIX and (before := _text(block[345:500])):
        raw = before + b"/" + raw
    path, flag = raw.decode("utf-8", "surrogateescape"), block[156:157]
    if flag in _REFUSED:
        raise InvalidSourceError([f"{quoted(path)}: {_REFUSED[flag]}"])
    if flag not in _KINDS and flag not in (PAX, PAX_GLOBAL, LONG_NAME):
        raise InvalidSourceError([f"{quoted(path)}: an entry of an unknown kind ({flag!r})"])
    size, mode = _number(block[124:136], "size", path), _number(block[100:108], "mode", path)
    return Header(path, size, bool(mode & 0o100), flag, _KINDS.get(flag, EntryKind.UNKNOWN))


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes, what: str, path: str) -> int:
    if match := _OCTAL.fullmatch(field):
        return int(match[1], 8)
    where = f"{quoted(path)}: " if path else ""
    raise InvalidSourceError([f"{where}the {what} in the header is no octal number"])


def long_name(data: bytes) -> str:
    """The path that an extended header of GNU holds."""
    name, _, rest = data.partition(b"\0")
    if rest.strip(b"\0"):
        raise InvalidSourceError([f"{quoted(name.decode('utf-8', 'surrogateescape'))}: bytes follow the long name"])
    return name.decode("utf-8", "surrogateescape")


def pax_path(data: bytes, *, is_global: bool) -> str | None:
    """The path that an extended header of POSIX gives to the next entry; None if it gives none.

    Raises:
        InvalidSourceError: it is malformed, or changes what an entry is, as a sparse file or a link.
    """
    records = _records(data)
    for key, value in records.items():
        if key.startswith("GNU.sparse."):
            raise InvalidSourceError(["an extended header describes a sparse file, which programs unpack differently"])
        if key in _CHANGING or (is_global and key == "path"):
            raise InvalidSourceError([f"an extended header sets `{key}`, which programs read differently"])
        if (fits := _HARMLESS.get(key)) is not None and not fits(value):
            raise InvalidSourceError([f"an extended header sets `{key}` to {quoted(value)}, which is malformed"])
    return records.get("path")


_CHANGING = frozenset({"size", "linkpath"})
_HARMLESS: Mapping[str, Callable[[str], bool]] = {
    "path": bool,
    "hdrcharset": lambda value: value == _UTF_8,
    "charset": lambda value: value == _UTF_8,
    "uid": lambda value: _DIGITS.fullmatch(value) is not None,
    "gid": lambda value: _DIGITS.fullmatch(value) is not None,
}


def _records(data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    while data:
        match = _RECORD.match(data)
        length = int(match[1]) if match else 0
        if match is None or not match.end() < length <= len(data) or data[length - 1 : length] != b"\n":
            raise InvalidSourceError(["an extended header of an entry is damaged"])
        key = match[2].decode("utf-8", "surrogateescape")
        if key in found:
            raise InvalidSourceError([f"an extended header sets {quoted(key)} twice"])
        found[key] = data[match.end() : length - 1].decode("utf-8", "surrogateescape")
        data = data[length:]
    return found
