"""The entries of a zip: their names, kinds and permissions, and their content, which is compared with the directory."""

from __future__ import annotations

import re
import stat
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from skillbag.supply.sources.entry import (
    MAX_PATH,
    BadContentError,
    EntryKind,
    PackedEntry,
    SourceEntry,
    kind_of,
    quoted,
)
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.zip_layout import check_end, extra_fields, layout_faults, raw_name

MAX_RATIO = 200
"""Highest compression ratio of an entry that is larger than a megabyte."""

_SMALL = 1 << 20
_PIECE = 1 << 16
_ENCRYPTED = 0x1 | 0x40 | 0x2000
"""Flags of the three kinds of encryption."""

_MS_DOS_FOLDER = 0x10
_UNICODE_PATH, _PKWARE_UNIX, _ASI_UNIX = 0x7075, 0x000D, 0x756E


class ZipMember(NamedTuple):
    """An entry of the archive; `path` has `/`, none at its end."""

    info: ZipInfo
    path: str
    kind: EntryKind

    def as_entry(self, target: str = "") -> SourceEntry:
        """The entry as one of a source. Archives made on Windows don't record whether its owner may run it."""
        executable = bool((self.info.external_attr >> 16) & stat.S_IXUSR)
        return SourceEntry(self.path, self.kind, self.info.file_size, executable, target)


class ZipReader:
    """A zip, made of its open file.

    Raises:
        InvalidSourceError: it is no zip, is cut off or damaged, or has too many entries.
    """

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self._directory_at = check_end(handle)
        try:
            self._archive = ZipFile(handle)
        except (BadZipFile, NotImplementedError, ValueError, struct.error) as error:
            raise InvalidSourceError(["the list of the archive's entries is damaged"]) from error
        self._members = [_member(info) for info in self._archive.infolist()]

    def listed(self) -> tuple[list[SourceEntry], list[str]]:
        """All entries, and what is wrong with them as entries of a zip."""
        found = list(layout_faults(self._handle, self._archive.infolist(), self._directory_at))
        found += [fault for item in self._members for fault in _member_faults(item)]
        targets: dict[str, str] = {}
        if not found:
            # Nothing is read from an entry that is misplaced, or not what it seems.
            targets, found = self._targets()
        # A link without a known target is taken to lead to its own folder.
        return [item.as_entry(targets.get(item.path, ".")) for item in self._members], found

    def entries(self) -> Iterator[PackedEntry]:
        """All entries with their content."""
        for item in self._members:
            yield PackedEntry(item.as_entry(), _content(self._archive, item.info))

    def _targets(self) -> tuple[dict[str, str], list[str]]:
        """The targets of the links by their paths, and what is wrong with those that can't be read."""
        targets, found = {}, []
        for item in self._members:
            if item.kind is EntryKind.LINK:
                try:
                    targets[item.path] = _read_target(self._archive, item)
                except BadContentError as error:
                    found.append(f"{quoted(item.path)}: {error}")
        return targets, found


def _member(info: ZipInfo) -> ZipMember:
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


def _member_faults(member: ZipMember) -> Iterator[str]:
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


def _read_target(packed: ZipFile, member: ZipMember) -> str:
    """The target of a symbolic link."""
    if member.info.file_size > MAX_PATH:
        raise BadContentError(f"the link's target is longer than {MAX_PATH} bytes")
    return b"".join(_content(packed, member.info)).decode("utf-8", "surrogateescape")


def _content(packed: ZipFile, info: ZipInfo) -> Iterator[bytes]:
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
