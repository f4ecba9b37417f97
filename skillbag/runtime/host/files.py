"""Files that a skill reads and writes: its own and the workspace's, and nothing else (skill runtime, section 7.2).

A relative path counts from the skill's folder and, where nothing is there, from the workspace; an absolute one must lie
in one of the two. `..` is refused. What is opened is what was checked (`kernel/fs/confined.py`).

Writes go to the workspace alone. `skillbag.lock`, `.skills/` and the skill's own folder are never written: the lock and
the user's approvals hold for the content of installed skills. Nor are folders of version control, whose hooks and
settings name programs that run later. What else steers agents and other programs (`lint/signals/steering.py`) is
written where the manifest names it: the question of approval shows that.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator
from typing import NamedTuple

from skillbag.kernel.fs.confined import NoRegularFileError, OutsideError, TooLargeError, read_beneath
from skillbag.kernel.fs.folded_names import folded
from skillbag.kernel.fs.without_links import Item, LinkError, list_folder, write_beneath
from skillbag.lint.signals.steering import objection
from skillbag.runtime.errors import BadParametersError, NotFoundError, RuntimeFaultError
from skillbag.supply.sources.entry import quoted

LARGEST = 10 << 20
"""Largest file that is read or written, in bytes (10 MiB)."""

MAX_ITEMS = 10_000
"""Most names that one listing gives."""


class HostFolders(NamedTuple):
    """The real folders of the skill and of the workspace, if there is one. `live` is the skill's folder that users and
    models know, where `skill` is a copy of it."""

    skill: str
    workspace: str | None
    live: str = ""


class HostPath(NamedTuple):
    """Names below one of the folders; none for the folder itself."""

    folder: str
    names: tuple[str, ...]

    @property
    def path(self) -> str:
        """The absolute path."""
        return os.path.join(self.folder, *self.names)


def read_file(places: HostFolders, path: str) -> str:
    """The text of a file of the skill, or else of the workspace.

    Raises:
        BadParametersError: the path leads out. NotFoundError: there is no such file.
        RuntimeFaultError: it is no readable UTF-8 text of at most `LARGEST` bytes.
    """
    for place in candidates(places, path):
        try:
            return _text(path, read_beneath(place.folder, "/".join(place.names), LARGEST))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise _fault(path, error) from error
    raise _missing(places, path)


def load_file(places: HostFolders, path: str) -> str:
    """The text of one of the skill's own files. Raises as `read_file`."""
    return read_file(places._replace(workspace=None), path)


def list_dir(places: HostFolders, path: str) -> list[Item]:
    """What is in a folder of the skill, or else of the workspace, sorted by name; no link is followed.

    Raises:
        As `read_file`; RuntimeFaultError: it has more than `MAX_ITEMS` names.
    """
    for place in candidates(places, path):
        try:
            items = list_folder(place.folder, place.names)
        except (FileNotFoundError, NotADirectoryError) as error:
            if os.path.lexists(place.path):
                raise RuntimeFaultError(f"{quoted(path)} is not a folder; read it with read_file") from error
            continue
        except OSError as error:
            raise _fault(path, error) from error
        if len(items) > MAX_ITEMS:
            raise RuntimeFaultError(f"{quoted(path)} has more than {MAX_ITEMS:,} entries; name a folder in it")
        return items
    raise _missing(places, path)


def write_file(places: HostFolders, path: str, content: str, steering_files: Collection[str] = ()) -> None:
    """Write a text into a file of the workspace, whole or not at all; missing folders are made, no link is followed.

    `steering_files` are those of the manifest.

    Raises:
        BadParametersError: the path leads out, or the text is too long.
        RuntimeFaultError: it is protected (see the module), or can't be written.
    """
    if places.workspace is None:
        raise RuntimeFaultError("files are written in a workspace only, and there is none")
    place = next(candidates(HostFolders(places.workspace, None), path))
    if not place.names:
        raise BadParametersError(f"{quoted(path)} is the workspace itself; name a file in it")
    _check_writable(places, place, path, steering_files)
    data = content.encode("utf-8")
    if len(data) > LARGEST:
        raise BadParametersError(f"the content is longer than {LARGEST >> 20} MiB, the most that is written")
    try:
        write_beneath(place.folder, place.names, data)
    except LinkError as error:
        raise RuntimeFaultError(f"{quoted(path)} leads through a link, and no link is written through") from error
    except OSError as error:
        raise _fault(path, error) from error


def candidates(places: HostFolders, path: str) -> Iterator[HostPath]:
    """The places that `path` may mean, the skill's first; the disk is not read.

    Raises:
        BadParametersError: none; the path leads out.
    """
    if not path or ".." in path.split("/"):
        raise BadParametersError(f"{quoted(path)} is no path within the skill or the workspace; write it without `..`")
    folders = [folder for folder in (places.skill, places.workspace) if folder is not None]
    if not os.path.isabs(path):
        return (HostPath(folder, _names(path)) for folder in folders)
    named = [(places.live or places.skill, places.skill), *((folder, folder) for folder in folders)]
    inside = [each for each in named if path == each[0] or path.startswith(os.path.join(each[0], ""))]
    if not inside:
        raise BadParametersError(f"{quoted(path)} lies outside of the skill and the workspace")
    return (HostPath(folder, _names(path.removeprefix(top))) for top, folder in inside)


def _names(path: str) -> tuple[str, ...]:
    return tuple(name for name in path.split("/") if name not in ("", "."))


def _check_writable(places: HostFolders, place: HostPath, path: str, steering_files: Collection[str]) -> None:
    if why := objection(place.folder, place.names, steering_files):
        raise RuntimeFaultError(f"{quoted(path)} {why}")
    if _is_in(places.live or places.skill, folded(place.path)):
        raise RuntimeFaultError(f"{quoted(path)} lies in the skill's own folder, which no skill changes")


def _is_in(folder: str, path: str) -> bool:
    return path.startswith(folded(os.path.join(folder, ""))) or path == folded(folder)


def _text(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RuntimeFaultError(f"{quoted(path)} is not UTF-8 text (byte {error.start})") from error


def _missing(places: HostFolders, path: str) -> NotFoundError:
    where = "is not in the skill" if places.workspace is None else "is neither in the skill nor in the workspace"
    return NotFoundError(f"{quoted(path)} {where}")


def _fault(path: str, error: OSError) -> RuntimeFaultError:
    name = quoted(path)
    match error:
        case OutsideError() | LinkError():
            return RuntimeFaultError(f"{name} leads out of the skill and the workspace, or through a link")
        case IsADirectoryError():
            return RuntimeFaultError(f"{name} is a folder; name a file")
        case NoRegularFileError() | OSError(errno=errno.ENXIO):
            return RuntimeFaultError(f"{name} is no regular file but a device, a pipe or a socket")
        case TooLargeError():
            return RuntimeFaultError(f"{name} is larger than {LARGEST >> 20} MiB, the most that is read")
        case OSError(errno=errno.ELOOP):
            return RuntimeFaultError(f"{name} leads through links in a circle, or was replaced by a link just now")
    return RuntimeFaultError(f"{name}: {error.strerror}")
