"""The objects of a bare repository, read by one `git cat-file` process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from skillbag.supply.sources.entry import EntryKind, kind_of
from skillbag.supply.sources.git_command import start

_AHEAD = 60
"""Objects that are requested at once: their names fit into any pipe, so that neither side blocks."""

_PIECE = 1 << 20


class BrokenRepositoryError(Exception):
    """An object that should be in the repository is missing, or can't be read."""


class CommitObject(NamedTuple):
    """A commit and its tree, by their object names (40 or 64 hexadecimal digits)."""

    name: str
    tree: str


class GitMember(NamedTuple):
    """An entry of a tree with its object's name; `path` from the root of the repository, with `/`."""

    path: str
    mode: int
    name: str

    @property
    def kind(self) -> EntryKind:
        return kind_of(self.mode)

    @property
    def has_content(self) -> bool:
        """Whether it is a file or a link, whose object is the content or the target."""
        return self.kind in (EntryKind.FILE, EntryKind.LINK)

    @property
    def is_executable(self) -> bool:
        """Whether it is a file that its owner may run."""
        return self.kind is EntryKind.FILE and bool(self.mode & 0o100)


class Objects:
    """The objects of a bare repository, read by one git process; a context manager."""

    def __init__(self, repository: str) -> None:
        self.repository = repository
        pipe = subprocess.PIPE
        self._process = start(repository, ["cat-file", "--batch"], pipe, pipe, subprocess.DEVNULL)

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def commit(self, revision: str) -> CommitObject | None:
        """The commit that a reference, a tag or a (short) object name leads to; None if there is none, or several."""
        self._request([f"{revision}^{{commit}}"])
        header = self._header()
        if len(header) != 3 or header[1] != b"commit":
            return None
        content = b"".join(self._pieces(int(header[2])))
        return CommitObject(header[0].decode(), content[5 : content.index(b"\n")].decode())

    def tree(self, name: str) -> Iterator[tuple[int, str, str]]:
        """Mode, name and object of each entry of a tree."""
        (content,) = self.contents([name], b"tree")
        data, at, width = b"".join(content), 0, len(name) // 2
        while at < len(data):
            try:
                end = data.index(b"\0", at)
                mode, _, entry = data[at:end].partition(b" ")
                at = end + 1 + width
                yield int(mode, 8), os.fsdecode(entry), data[end + 1 : at].hex()
            except ValueError as error:
                raise BrokenRepositoryError(name) from error

    def contents(self, names: Sequence[str], kind: bytes = b"blob") -> Iterator[Iterator[bytes]]:
        """The content of each object, in pieces, each to be read to its end before the next.

        Raises:
            BrokenRepositoryError: one of them is missing, damaged, or of another kind.
        """
        for first in range(0, len(names), _AHEAD):
            batch = names[first : first + _AHEAD]
            self._request(batch)
            for name in batch:
                header = self._header()
                if header[:2] != [name.encode(), kind]:
                    raise BrokenRepositoryError(name)
                yield self._pieces(int(header[2]))

    def _request(self, names: Iterable[str]) -> None:
        pipe = _open(self._process.stdin)
        try:
            pipe.write(b"".join(name.encode() + b"\n" for name in names))
            pipe.flush()
        except BrokenPipeError as error:
            raise BrokenRepositoryError from error

    def _header(self) -> list[bytes]:
        line = _open(self._process.stdout).readline()
        if not line:
            raise BrokenRepositoryError
        return line.split()

    def _pieces(self, size: int) -> Iterator[bytes]:
        pipe = _open(self._process.stdout)
        while size:
            piece = pipe.read(min(size, _PIECE))
            if not piece:
                raise BrokenRepositoryError
            size -= len(piece)
            yield piece
        pipe.read(1)


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 -- asked for as pipes
    return pipe
