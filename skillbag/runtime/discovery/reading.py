"""Manifests of skills as discovery needs them, kept while no file changes that they depend on (skill runtime, sections
2 and 16).

Only this process keeps them: parsing a dozen manifests costs less than starting it, so a file of them would not pay.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.kernel.fs.read import has_overlay
from skillbag.kernel.manifest.names import MANIFEST_FILE
from skillbag.kernel.manifest.prompt_skill import prompt_manifest
from skillbag.kernel.manifest.reader import ManifestFile, read_manifest
from skillbag.kernel.manifest.values import Manifest
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.runtime.discovery.skill_folders import ManifestFolder

_MAX = 10_000
"""Manifests that are kept."""

_SETTLED = 100_000_000
"""Nanoseconds without a change after which times that are not coarse are relied on."""

_SETTLED_COARSE = 2_000_000_000
"""The same for times that may be coarse, which are multiples of `_COARSE` nanoseconds."""

_COARSE = 10_000_000


class ReadingFault(NamedTuple):
    """What is wrong with a manifest, and the place in it, from 1; a remark if it is no error."""

    message: str
    line: int
    column: int
    is_error: bool = True


class Reading(NamedTuple):
    """What was read of the manifest at the absolute path `file`; without a `manifest`, some `faults` are errors.

    `instructions` is the body of `SKILL.md`, if there is one and the manifest names no other prompt.
    """

    file: str
    manifest: Manifest | None
    faults: tuple[ReadingFault, ...]
    instructions: str


_Stamp = tuple[int | str, ...]

_NUMBERS = 5
"""Numbers in the stamp of anything but a link."""

_OWN = 3
"""Paths that every manifest depends on: its folder, itself, and the `SKILL.md` beside it."""


class _Kept(NamedTuple):
    """A reading, the time before it, and the paths that it depends on. `stamps` are None until it is asked for again:
    most processes never do."""

    reading: Reading
    begun: int
    paths: tuple[str, ...]
    stamps: tuple[_Stamp, ...] | None


class Readings:
    """The manifests that this process has read, by folder and root."""

    def __init__(self) -> None:
        self._kept: dict[tuple[ManifestFolder, str], _Kept] = {}

    def read(self, folder: ManifestFolder, root: str) -> Reading:
        """Read the manifest of a folder in the tree at the real path `root`; nothing is parsed where nothing has
        changed."""
        key = (folder, root)
        # An overlay has no stamps.
        kept = None if has_overlay() else self._kept.get(key)
        if kept is not None:
            stamps = tuple(map(_stamp, kept.paths))
            if stamps == kept.stamps:
                return kept.reading
            if kept.stamps is None and _are_settled(stamps, kept.begun):
                self._kept[key] = _with_stamps(kept, stamps)
                return kept.reading
        if len(self._kept) >= _MAX:
            self._kept.clear()
        kept = _read(folder, root)
        self._kept[key] = kept
        return kept.reading


def _read(folder: ManifestFolder, root: str) -> _Kept:
    begun = 0 if has_overlay() else time.time_ns()
    directory, name, _ = folder
    read = read_manifest(directory, root) if name == MANIFEST_FILE else prompt_manifest(directory, root, name)
    file = os.path.join(directory, name)
    named = [os.path.join(directory, path) for path in read.files]
    own = (directory, file, os.path.join(directory, SKILL_FILE))
    paths = dict.fromkeys((*named, *map(os.path.dirname, named)))
    return _Kept(_reading(file, read), begun, (*own, *(path for path in paths if path not in own)), None)


def _with_stamps(kept: _Kept, stamps: tuple[_Stamp, ...]) -> _Kept:
    """What was kept, with the stamps to compare from now on.

    Its folders tell whether a file has come or gone; of the files that a valid manifest names, nothing else matters.
    """
    compared = [
        (path, stamp)
        for number, (path, stamp) in enumerate(zip(kept.paths, stamps, strict=True))
        if stamp[0] and (number < _OWN or kept.reading.manifest is None or not _is_regular(stamp))
    ]
    return kept._replace(paths=tuple(path for path, _ in compared), stamps=tuple(stamp for _, stamp in compared))


def _is_regular(stamp: _Stamp) -> bool:
    """Whether the stamp is that of a regular file, and of no link."""
    *_, mode = stamp
    return len(stamp) == _NUMBERS and isinstance(mode, int) and stat.S_ISREG(mode)


def _reading(file: str, read: ManifestFile) -> Reading:
    faults = tuple(ReadingFault(fault.text, *fault.position, fault.is_error) for fault in read.faults)
    return Reading(file, read.manifest, faults, read.instructions)


def _stamp(path: str) -> _Stamp:
    """What changes with a file or folder, or with the answer whether it is there."""
    try:
        status = os.lstat(path)
        found = (status.st_ctime_ns, status.st_mtime_ns, status.st_ino, status.st_size, status.st_mode)
        return found if not stat.S_ISLNK(status.st_mode) else (*_stamp(os.path.realpath(path, strict=True)), *found)
    except (OSError, ValueError) as error:
        return (0, str(error))


def _are_settled(stamps: Iterable[_Stamp], begun: int) -> bool:
    """Whether nothing has changed since shortly before the reading, so that another change would show in a stamp.

    A file that takes the place of another one by renaming may be old, but its folder is not.
    """
    if os.name == "nt":
        # Windows has no time that a program could not set back.
        return False
    times = [moment for moment, *_ in stamps if isinstance(moment, int)]
    fine = all(moment % _COARSE for moment in times if moment)
    return max(times, default=0) <= begun - (_SETTLED if fine else _SETTLED_COARSE)
