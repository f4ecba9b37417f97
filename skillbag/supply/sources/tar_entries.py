"""The entries of a tar archive, compressed by gzip or not, one after the other, each with its content."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Protocol

from skillbag.supply.sources import limits
from skillbag.supply.sources.entry import EntryKind, PackedEntry, SourceEntry, quoted
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.tar_headers import (
    BLOCK,
    END,
    EXTENDED,
    MAX_EXTENDED,
    Extended,
    Header,
    extended,
    parse_header,
)

_PIECE = 1 << 16


class TarLimits(NamedTuple):
    """The most entries of an archive, and its largest file in bytes."""

    entries: int
    file: int


class TarReader:
    """A tar archive of a source, compressed by gzip or not, made of its open file: it has no list, so that it is read
    twice.
    """

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle

    def listed(self) -> tuple[list[SourceEntry], list[str]]:
        """All entries; the first fault is raised."""
        return [packed.entry for packed in self.entries()], []

    def entries(self) -> Iterator[PackedEntry]:
        """All entries with their content."""
        self._handle.seek(0)
        stream = source_stream(self._handle, limits.MAX_UNPACKED)
        return tar_entries(stream, TarLimits(limits.MAX_ENTRIES, limits.MAX_FILE))


def tar_entries(stream: TarStream, most: TarLimits) -> Iterator[PackedEntry]:
    """Every entry but the root folder itself; at the end the rest of the stream is checked.

    A path has no `./` at its beginning and no `/` at its end.

    Raises:
        InvalidSourceError: the archive is malformed, cut off or too large, or something follows its end.
    """
    count = number = 0
    given = Extended()
    while (block := _exactly(stream, BLOCK)) != END:
        count += 1
        if count > 2 * most.entries:
            raise InvalidSourceError([f"the archive holds more than {most.entries:,} entries"])
        header = parse_header(block)
        if header.flag in EXTENDED:
            given = _joined(given, _extended(stream, header))
            continue
        content = _content(stream, header.size)
        if entry := _entry(header, given, most):
            number += 1
            if number > most.entries:
                raise InvalidSourceError([f"the archive holds more than {most.entries:,} entries; no more are taken"])
            yield PackedEntry(entry, content)
        for _ in content:
            pass
        _padding(stream, header.size)
        given = Extended()
    if given != Extended():
        raise InvalidSourceError([f"{quoted(given.path or given.target or '')}: no entry follows its extended header"])
    _end(stream)


def _joined(one: Extended, other: Extended) -> Extended:
    """What two headers say of one entry: its path and its target each once."""
    for first, second in zip(one, other, strict=True):
        if first is not None and second is not None:
            raise InvalidSourceError([f"{quoted(second)}: two extended headers name one entry"])
    return Extended(*(first if first is not None else second for first, second in zip(one, other, strict=True)))


def _extended(stream: TarStream, header: Header) -> Extended:
    if header.size > MAX_EXTENDED:
        raise InvalidSourceError([f"an extended header is larger than {MAX_EXTENDED >> 10} KiB"])
    data = _exactly(stream, header.size)
    _padding(stream, header.size)
    return extended(data, header.flag)


def _entry(header: Header, given: Extended, most: TarLimits) -> SourceEntry | None:
    """The entry of a header; None for the root folder."""
    written = header.path if given.path is None else given.path
    path, is_folder, is_link = written, header.kind is EntryKind.FOLDER, header.kind is EntryKind.LINK
    while path.startswith("./"):
        path = path[2:]
    if is_folder and path in ("", ".") and written:
        return None
    if header.size and header.kind is not EntryKind.FILE:
        raise InvalidSourceError([f"{quoted(written)}: a {header.kind} with content of its own"])
    if given.target is not None and not is_link:
        raise InvalidSourceError([f"{quoted(written)}: a {header.kind} to which a header gives the target of a link"])
    if header.size > most.file:
        limit = f"at most {most.file >> 20} MiB are taken"
        raise InvalidSourceError([f"{quoted(written)}: a file of {header.size:,} bytes; {limit}"])
    path = path.removesuffix("/") if is_folder else path
    target = (header.target if given.target is None else given.target) if is_link else ""
    return SourceEntry(path, header.kind, header.size, header.executable, target)


def _content(stream: TarStream, size: int) -> Iterator[bytes]:
    while size:
        piece = _exactly(stream, min(size, _PIECE))
        size -= len(piece)
        yield piece


def _padding(stream: TarStream, size: int) -> None:
    if _exactly(stream, -size % BLOCK).strip(b"\0"):
        raise InvalidSourceError(["the archive holds bytes between its entries"])


def _exactly(stream: TarStream, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise InvalidSourceError(["the archive is cut off: its end is missing"])
    return data


def _end(stream: TarStream) -> None:
    """Check the second block of the end, and that only zeros follow it."""
    if _exactly(stream, BLOCK) != END:
        raise InvalidSourceError(["the archive goes on after its end"])
    while piece := stream.read(_PIECE):
        if piece.strip(b"\0"):
            raise InvalidSourceError(["there are bytes after the archive's end"])


MAX_RATIO = 200
"""Highest compression ratio of an archive of a source that unpacks to more than a megabyte."""

_SMALL = 1 << 20
_MAGIC, _USTAR = b"\x1f\x8b", b"ustar"
_GZIP = 31
"""What zlib calls a gzip file with the largest window."""


class TarStream(Protocol):
    """What is unpacked."""

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end."""


class GzipStream:
    """Unpacks `handle` piece by piece, at most `limit` bytes of it; if given, to at most `ratio` times its size."""

    def __init__(self, handle: BinaryIO, limit: int, ratio: int | None = None) -> None:
        self._handle = handle
        self._left = limit
        self._limit = limit
        self._ratio = ratio
        self._inflate = zlib.decompressobj(_GZIP)
        self._ready = bytearray()
        self._begun = False

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end.

        Raises:
            InvalidSourceError: the file is damaged, cut off or too large, or something follows its end.
        """
        while len(self._ready) < size and self._fill():
            pass
        data = bytes(self._ready[:size])
        del self._ready[:size]
        return data

    def _fill(self) -> bool:
        if self._inflate.eof:
            return False
        packed = self._inflate.unconsumed_tail or self._handle.read(_PIECE)
        if not packed:
            raise InvalidSourceError(["the archive is cut off" if self._begun else "the archive is empty"])
        self._begun = self._begun or packed.startswith(_MAGIC)
        try:
            piece = self._inflate.decompress(packed, _PIECE)
        except zlib.error as error:
            fault = "the archive is damaged: its content does not fit its checksum"
            raise InvalidSourceError([fault if self._begun else "this is no tar.gz archive"]) from error
        self._left -= len(piece)
        if self._left < 0:
            raise InvalidSourceError([f"the archive unpacks to more than {self._limit >> 20} MiB"])
        if self._ratio and (done := self._limit - self._left) > max(_SMALL, self._ratio * self._handle.tell()):
            raise InvalidSourceError(
                [f"the archive unpacks to more than {self._ratio} times its size ({done:,} bytes)"]
            )
        self._ready += piece
        if self._inflate.eof and (self._inflate.unused_data or self._handle.read(1)):
            raise InvalidSourceError(["there are bytes after the archive's end"])
        return True


def source_stream(handle: BinaryIO, limit: int) -> TarStream:
    """The stream of a source's archive, which may be compressed or not."""
    begins = handle.read(len(_MAGIC))
    handle.seek(0)
    return GzipStream(handle, limit, MAX_RATIO) if begins == _MAGIC else _PlainStream(handle, limit)


class _PlainStream:
    """The bytes of `handle`, which holds at most `limit`, a multiple of the size of a block."""

    def __init__(self, handle: BinaryIO, limit: int) -> None:
        self._handle = handle
        self._left = limit
        self._limit = limit
        self._begun = False

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end."""
        data = self._handle.read(size)
        if not (self._begun or data[257:262] == _USTAR or data.strip(b"\0") == b""):
            raise InvalidSourceError(["this is no tar archive, compressed by gzip or not"])
        if not (self._begun or data):
            raise InvalidSourceError(["the archive is empty"])
        self._begun = True
        self._left -= len(data)
        if self._left < 0:
            raise InvalidSourceError([f"the archive holds more than {self._limit >> 20} MiB"])
        return data
