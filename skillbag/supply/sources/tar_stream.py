"""The bytes of a tar archive: of a gzip file that has one member and nothing behind it, or of the file itself."""

from __future__ import annotations

import zlib
from typing import BinaryIO, Protocol

from skillbag.supply.sources.fetched import InvalidSourceError

MAX_RATIO = 200
"""Highest compression ratio of an archive of a source that unpacks to more than a megabyte."""

_SMALL = 1 << 20
_PIECE = 1 << 16
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
