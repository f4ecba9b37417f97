"""The headers of a tar archive: POSIX (ustar, pax) and GNU.

What common programs write is accepted; what they read differently is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from skillbag.supply.sources.entry import EntryKind, quoted
from skillbag.supply.sources.fetched import InvalidSourceError

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
    b"1": "a hard link; pack a copy of the file instead (tar --hard-dereference)",
    b"S": "a sparse file, which programs unpack differently",
    b"M": "a part of a file in several archives",
    b"D": "a list of a folder, as backups have it",
    b"V": "the label of a tape",
}
PAX, PAX_GLOBAL, LONG_NAME, LONG_TARGET = b"x", b"g", b"L", b"K"
EXTENDED = (PAX, PAX_GLOBAL, LONG_NAME, LONG_TARGET)
"""The kinds of headers about the next entry, or about all."""


class Header(NamedTuple):
    """A header: the `path` and `target` as written, `size` in bytes of what follows, `kind` where it is an entry."""

    path: str
    size: int
    executable: bool
    flag: bytes
    kind: EntryKind
    target: str = ""


class Extended(NamedTuple):
    """What an extended header says of the next entry: its path and the target of a link, None if it does not."""

    path: str | None = None
    target: str | None = None


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
    if flag not in _KINDS and flag not in EXTENDED:
        raise InvalidSourceError([f"{quoted(path)}: an entry of an unknown kind ({flag!r})"])
    size, mode = _number(block[124:136], "size", path), _number(block[100:108], "mode", path)
    target = _text(block[157:257]).decode("utf-8", "surrogateescape")
    return Header(path, size, bool(mode & 0o100), flag, _KINDS.get(flag, EntryKind.UNKNOWN), target)


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes, what: str, path: str) -> int:
    if match := _OCTAL.fullmatch(field):
        return int(match[1], 8)
    where = f"{quoted(path)}: " if path else ""
    raise InvalidSourceError([f"{where}the {what} in the header is no octal number"])


def extended(data: bytes, flag: bytes) -> Extended:
    """What an extended header, of POSIX or GNU, says of the next entry.

    Raises:
        InvalidSourceError: it is malformed, or changes what an entry is, as a sparse file.
    """
    if flag == LONG_NAME:
        return Extended(path=_long(data))
    if flag == LONG_TARGET:
        return Extended(target=_long(data))
    return _of_records(_records(data), is_global=flag == PAX_GLOBAL)


def _long(data: bytes) -> str:
    name, _, rest = data.partition(b"\0")
    if rest.strip(b"\0"):
        raise InvalidSourceError([f"{quoted(name.decode('utf-8', 'surrogateescape'))}: bytes follow the long name"])
    return name.decode("utf-8", "surrogateescape")


def _of_records(records: Mapping[str, str], *, is_global: bool) -> Extended:
    for key, value in records.items():
        if key.startswith("GNU.sparse."):
            raise InvalidSourceError(["an extended header describes a sparse file, which programs unpack differently"])
        if key in _CHANGING or (is_global and key in ("path", "linkpath")):
            raise InvalidSourceError([f"an extended header sets `{key}`, which programs read differently"])
        if (fits := _HARMLESS.get(key)) is not None and not fits(value):
            raise InvalidSourceError([f"an extended header sets `{key}` to {quoted(value)}, which is malformed"])
    return Extended(records.get("path"), records.get("linkpath"))


_CHANGING = frozenset({"size"})
_HARMLESS: Mapping[str, Callable[[str], bool]] = {
    "path": bool,
    "linkpath": bool,
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
