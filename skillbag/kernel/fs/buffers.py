"""The disk as it would be if open documents were saved: their contents, and the folders that only they need.

`other_disk.looking_at` makes the answers of `fs.tracked` and `fs.read` those of such a disk. They have stamps, so that
results about it can be kept like those about the disk itself.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence

from skillbag.kernel.fs.past import PastEntry, mode_on_disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Entry = os.DirEntry[str] | PastEntry

_FOLDER = stat.S_IFDIR | 0o755
_FILE = stat.S_IFREG | 0o644


class Buffers:
    """`contents` has the bytes of open documents by absolute path. Those that could not be saved are left out.

    An instance is for one moment: what is on the disk beside it is examined only once.
    """

    is_stamped: Literal[True] = True
    """Answers have stamps."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents: dict[str, bytes] = {}
        self._added: dict[str, dict[str, int]] = {}
        self._real: dict[str, str] = {}
        for path, content in contents.items():
            place = os.path.realpath(path)
            mode = mode_on_disk(place)
            if stat.S_ISREG(mode) or (mode == 0 and self._add(place)):
                self._contents[place] = content

    def _add(self, place: str) -> bool:
        """Note a file that is not on the disk, with the folders that it needs; whether that is possible."""
        steps = [(place, _FILE)]
        folder = os.path.dirname(place)
        while (mode := mode_on_disk(folder)) == 0:
            steps.append((folder, _FOLDER))
            folder = os.path.dirname(folder)
        if not stat.S_ISDIR(mode):
            return False
        for path, kind in steps:
            above, name = os.path.split(path)
            self._added.setdefault(above, {})[name] = kind
        return True

    def differs(self, path: str) -> bool:
        """Whether a file is open."""
        return self._place(path) in self._contents

    def content(self, place: str) -> bytes:
        """The bytes of an open document, by its real path."""
        return self._contents[place]

    def real(self, path: str) -> str:
        """The real path; one that does not exist yet is where it will be."""
        return os.path.realpath(path)

    def mode(self, path: str) -> int:
        """The type and mode of a path, not of a link's target; 0 for nothing."""
        return mode_on_disk(path) or self._mode_added(path)

    def kinds(self, path: str) -> tuple[int, int]:
        """The type of a path, and that of its link's target; 0 for nothing."""
        mode = mode_on_disk(path)
        if not stat.S_ISLNK(mode):
            return (stat.S_IFMT(mode or self._mode_added(path)),) * 2
        real = os.path.realpath(path)
        return stat.S_IFMT(mode), stat.S_IFMT(mode_on_disk(real) or self._mode_added(real))

    def link(self, path: str) -> str | None:
        """The text of the link at `path`; None where there is none."""
        try:
            return os.readlink(path)
        except (OSError, ValueError):
            return None

    def entries(self, folder: str) -> Sequence[Entry]:
        """The entries of a folder; an error as by `os.scandir`."""
        added = self._added and self._added.get(self._folder(folder))
        if not added:
            with os.scandir(folder) as children:
                return [*children]
        try:
            with os.scandir(folder) as children:
                found: list[Entry] = [*children]
        except FileNotFoundError:
            found = []
        return [*found, *(PastEntry(folder, name, mode, mode) for name, mode in added.items())]

    def added(self, folder: str) -> str:
        """The names in a folder that are not on the disk."""
        found = self._added and self._added.get(self._folder(folder))
        return repr(sorted(found.items())) if found else ""

    def state(self, path: str) -> bytes | None:
        """What decides what is read at a path: the bytes of an open document and its real path; None for the disk."""
        place = self._place(path)
        if place not in self._contents:
            if not os.path.islink(path):
                return None
            # The link's own place says nothing of the file that it leads to.
            place = os.path.realpath(path)
        content = self._contents.get(place)
        return None if content is None else content + os.fsencode(place)

    def _mode_added(self, path: str) -> int:
        if not self._added:
            return 0
        folder, name = os.path.split(self._place(path))
        return self._added.get(folder, {}).get(name, 0)

    def _place(self, path: str) -> str:
        """The path with the real folder that holds it."""
        folder, name = os.path.split(path)
        if name in ("", ".", ".."):
            return os.path.realpath(path)
        return os.path.join(self._folder(folder), name)

    def _folder(self, folder: str) -> str:
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return self._real[folder]
