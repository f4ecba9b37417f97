"""The cache of fetched sources: repositories, archives, and the trees unpacked from them.

Below the cache's folder, by keys that are hashes, so that no path leaves it:

    git/<key>/            a bare repository for each git source
    archives/<sha256>.zip archives by their content, zip or tar.gz
    urls/<key>            the hash of the archive that an address last gave
    registry/<key>        what a registry has answered (`registry.py`)
    trees/<key>/          an unpacked source, beside it `<key>.hash` with its tree hash
    locks/<key>.lock      held while a process works on one of them

Missing or damaged files are fetched and unpacked again.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import file_digest

from skillbag.kernel.base.ownership import is_own_folder
from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.user_dirs import cache_folder
from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs.atomic import replace, write_atomic
from skillbag.kernel.fs.changes import REMOVED, delete, put_folder, remove
from skillbag.kernel.fs.locking import acquire
from skillbag.kernel.workspace.tree_hash import tree_hash

WAIT = 1800.0
"""Seconds to wait for another process that works on the same source; a whole fetch takes no longer."""

_DAY = 24 * 60 * 60
_GIT, _ARCHIVES, _URLS, _TREES, _LOCKS = "git", "archives", "urls", "trees", "locks"
REGISTRY = "registry"
_UNFINISHED = ".new-"
_HASH = ".hash"


def key_of(*parts: str) -> str:
    """A file name for these texts, valid on every file system."""
    return short_hash("\n".join(parts))


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache in the absolute `folder`, which exists.

    `own` are the trees that only this run uses, so that their folders may be moved out of them; None where trees are
    unpacked for all.
    """

    folder: str
    own: list[str] | None = None

    def repository(self, identity: str) -> str:
        """The path of a git source's bare repository, which need not exist."""
        return os.path.join(self.folder, _GIT, key_of(identity))

    def archive(self, digest: str) -> str:
        """The path of the archive with this SHA-256 (hexadecimal), which need not exist."""
        return os.path.join(self.folder, _ARCHIVES, f"{digest}.zip")

    def has_archive(self, digest: str) -> bool:
        """Whether it has an undamaged archive with this SHA-256 (hexadecimal)."""
        path = self.archive(digest)
        try:
            touch(path)
            return sha256_of(path) == digest
        except OSError:
            return False

    def remembered(self, identity: str) -> str | None:
        """The SHA-256 of the archive that an address last gave."""
        with contextlib.suppress(OSError, UnicodeDecodeError), open(self._url(identity), encoding="ascii") as file:
            digest = file.read(65).strip()
            return digest if len(digest) == 64 and digest.isalnum() else None
        return None

    def remember(self, identity: str, digest: str) -> None:
        """Record the archive that an address has just given."""
        write_atomic(self._url(identity), digest.encode("ascii"), root=self.folder, durable=False)

    def add_archive(self, write: Callable[[str], None]) -> str:
        """Add the archive that `write` stores at the path that it is given; return its SHA-256 (hexadecimal)."""
        with self._new(_ARCHIVES) as new:
            write(new)
            digest = sha256_of(new)
            replace(new, self.archive(digest))
        return digest

    def tree(self, key: str) -> str | None:
        """The unpacked tree of this name, if it is complete."""
        folder = os.path.join(self.folder, _TREES, key)
        try:
            with open(folder + _HASH, encoding="ascii") as file:
                expected = file.read(100)
            if tree_hash(folder) != expected:
                return None
            touch(folder + _HASH)
        except (OSError, UnicodeDecodeError):
            return None
        return folder

    def add_tree(self, key: str, fill: Callable[[str], str]) -> str:
        """Unpack a tree: `fill` writes it into the new folder that it is given, and returns its tree hash.

        Raises:
            OSError: it can't be written; and whatever `fill` raises. Nothing is left behind then.
        """
        folder = os.path.join(self.folder, _TREES, key)
        with self._new(_TREES) as new:
            os.mkdir(new)
            found = fill(new)
            if self.own is not None:
                self.own.append(new)
                return new
            put_folder(new, folder)
        # Written last, since a tree without it counts as incomplete.
        write_atomic(folder + _HASH, found.encode("ascii"), root=self.folder, durable=False)
        return folder

    def close(self) -> None:
        """Delete the trees that only this run uses."""
        while self.own:
            delete(self.own.pop())

    def held(self, key: str, on_wait: Callable[[], None], wait: float | None = None) -> AbstractContextManager[object]:
        """Hold the lock of `key` against other threads and processes; `on_wait` is called before a wait.

        Raises:
            TimeoutError: another holds it for longer than `wait` seconds (`WAIT`, if None).
        """
        path = os.path.join(self.folder, _LOCKS, f"{key}.lock")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return acquire(path, WAIT if wait is None else wait, on_wait)

    def _url(self, identity: str) -> str:
        return os.path.join(self.folder, _URLS, key_of(identity))

    @contextlib.contextmanager
    def _new(self, kind: str) -> Iterator[str]:
        """A path for something new. After an error it is deleted, and an error of the system names the cache."""
        new = os.path.join(self.folder, kind, f"{_UNFINISHED}{os.urandom(8).hex()}")
        try:
            yield new
        except BaseException as error:
            delete(new)
            if isinstance(error, OSError) and error.strerror and not error.filename:
                error.filename = self.folder
            raise


def open_cache(folder: str | None = None, *, own: bool = False) -> Cache:
    """The cache in `folder` (the user's, if None), or in a temporary one where that can't be used."""
    try:
        folder = os.path.abspath(folder or cache_folder())
        # It may hold private repositories.
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not is_own_folder(folder):
            raise PermissionError(folder)
        for name in (_GIT, _ARCHIVES, _URLS, REGISTRY, _TREES, _LOCKS):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
            if not os.access(os.path.join(folder, name), os.W_OK | os.X_OK):
                raise PermissionError(folder)
        return Cache(folder, [] if own else None)
    except OSError:
        import atexit
        import tempfile

        folder = tempfile.mkdtemp(prefix="skillbag-")
        log_step("can't use the user's cache, so this run has one of its own in {}", folder)
        atexit.register(delete, folder)
        return open_cache(folder, own=own)


def touch(path: str) -> None:
    """Mark a file as used, for `prune`."""
    with contextlib.suppress(OSError):
        os.utime(path)


def prune(folder: str, days: int = 0) -> None:
    """Delete everything from the cache in `folder` that was not used in the last `days` days."""
    before = time.time() - days * _DAY
    cache = Cache(folder)
    for kind in (_GIT, _TREES, _ARCHIVES, _URLS, REGISTRY):
        names = os.listdir(os.path.join(folder, kind)) if os.path.isdir(os.path.join(folder, kind)) else []
        for name in sorted({name.removesuffix(_HASH) for name in names}):
            path = os.path.join(folder, kind, name)
            if name.startswith((_UNFINISHED, REMOVED)):
                # A running process may still use a recent one.
                _prune(path, path, min(before, time.time() - WAIT))
            elif kind == _GIT:
                with contextlib.suppress(TimeoutError), cache.held(name, lambda: None, wait=0):
                    _prune(path, os.path.join(path, "HEAD"), before)
            else:
                _prune(path, path + _HASH if kind == _TREES else path, before)


def _prune(path: str, used: str, before: float) -> None:
    """Delete `path` and its mark `used`, unless the mark was touched after `before`."""
    with contextlib.suppress(FileNotFoundError):
        if os.lstat(used).st_mtime > before:
            return
    for unused in {path, used}:
        remove(unused)


def sha256_of(path: str) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()
