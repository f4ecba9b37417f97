"""The files and links of a skill's folder, as merge and comparison read them."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from typing import NamedTuple

from skillbag.kernel.workspace.tree import FILE, LINK, TreeEntry
from skillbag.kernel.workspace.tree_hash import pieces, tree_files

_MAX = 1 << 30
"""Bytes of the largest file that is held in memory (1 GiB); no source may have one of that size."""


class Version(NamedTuple):
    """A file or link (`kind` of an `TreeEntry`); `data` is the content, of a link its target."""

    kind: str
    data: bytes
    executable: bool

    @property
    def mode(self) -> str:
        """As git writes it."""
        if self.kind == LINK:
            return "120000"
        return "100755" if self.executable else "100644"


def entries(folder: str, *, others: bool = False) -> dict[str, TreeEntry]:
    """The entries of the skill in the absolute `folder`, by path in Unicode's normal form C, as the tree hash reads it.

    With `others`, devices, pipes and sockets are skipped.

    Raises:
        OSError: as `tree_files`; or two paths are equal in that form.
    """
    found: dict[str, TreeEntry] = {}
    for entry in tree_files(folder, others=others):
        path = unicodedata.normalize("NFC", entry.relative)
        if path in found:
            raise OSError(errno.EEXIST, "two names here look the same; rename one of them", entry.path)
        found[path] = entry
    return found


def read_version(entry: TreeEntry) -> Version:
    """The entry as it is on the disk.

    Raises:
        OSError: it can't be read, or has changed.
    """
    if entry.kind == LINK:
        return Version(LINK, os.fsencode(os.readlink(entry.path)), False)
    status = os.lstat(entry.path)
    if status.st_size > _MAX:
        raise OSError(errno.EFBIG, f"it is larger than {_MAX >> 30} GiB, too large to be compared", entry.path)
    return Version(FILE, b"".join(pieces(entry.path)), bool(status.st_mode & stat.S_IXUSR))


def same(one: Version | None, other: Version | None) -> bool:
    """Whether two versions of a path are equal except for line endings; two absent ones are."""
    if one is None or other is None:
        return one is other
    return one.executable == other.executable and same_content(one, other)


def same_content(one: Version | None, other: Version | None) -> bool:
    """Whether both exist, with the same kind and content; CRLF and LF in texts are the same."""
    if one is None or other is None or one.kind != other.kind:
        return False
    if one.data == other.data:
        return True
    if one.kind == LINK or not is_text(one.data) or not is_text(other.data):
        return False
    return with_lf(one.data) == with_lf(other.data)


def is_text(data: bytes) -> bool:
    """Whether the content has no NUL; anything else is never merged."""
    return b"\0" not in data


def with_lf(text: bytes) -> bytes:
    """The text with LF for each CRLF."""
    return text.replace(b"\r\n", b"\n")


def mixed_ends(text: bytes) -> bool:
    """Whether some lines end with CRLF and some with LF."""
    return 0 < text.count(b"\r\n") < text.count(b"\n")


def with_ends_of(model: bytes, text: bytes) -> bytes:
    """`text` with the line endings that most lines of `model` have, if it has any."""
    crlf = model.count(b"\r\n")
    lf = model.count(b"\n") - crlf
    if not crlf and not lf:
        return text
    return with_lf(text).replace(b"\n", b"\r\n") if crlf > lf else with_lf(text)
