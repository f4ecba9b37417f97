"""The tree hash: what a skill is made of, and one short name for it that is the same on every platform.

To a skill belong the files and symbolic links below its folder, save those that `tree.left_out` names; empty folders do
not count, nor do permission bits. The hash is `sha256:` and the SHA-256, in hexadecimal, of one line for each of them:

    file <SHA-256 of the content> <path>
    link <SHA-256 of the target> <path>

each ended by a line feed, sorted by the bytes of the path: relative, with `/`, in Unicode's form NFC, in UTF-8 (a line
feed within it is written as NUL, which no path can hold). Content without NUL in its first 8000 bytes is text, in which
CR LF is read as LF: a checkout with other line ends is the same tree. A file that is larger than `LARGEST` counts with
its size, its beginning and its end: no source may have one, so no lock does.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from hashlib import sha256

from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW
from skillbag.kernel.workspace.tree import FILE, FOLDER, LINK, TreeEntry, left_out, list_tree

LARGEST = 64 << 20
"""Bytes of the largest file that is read whole (64 MiB). A sparse file of a terabyte takes no place on the disk."""

_SNIFFED = 8000
_PIECE = 1 << 20


def tree_hash(folder: str, *, others: bool = False) -> str:
    """The hash of the tree below the absolute `folder`; with `others` devices, pipes and sockets are skipped.

    Raises:
        OSError: something in it can't be read, or is neither a file, a folder nor a link.
    """
    tree = TreeHash()
    for entry in tree_files(folder, others=others):
        if entry.kind is LINK:
            tree.add_link(entry.relative, os.readlink(entry.path))
        else:
            tree.add_file(entry.relative, file_hash(entry.path))
    return tree.value()


def file_hash(path: str) -> str:
    """The value of the `ContentHash` of the regular file `path`; of a larger one than `LARGEST` what stands for it.

    Raises:
        OSError: as `pieces`.
    """
    content = ContentHash()
    size = os.lstat(path).st_size
    if size > LARGEST:
        content.update(b"\0large %d\0" % size)
    for piece in pieces(path, ends=size > LARGEST):
        content.update(piece)
    return content.value()


def tree_files(folder: str, *, others: bool = False) -> Iterator[TreeEntry]:
    """The files and links that make up the tree below the absolute `folder`, in path order.

    Raises:
        OSError: a folder can't be opened, or there is a device, pipe or socket, which `others` skips.
    """
    # A listing skips what is missing; here, a missing folder is not an empty one.
    os.scandir(folder).close()
    listing = list_tree(folder)
    for path in listing.closed:
        raise PermissionError(errno.EACCES, "the folder cannot be opened", path)
    for entry in listing.entries:
        if entry.kind is FOLDER or left_out(entry.relative):
            continue
        if entry.kind not in (FILE, LINK):
            if others:
                continue
            raise OSError(errno.EINVAL, "it is neither a file, a folder nor a symbolic link", entry.path)
        yield entry


def pieces(path: str, *, ends: bool = False) -> Iterator[bytes]:
    """The content of the regular file `path`, a megabyte at a time; a link is not followed, a device not opened.

    With `ends`, the first and the last megabyte alone.

    Raises:
        OSError: it can't be read, or is no longer a regular file.
    """
    descriptor = os.open(path, FLAGS | NO_FOLLOW)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", path)
        while piece := os.read(descriptor, _PIECE):
            yield piece
            if ends:
                os.lseek(descriptor, -_PIECE, os.SEEK_END)
                ends = False
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        os.close(descriptor)


def line_ends(content: bytes) -> tuple[bytes, bytes, bytes]:
    """The content as it is, and as a checkout has it on Unix and on Windows; no text is the same thrice."""
    if b"\0" in content[:_SNIFFED]:
        return content, content, content
    lines = content.replace(b"\r\n", b"\n")
    return content, lines, lines.replace(b"\n", b"\r\n")


class TreeHash:
    """The hash of a tree from its parts, in any order, so that it can be computed while copying."""

    def __init__(self) -> None:
        self._parts: list[tuple[bytes, bytes]] = []

    def add_file(self, relative: str, digest: str) -> None:
        """Add a file by its path, with `/`, and the value of its `ContentHash`."""
        self._parts.append((_path_bytes(relative), b"file " + digest.encode()))

    def add_link(self, relative: str, target: str) -> None:
        """Add a symbolic link by its path, with `/`, and its target as the system gives it."""
        digest = sha256(target.replace(os.sep, "/").encode("utf-8", "surrogatepass")).hexdigest()
        self._parts.append((_path_bytes(relative), b"link " + digest.encode()))

    def value(self) -> str:
        """`sha256:` and the hexadecimal digest of the parts."""
        lines = b"".join(b"%b %b\n" % (part, path) for path, part in sorted(self._parts))
        return f"sha256:{sha256(lines).hexdigest()}"


def _path_bytes(relative: str) -> bytes:
    if not relative.isascii():
        relative = unicodedata.normalize("NFC", relative)
    return relative.encode("utf-8", "surrogatepass").replace(b"\n", b"\0")


class ContentHash:
    """The SHA-256 of a file's content as the tree hash reads it, from pieces of any size."""

    def __init__(self) -> None:
        self._sum = sha256()
        self._held = b""
        self._text: bool | None = None

    def update(self, piece: bytes) -> None:
        """Add the next piece."""
        piece = self._held + piece
        if self._text is None and len(piece) < _SNIFFED:
            self._held = piece
            return
        if self._text is None:
            self._text = b"\0" not in piece[:_SNIFFED]
        # The line feed after a carriage return at the end may begin the next piece.
        self._held = b"\r" if self._text and piece.endswith(b"\r") else b""
        piece = piece.removesuffix(self._held)
        self._sum.update(piece.replace(b"\r\n", b"\n") if self._text else piece)

    def value(self) -> str:
        """The hexadecimal digest of the pieces so far."""
        end = self._sum.copy()
        end.update(self._held.replace(b"\r\n", b"\n") if b"\0" not in self._held else self._held)
        return end.hexdigest()
