"""Several writes that are undone together."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from functools import partial

from skillbag.fs.atomic import rename, write_atomic
from skillbag.fs.read import read


class Batch:
    """A context that undoes its writes, last first, if the block fails. Each single write is atomic."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for step in reversed(self._undo if kind else []):
            with contextlib.suppress(OSError):
                step()

    def write(self, path: str, data: bytes, *, overwrite: bool = True) -> None:
        """As `write_atomic`."""
        old = read(path, self.root)
        self._undo += [partial(os.rmdir, folder) for folder in missing_folders(os.path.dirname(path))]
        write_atomic(path, data, root=self.root, overwrite=overwrite)
        if isinstance(old, bytes):
            self._undo.append(partial(write_atomic, path, old, root=self.root))
        else:
            self._undo.append(partial(os.unlink, path))

    def chmod(self, path: str, mode: int) -> None:
        """Set the permission bits of `path`."""
        old = stat.S_IMODE(os.stat(path).st_mode)
        os.chmod(path, mode)
        self._undo.append(partial(os.chmod, path, old))

    def rename(self, path: str, new: str) -> None:
        """As the function `rename`."""
        rename(path, new, root=self.root)
        self._undo.append(partial(os.rename, new, path))


def missing_folders(folder: str) -> list[str]:
    """The folders to create for `folder`, outermost first."""
    missing = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing[::-1]
