"""The folders of a case: its workspace, the sources beside it, and the comparison with the disk at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping

from skillbag.fleet.conformance.case import ConformanceCase
from skillbag.fleet.conformance.matching import JsonObject, mismatches
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.changes import write_through
from skillbag.kernel.fs.read import read


class CaseFolder:
    """A case's files in a folder of its own: `workspace`, `scratch` for the driver, and the sources, side by side.

    Paths of a case count from the workspace; `../utils` is a source.
    """

    def __init__(self, case: ConformanceCase, folder: str) -> None:
        """Make the files that the case begins with in the empty `folder`."""
        self.workspace = os.path.join(folder, "workspace")
        self.scratch = os.path.join(folder, "scratch")
        os.mkdir(self.workspace)
        os.mkdir(self.scratch)
        self._written: dict[str, bytes] = {}
        for source, texts in case.sources.items():
            self.write({f"../{source}/{path}": data for path, data in texts.items()})
        self.write(case.files)
        for path, target in case.links.items():
            os.makedirs(os.path.dirname(self._at(path)), exist_ok=True)
            os.symlink(target, self._at(path))
            self._written[path] = _link(target)
        for place, tracked in case.repositories.items():
            self._make_repository(place, tracked)

    def write(self, contents: Mapping[str, bytes]) -> None:
        """Write files, with their folders. Another text of the same length keeps the file's time."""
        for path, data in contents.items():
            place = self._at(path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            times = _times_to_keep(place, data)
            write_through(place, data)
            if times:
                os.utime(place, ns=times)
        self._written.update(contents)

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with its contents; it may be gone already."""
        place = self._at(path)
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place)
        elif os.path.lexists(place):
            os.unlink(place)
        for gone in self._below(path):
            del self._written[gone]

    def take(self) -> None:
        """Take the workspace's files as they are now for what the kit has written: the driver was to write some."""
        found = {os.path.relpath(place, self.workspace): self._content(place) for place in _paths(self.workspace)}
        self._written.update({path.replace(os.sep, "/"): data for path, data in found.items()})

    def faults(self, after: JsonObject) -> Iterator[str]:
        """A line for each path that is not what the case expects at the end."""
        for path, expected in after.items():
            if expected == "unchanged":
                yield from self._changes(path)
            elif expected == "absent":
                yield from mismatches({"absent": True}, self._text(path), path)
            else:
                yield from mismatches(expected, self._text(path), path)

    def _at(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.workspace, path))

    def _below(self, path: str) -> list[str]:
        inside = self._at(path) + os.sep
        return [written for written in self._written if (self._at(written) + os.sep).startswith(inside)]

    def _changes(self, path: str) -> Iterator[str]:
        """A line for each file at or below the path that is not as the kit wrote it."""
        expected = {self._at(written): self._written[written] for written in self._below(path)}
        found = {place: self._content(place) for place in _paths(self._at(path))}
        for place in sorted({*expected, *found}):
            if expected.get(place) != found.get(place):
                what = "is new" if place not in expected else "is gone" if place not in found else "was changed"
                name = os.path.relpath(place, self.workspace).replace(os.sep, "/")
                yield f"{name}: expected it unchanged, but it {what}"

    def _text(self, path: str) -> str | None:
        """The text of a file, the names in a folder, or None where neither is."""
        place = self._at(path)
        if not os.path.lexists(place):
            return None
        if os.path.isdir(place):
            return "".join(f"{name}\n" for name in sorted(os.listdir(place)))
        return self._content(place).decode("utf-8", "replace")

    def _content(self, place: str) -> bytes:
        if os.path.islink(place):
            return _link(os.readlink(place))
        # A driver may have put anything there: do not block, and do not read too much.
        data = read(place, os.path.dirname(place))
        return data if isinstance(data, bytes) else f"unreadable: {data.reason}".encode()

    def _make_repository(self, place: str, tracked: Iterable[str]) -> None:
        # Git must not take the repository of a hook that this may run in.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        for arguments in (["init", "-q"], ["add", "-f", "--", *tracked]):
            command = ["git", "-C", self._at(place), *arguments]
            done = subprocess.run(command, check=False, capture_output=True, env=environment)
            if done.returncode:
                raise UserError(f"git made no repository for a case: {done.stderr.decode('utf-8', 'replace').strip()}")


def _times_to_keep(place: str, data: bytes) -> tuple[int, int] | None:
    """The times of a file whose new contents have the old length, so that only a comparison of contents sees it."""
    if not os.path.isfile(place) or os.path.getsize(place) != len(data):
        return None
    with open(place, "rb") as handle:
        status = os.stat(place)
        return None if handle.read() == data else (status.st_atime_ns, status.st_mtime_ns)


def _link(target: str) -> bytes:
    return b"link to " + os.fsencode(target)


def _paths(place: str) -> Iterator[str]:
    """Each file and link at or below a place; what git keeps is left out."""
    if os.path.islink(place) or not os.path.isdir(place):
        yield from [place] if os.path.lexists(place) else []
        return
    for current, folders, names in os.walk(place):
        links = [name for name in folders if os.path.islink(os.path.join(current, name))]
        folders[:] = [name for name in folders if name != ".git"]
        yield from (os.path.join(current, name) for name in (*names, *links))
