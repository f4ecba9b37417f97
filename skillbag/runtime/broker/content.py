"""The content of a skill that an approval holds for: every file in its folder (skill runtime, section 5)."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator

from skillbag.kernel.fs.read import is_within
from skillbag.kernel.workspace.tree_hash import pieces
from skillbag.supply.sources.limits import MAX_UNPACKED

_COUNTS = 0o170111
"""The bits of a mode that count: the type, and who may execute."""


def content_hash(folder: str) -> str:
    """A hash of all files below a skill's real folder, with the permission to execute them, and of all links.

    Unlike the tree hash of a lock, it leaves nothing out: code may lie in `node_modules` or `__pycache__`, too.

    Raises:
        OSError: something can't be read, is too large, is no file, or is a link that leads out of the folder: what it
            leads to could change.
    """
    digest, left = hashlib.sha256(), MAX_UNPACKED
    if os.path.realpath(folder) != folder:
        raise OSError(errno.ELOOP, "a link has taken its place", folder)
    for path in paths(folder):
        status = os.lstat(path)
        relative = path[len(folder) + 1 :].encode("utf-8", "surrogateescape")
        digest.update(b"%d:%b%o;" % (len(relative), relative, status.st_mode & _COUNTS))
        if stat.S_ISLNK(status.st_mode):
            target = os.readlink(path).encode("utf-8", "surrogateescape")
            if target.startswith(b"/") or not is_within(folder, path):
                message = "it is a link out of the skill, or an absolute one; what it leads to can't be approved"
                raise OSError(errno.EPERM, message, path)
            digest.update(b"%d:%b" % (len(target), target))
        elif stat.S_ISREG(status.st_mode):
            content, left = hashlib.sha256(), left - status.st_size
            if left < 0:
                raise OSError(errno.EFBIG, f"with it, the skill has more than {MAX_UNPACKED >> 30} GiB", path)
            for piece in pieces(path):
                content.update(piece)
            digest.update(content.digest())
        elif not stat.S_ISDIR(status.st_mode):
            raise OSError(errno.EINVAL, "it is neither a file, a folder nor a link", path)
    return digest.hexdigest()


def paths(folder: str) -> Iterator[str]:
    """Every file, folder and link below a folder, in order; links are not followed."""

    def fail(error: OSError) -> None:
        raise error

    for parent, folders, files in os.walk(folder, onerror=fail):
        folders.sort()
        yield from sorted(os.path.join(parent, name) for name in (*folders, *files))


def content_stamp(folder: str) -> str:
    """What differs from before if a file in the folder may have changed; cheaper than the hash.

    Raises:
        OSError: the folder can't be read.
    """
    digest = hashlib.sha256()
    for path in paths(folder):
        status = os.lstat(path)
        numbers = (status.st_ctime_ns, status.st_mtime_ns, status.st_ino, status.st_size, status.st_mode)
        digest.update(f"{path!a}{numbers}".encode())
    return digest.hexdigest()
