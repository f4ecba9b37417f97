"""An entry of a zip: its name, kind and permission, and its content, which is compared with the directory."""

from __future__ import annotations

import re
import stat
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from skillbag.supply.sources.entry import EntryKind, kind_of
from skillbag.supply.sources.entry_names import MAX_PATH, quoted
from skillbag.supply.sources.zip_layout import extra_fields, raw_name

MAX_RATIO = 200
"""Highest compression ratio of an entry that is larger than a megabyte."""

_SMALL = 1 << 20
_PIECE = 1 << 16
_ENCRYPTED = 0x1 | 0x40 | 0x2000
"""Flags of the three kinds of encryption."""

_MS_DOS_FOLDER = 0x10
_UNICODE_PATH, _PKWARE_UNIX, _ASI_UNIX = 0x7075, 0x000D, 0x756E


class BadContentError(Exception):
    """The content of an entry contradicts the directory; the message is the rest of a sentence."""


class ZipMember(NamedTuple):
    """An entry of the archive; `path` has `/`, none at its end."""

    info: ZipInfo
    path: str
    kind: EntryKind

    @property
    def executable(self) -> bool:
        """Whether its owner may run it. Archives made on Windows don't record it."""
        return bool((self.info.external_attr >> 16) & stat.S_IXUSR)


def member(info: ZipInfo) -> ZipMember:
    """The entry of the archive's directory."""
    name = _name(info)
    mode = info.external_attr >> 16
    kind = kind_of(mode) if stat.S_IFMT(mode) else EntryKind.FOLDER if name.endswith("/") else EntryKind.FILE
    return ZipMember(info, re.sub(r"(?<=[^/])/$", "", name), kind)


def _name(info: ZipInfo) -> str:
    raw = raw_name(info)
    for kind, data in extra_fields(info.extra):
        # Holds the name in UTF-8, if it was made for this very name.
        if kind == _UNICODE_PATH and data[:1] == b"\1" and data[1:5] == struct.pack("<L", zlib.crc32(raw)):
            return data[5:].decode("utf-8", "surrogateescape")
    try:
        # Unmarked names should be of code page 437, but the common programs of Linux and macOS write UTF-8.
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp437")


def member_faults(member: ZipMember) -> Iterator[str]:
    """The faults of an entry as part of an archive, without reading its content; a sentence each."""
    for reason in [*_content_faults(member.info), *_kind_faults(member)]:
        yield f"{quoted(member.path)}: {reason}"


def _content_faults(info: ZipInfo) -> Iterator[str]:
    if info.flag_bits & _ENCRYPTED:
        yield "the entry is encrypted"
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        yield f"packed by method {info.compress_type}; only stored and deflated entries are read"
    if info.compress_type == ZIP_STORED and info.compress_size != info.file_size:
        yield "stored without compression, but with two sizes"
    if info.file_size > _SMALL and info.file_size > MAX_RATIO * info.compress_size:
        yield f"it unpacks to more than {MAX_RATIO} times its size ({info.compress_size:,} to {info.file_size:,} bytes)"


def _kind_faults(member: ZipMember) -> Iterator[str]:
    info, kind = member.info, member.kind
    folder = kind is EntryKind.FOLDER
    marked = bool(info.external_attr & _MS_DOS_FOLDER)
    if folder != info.orig_filename.endswith("/") or (marked and not folder):
        yield "its name and its attributes do not agree whether it is a folder"
    if folder and info.file_size:
        yield "a folder with content of its own"
    if kind is EntryKind.FILE and (info.external_attr >> 16) & (stat.S_ISUID | stat.S_ISGID):
        yield "a file that would run as another user (set-user-ID or set-group-ID)"
    if _linked_by_extra(info):
        yield "a hard link or a device by its extra fields"


def _linked_by_extra(info: ZipInfo) -> bool:
    """Whether an old extra field for Unix names a link target or a device."""
    for kind, data in extra_fields(info.extra):
        if kind == _PKWARE_UNIX and len(data) > 12:
            return True
        if kind == _ASI_UNIX and len(data) >= 14:
            mode, size = struct.unpack_from("<HL", data, 4)
            if size or len(data) > 14 or kind_of(mode) not in (EntryKind.FILE, EntryKind.FOLDER):
                return True
    return False


def read_target(packed: ZipFile, member: ZipMember) -> str:
    """The target of a symbolic link."""
    if member.info.file_size > MAX_PATH:
        raise BadContentError(f"the link's target is longer than {MAX_PATH} bytes")
    return b"".join(content(packed, member.info)).decode("utf-8", "surrogateescape")


def content(packed: ZipFile, info: ZipInfo) -> Iterator[bytes]:
    """The content of an entry in pieces, once: checked against its size, its checksum and its end.

    Raises:
        BadContentError: it is damaged, or longer or shorter than the archive says.
    """
    left = info.file_size
    # The reader silently cuts content off at this size.
    info.file_size += 2 * _PIECE
    try:
        with packed.open(info) as stream:
            while piece := stream.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise BadContentError("it unpacks to more than the archive says")
                yield piece
    except (BadZipFile, NotImplementedError, zlib.error, EOFError) as error:
        raise BadContentError("its content is damaged: it does not fit its checksum") from error
    if left:
        raise BadContentError("it unpacks to less than the archive says")
