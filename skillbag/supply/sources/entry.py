"""One thing in a source of any kind: its path and what it is."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class EntryKind(StrEnum):
    """What an entry is, in words for people."""

    FILE = "file"
    LINK = "symbolic link"
    FOLDER = "folder"
    SUBMODULE = "git submodule"
    DEVICE = "device"
    PIPE = "named pipe"
    SOCKET = "socket"
    UNKNOWN = "thing of an unknown kind"


_KINDS = {
    stat.S_IFREG: EntryKind.FILE,
    stat.S_IFLNK: EntryKind.LINK,
    stat.S_IFDIR: EntryKind.FOLDER,
    stat.S_IFCHR: EntryKind.DEVICE,
    stat.S_IFBLK: EntryKind.DEVICE,
    stat.S_IFIFO: EntryKind.PIPE,
    stat.S_IFSOCK: EntryKind.SOCKET,
    0o160000: EntryKind.SUBMODULE,
}


def kind_of(mode: int) -> EntryKind:
    """The kind that a mode of Unix or of git stands for."""
    return _KINDS.get(stat.S_IFMT(mode), EntryKind.UNKNOWN)


class SourceEntry(NamedTuple):
    """An entry of a source. `path` is relative to the source's root, with `/`; `size` in bytes; `target` is a link's.

    Bytes of a name that are not UTF-8 are lone surrogates in it, as `os.fsdecode` makes them.
    """

    path: str
    kind: EntryKind
    size: int
    executable: bool
    target: str = ""


class PackedEntry(NamedTuple):
    """An entry of an archive, under its path there, with its content in pieces, which is to be read at once."""

    entry: SourceEntry
    content: Iterator[bytes]


class BadContentError(Exception):
    """The content of an entry contradicts its archive's directory; the message is the rest of a sentence."""
