"""The entries of a tar.gz archive, one after the other, each with its content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillbag.sources import limits
from skillbag.sources.entry import EntryKind
from skillbag.sources.entry_names import quoted
from skillbag.sources.fetched import InvalidSourceError
from skillbag.sources.tar_headers import (
    BLOCK,
    END,
    LONG_NAME,
    MAX_EXTENDED,
    PAX,
    PAX_GLOBAL,
    Header,
    long_name,
    parse_header,
    pax_path,
)
from skillbag.sources.tar_stream import GzipStream

_PIECE = 1 << 16


class TarEntry(NamedTuple):
    """An entry; `path` has no `./` at its beginning and no `/` at its end. Its `content` is to be read at once."""

    path: str
    kind: EntryKind
    size: int
    executable: bool
    content: Iterator[bytes]


def tar_entries(stream: GzipStream) -> Iterator[TarEntry]:
    """Every entry but the root folder itself; at the end the rest of the stream is checked.

    Raises:
        InvalidSourceError: the archive is malformed, cut off or too large, or something follows its end.
    """
    count = 0
    name: str | None = None
    while (block := _exactly(stream, BLOCK)) != END:
        count += 1
        if count > 2 * limits.MAX_REGISTRY_ENTRIES:
            raise _too_many()
        header = parse_header(block)
        if header.flag in (PAX, PAX_GLOBAL, LONG_NAME):
            given = _extended(stream, header)
            if given is not None and name is not None:
                raise InvalidSourceError([f"{quoted(given)}: two extended headers name one entry"])
            name = given if given is not None else name
            continue
        content = _content(stream, header.size)
        if entry := _entry(header, name, content):
            yield entry
        for _ in content:
            pass
        _padding(stream, header.size)
        name = None
    if name is not None:
        raise InvalidSourceError([f"{quoted(name)}: no entry follows its extended header"])
    _end(stream)


def _too_many() -> InvalidSourceError:
    return InvalidSourceError([f"the archive holds more than {limits.MAX_REGISTRY_ENTRIES:,} entries"])


def _extended(stream: GzipStream, header: Header) -> str | None:
    """The path that an extended header gives to the next entry."""
    if header.size > MAX_EXTENDED:
        raise InvalidSourceError([f"an extended header is larger than {MAX_EXTENDED >> 10} KiB"])
    data = _exactly(stream, header.size)
    _padding(stream, header.size)
    return long_name(data) if header.flag == LONG_NAME else pax_path(data, is_global=header.flag == PAX_GLOBAL)


def _entry(header: Header, name: str | None, content: Iterator[bytes]) -> TarEntry | None:
    """The entry of a header; None for the root folder."""
    written = header.path if name is None else name
    path, is_folder = written, header.kind is EntryKind.FOLDER
    while path.startswith("./"):
        path = path[2:]
    if is_folder and path in ("", ".") and written:
        return None
    if header.size and header.kind is not EntryKind.FILE:
        raise InvalidSourceError([f"{quoted(written)}: a {header.kind} with content of its own"])
    if header.size > limits.MAX_REGISTRY_FILE:
        most = limits.MAX_REGISTRY_FILE >> 20
        raise InvalidSourceError([f"{quoted(written)}: a file of {header.size:,} bytes; at most {most} MiB are taken"])
    path = path.removesuffix("/") if is_folder else path
    return TarEntry(path, header.kind, header.size, header.executable, content)


def _content(stream: GzipStream, size: int) -> Iterator[bytes]:
    while size:
        piece = _exactly(stream, min(size, _PIECE))
        size -= len(piece)
        yield piece


def _padding(stream: GzipStream, size: int) -> None:
    if _exactly(stream, -size % BLOCK).strip(b"\0"):
        raise InvalidSourceError(["the archive holds bytes between its entries"])


def _exactly(stream: GzipStream, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise InvalidSourceError(["the archive is cut off: its end is missing"])
    return data


def _end(stream: GzipStream) -> None:
    """Check the second block of the end, and that only zeros follow it."""
    if _exactly(stream, BLOCK) != END:
        raise InvalidSourceError(["the archive goes on after its end"])
    while piece := stream.read(_PIECE):
        if piece.strip(b"\0"):
            raise InvalidSourceError(["there are bytes after the archive's end"])
