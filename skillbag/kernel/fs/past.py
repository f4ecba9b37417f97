"""The disk as it was before some files changed: all others are as they are now.

`other_disk.looking_at` makes the answers of `fs.tracked` and `fs.read` those of a `Past`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping

from skillbag.kernel.base.records import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

_FOLDER = stat.S_IFDIR | 0o755
_MAX_LINKS = 40


class PastEntry:
    """An entry of a folder of the past: what `os.DirEntry` tells of one."""

    def __init__(self, folder: str, name: str, mode: int, target: int) -> None:
        self.name, self.path = name, os.path.join(folder, name)
        self._mode, self._target = mode, target

    def is_symlink(self) -> bool:
        """As of `os.DirEntry`."""
        return stat.S_ISLNK(self._mode)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """As of `os.DirEntry`."""
        return stat.S_ISDIR(self._target if follow_symlinks else self._mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """As of `os.DirEntry`."""
        return stat.S_ISREG(self._target if follow_symlinks else self._mode)


class Past:
    """`changed` has the mode that each changed file had, by its real path; 0 where there was none.

    `content` gives the bytes that such a file had, or its size where it was too large; of a link, its text. Folders are
    not listed: one was there if anything was in it, as git sees it.
    """

    is_stamped: Literal[False] = False
    """Answers have no stamps."""

    def __init__(self, changed: Mapping[str, int], content: Callable[[str], bytes | int]) -> None:
        self.changed = changed
        self.content = content
        self._folders: dict[str, str] = {}
        self._holding: set[str] = set()

    @cached_property
    def _children(self) -> Mapping[str, frozenset[str]]:
        """The names below each folder that lead to a changed file."""
        found: dict[str, set[str]] = {}
        for path in self.changed:
            while True:
                folder, name = os.path.split(path)
                known = found.setdefault(folder, set())
                if name in known or folder == path:
                    break
                known.add(name)
                path = folder
        return {folder: frozenset(names) for folder, names in found.items()}

    @cached_property
    def _has_links(self) -> bool:
        """Whether a changed file is a link, or was one."""
        return any(stat.S_ISLNK(mode) or os.path.islink(path) for path, mode in self.changed.items())

    def differs(self, path: str) -> bool:
        """Whether a file has changed."""
        return self._place(path) in self.changed

    def mode(self, path: str) -> int:
        """The type and mode that a path had, not of a link's target; 0 for nothing."""
        return self._mode(self._place(path))

    def kinds(self, path: str) -> tuple[int, int]:
        """The type that a path had, and that of its link's target; 0 for nothing."""
        found = stat.S_IFMT(self.mode(path))
        return found, stat.S_IFMT(self._mode(self.real(path))) if stat.S_ISLNK(found) else found

    def link(self, path: str) -> str | None:
        """The text that the link at `path` had; None where there was none."""
        return self._link(self._place(path))

    def real(self, path: str) -> str:
        """The real path that `path` had."""
        if not self._has_links:
            return os.path.realpath(path)
        done, left = os.sep, os.path.abspath(path).split(os.sep)[::-1]
        links = 0
        while left:
            name = left.pop()
            if name in ("", "."):
                continue
            done = os.path.dirname(done) if name == ".." else os.path.join(done, name)
            text = self._link(done) if name != ".." else None
            if text is not None and (links := links + 1) <= _MAX_LINKS:
                left += text.split("/")[::-1]
                done = os.sep if text.startswith("/") else os.path.dirname(done)
        return done

    def entries(self, folder: str) -> list[PastEntry]:
        """The entries that a folder had.

        Raises:
            OSError: there was none, or it can't be read.
        """
        place = self._real_folder(folder)
        mode = self._mode(place)
        if not stat.S_ISDIR(mode):
            code = errno.ENOTDIR if mode else errno.ENOENT
            raise OSError(code, os.strerror(code), folder)
        names = ((name, self._mode(os.path.join(place, name))) for name in self._names(place))
        return [self._entry(folder, name, mode) for name, mode in names if mode]

    def _entry(self, folder: str, name: str, mode: int) -> PastEntry:
        target = self.kinds(os.path.join(folder, name))[1] if stat.S_ISLNK(mode) else mode
        return PastEntry(folder, name, mode, target)

    def _place(self, path: str) -> str:
        """The path with the real folder that held it."""
        folder, name = os.path.split(path)
        if name in ("", ".", ".."):
            return self.real(path)
        return os.path.join(self._real_folder(folder), name)

    def _real_folder(self, folder: str) -> str:
        """The real path of a folder, from that of the folder above: a deep tree is asked for at each of its folders."""
        known, missing, upper = self._folders, list[str](), folder
        while upper not in known:
            above, name = os.path.split(upper)
            if name in ("", ".", ".."):
                known[upper] = self.real(upper)
            else:
                missing.append(upper)
                upper = above
        for lower in reversed(missing):
            place = os.path.join(known[os.path.dirname(lower)], os.path.basename(lower))
            known[lower] = place if self._link(place) is None else self.real(place)
        return known[folder]

    def _mode(self, place: str) -> int:
        if place in self.changed:
            return self.changed[place]
        if place not in self._children:
            return mode_on_disk(place)
        return _FOLDER if self._holds_anything(place) else 0

    def _holds_anything(self, place: str) -> bool:
        """Whether there was a file in a real folder, however deep, or anything on the disk that has not changed."""
        if place in self._holding:
            return True
        pending = [(place, self._names(place))]
        while pending:
            folder, names = pending[-1]
            for name in names:
                path = os.path.join(folder, name)
                if path not in self.changed and path in self._children and path not in self._holding:
                    pending.append((path, self._names(path)))
                    break
                if self._mode(path):
                    self._holding.update(folder for folder, _ in pending)
                    return True
            else:
                pending.pop()
        return False

    def _names(self, place: str) -> Iterator[str]:
        """The names in a real folder, now or in the past; those that are sure to have been there first."""
        changed = self._children.get(place, frozenset())
        yield from sorted(changed, key=lambda name: not self.changed.get(os.path.join(place, name), 0))
        try:
            now = os.listdir(place)
        except OSError:
            if not changed:
                raise
            return
        yield from (name for name in now if name not in changed)

    def _link(self, place: str) -> str | None:
        if place in self.changed:
            if not stat.S_ISLNK(self.changed[place]):
                return None
            text = self.content(place)
            return os.fsdecode(text) if isinstance(text, bytes) else None
        try:
            return os.readlink(place)
        except (OSError, ValueError):
            return None


def mode_on_disk(path: str) -> int:
    """The type and mode of a path on the disk, not of a link's target; 0 for nothing."""
    try:
        return os.lstat(path).st_mode
    except (OSError, ValueError):
        return 0
