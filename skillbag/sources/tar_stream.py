"""The bytes of a gzip file that has one member and nothing behind it."""

from __future__ import annotations

import zlib
from typing import BinaryIO

from skillbag.sources.fetched import InvalidSourceError

_PIECE = 1 << 16
_MAGIC = b"\x1f\x8b"
_GZIP = 31
"""What zlib calls a gzip file with the largest window."""


class GzipStream:
    """Unpacks `handle` piece by piece, at most `limit` bytes of it."""

    def __init__(self, handle: BinaryIO, limit: int) -> None:
        self._handle = handle
        self._left = limit
        self._limit = limit
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
        self._ready += piece
        if self._inflate.eof and (self._inflate.unused_data or self._handle.read(1)):
            raise InvalidSourceError(["there are bytes after the archive's end"])
        return True
