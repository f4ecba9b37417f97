"""`.skillbag/` in a workspace: where a change is staged, where its journal lies, where what it displaced is kept.

    .skillbag/.gitignore                  `*`: nothing of it is the repository's
    .skillbag/transaction/new, old/NNNN   what step NNNN puts, and what it displaced
    .skillbag/transaction/<phase>         the journal, see `Phase`
    .skillbag/backup/<name>-<n>           what is kept

In a mere folder of skills it is `.skillbag/skills/` instead of `transaction/` (`locations.Locations`). The whole folder
goes when nothing is kept in it. Nothing here follows a link: not to write, not to delete.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from skillbag.fs.atomic import RefusedWriteError
from skillbag.fs.read import is_within, read
from skillbag.transaction import durable
from skillbag.transaction.copying import write_new
from skillbag.transaction.errors import BadJournalError, BusyError
from skillbag.transaction.locations import IGNORE, STORE, WORKSPACE, Locations
from skillbag.transaction.moving import delete, move_away
from skillbag.workspace.tree import PRUNED

_IGNORED = b"*\n"
_LARGEST = 1 << 26
"""Bytes of a journal; ours take about 300 for each step."""


class Phase(StrEnum):
    """How far a change has come, stored as the name of its journal: a rename is atomic and needs no space.

    Without a journal the workspace is untouched or whole again, and the staged files can be deleted.
    """

    FORWARD = "journal.json"
    BACK = "rollback.json"
    CLEANUP = "cleanup.json"


@dataclass(frozen=True, slots=True)
class Store:
    """The `.skillbag/` of the workspace (or of what `locations` says) whose real path is `root`; it need not exist."""

    root: str
    locations: Locations = WORKSPACE

    @property
    def folder(self) -> str:
        """`.skillbag`, absolute."""
        return os.path.join(self.root, STORE)

    @property
    def stage(self) -> str:
        """`.skillbag/transaction`, absolute."""
        return os.path.join(self.root, STORE, self.locations.stage)

    @property
    def backups(self) -> str:
        """`.skillbag/backup`, absolute."""
        return os.path.join(self.root, STORE, "backup")

    @property
    def skill_root(self) -> str:
        """`.skills`, absolute; the root itself where that is the folder of skills."""
        return os.path.join(self.root, self.locations.skills) if self.locations.skills else self.root

    def target(self, path: str) -> str:
        """The absolute path of a step's target."""
        return os.path.join(self.root, *path.split("/"))

    def new(self, number: int) -> str:
        """Where step `number` stages what it puts."""
        return os.path.join(self.stage, "new", f"{number:04}")

    def old(self, number: int) -> str:
        """Where step `number` moves what it displaces."""
        return os.path.join(self.stage, "old", f"{number:04}")

    def check(self) -> None:
        """See to it that all that is moved here stays in the root, on one file system.

        Raises:
            RefusedWriteError: a link leads elsewhere, something else stands where a folder of ours is, or another file
                system is mounted there.
        """
        device = os.stat(self.root).st_dev
        for folder in (self.folder, self.stage, self.backups, *(os.path.join(self.stage, n) for n in ("new", "old"))):
            with contextlib.suppress(FileNotFoundError):
                status = os.lstat(folder)
                if not stat.S_ISDIR(status.st_mode):
                    raise _refused(folder, "refused: skillbag keeps a folder of its own here; move away what this is")
                self._check_device(folder, status.st_dev, device)
        if self.locations.skills and os.path.lexists(self.skill_root):
            _check_skill_root(self.root, self.skill_root)
            self._check_device(self.skill_root, os.stat(self.skill_root).st_dev, device)

    def _check_device(self, folder: str, device: int, expected: int) -> None:
        if device != expected:
            message = (
                f"refused: it is on another file system than the {self.locations.root}, so nothing can be swapped in"
            )
            raise _refused(folder, message)

    def check_ways(self, paths: Iterable[str]) -> None:
        """See to it that the way to each of the paths (relative, with `/`) is one of folders, without a link.

        Raises:
            RefusedWriteError: one leads through a link, or through what is no folder.
        """
        for folder in {os.path.dirname(self.target(path)) for path in paths}:
            if os.path.realpath(folder) != folder or not os.path.isdir(folder):
                raise _refused(folder, "refused: a folder is needed here, and no link to one")

    def begin(self) -> None:
        """Claim the root for a new change, which is to be staged in `stage`.

        Raises:
            FileExistsError: another change is under way, or what an earlier one left can't be deleted.
            OSError: what the system says.
        """
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.folder)
            with contextlib.suppress(FileExistsError):
                write_new(os.path.join(self.folder, IGNORE), _IGNORED)
            os.mkdir(self.stage)
        except FileExistsError as error:
            message = (
                "another change is under way, or what one has left can't be deleted; delete it if you know of none"
            )
            raise FileExistsError(error.errno, message, self.stage) from error
        except OSError:
            with contextlib.suppress(OSError):
                self.tidy()
            raise

    def make_stage(self) -> None:
        """Make the folders in `stage`."""
        for name in ("new", "old"):
            os.mkdir(os.path.join(self.stage, name))

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Within the block no other process works on the staged files.

        The writer lock excludes processes with the same state folder; this one also other users and containers.

        Raises:
            BusyError: another process does.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(os.path.join(self.stage, "writer.lock"))
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            message = f"another process is changing this {self.locations.root}; wait until it has ended"
            raise BusyError(f"{self.root}: {message}, and run the command again") from error
        try:
            yield
        finally:
            lock.release()

    def phase(self) -> Phase | None:
        """How far the change has come whose journal is there.

        Raises:
            BadJournalError: there are several journals.
        """
        found = [phase for phase in Phase if os.path.lexists(os.path.join(self.stage, phase))]
        if len(found) > 1:
            raise BadJournalError(f"{' and '.join(found)} are both there")
        return found[0] if found else None

    def write_journal(self, data: bytes) -> None:
        """The point from which a change is carried out, whatever happens: all that is staged is durable by now."""
        temporary = os.path.join(self.stage, "journal.tmp")
        write_new(temporary, data)
        durable.sync(temporary)
        os.rename(temporary, os.path.join(self.stage, Phase.FORWARD))
        self.sync_journal()

    def sync_journal(self) -> None:
        """Make the name of the journal, and the way to it, durable."""
        for folder in (self.stage, self.folder, self.root):
            durable.sync(folder)

    def read_journal(self, phase: Phase) -> bytes:
        """The bytes of the journal.

        Raises:
            BadJournalError: it is no file of a sensible size.
            OSError: it can't be read.
        """
        path = os.path.join(self.stage, phase)
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise BadJournalError("it is no file of a sensible size")
        with open(path, "rb") as file:
            return file.read()

    def mark(self, phase: Phase, then: Phase) -> None:
        """Go on from one phase to the next."""
        os.rename(os.path.join(self.stage, phase), os.path.join(self.stage, then))

    def sync_places(self, paths: Iterable[str]) -> None:
        """Make the renames of a swap durable; `paths` are its targets, relative to the root."""
        locations = [os.path.join(self.stage, "new"), os.path.join(self.stage, "old"), self.root, self.skill_root]
        locations += (os.path.dirname(self.target(path)) for path in paths)
        for place in dict.fromkeys(locations):
            if os.path.isdir(place):
                durable.sync(place)

    def keep(self, path: str, name: str) -> str:
        """Move what is at the absolute `path` to the backups, as `<name>-<n>`; its path, relative to the root."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.backups)
        number = 1
        while os.path.lexists(os.path.join(self.backups, f"{name}-{number}")):
            number += 1
        move_away(path, os.path.join(self.backups, f"{name}-{number}"))
        durable.sync(self.backups)
        return f"{STORE}/backup/{name}-{number}"

    def end(self) -> None:
        """Delete the journal of a complete change; the staged files can be deleted after that."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.stage, Phase.CLEANUP))

    def discard(self) -> None:
        """Delete the stage with its journal; what can't be deleted is left for the next command."""
        with contextlib.suppress(OSError):
            self.end()
            delete(self.stage)
            self.tidy()

    def tidy(self) -> None:
        """Delete `.skillbag/` if nothing is kept in it.

        Raises:
            OSError: it can't be deleted.
        """
        if os.path.islink(self.folder):
            return
        with contextlib.suppress(OSError):
            os.rmdir(self.backups)
        ignore = os.path.join(self.folder, IGNORE)
        if os.listdir(self.folder) == [IGNORE] and _IGNORED.startswith(_content(ignore)):
            os.unlink(ignore)
        if not os.listdir(self.folder):
            os.rmdir(self.folder)


def _content(path: str) -> bytes:
    data = read(path, os.path.dirname(path))
    return data if isinstance(data, bytes) else b"?"


def _check_skill_root(root: str, skill_root: str) -> None:
    """`.skills/` is a folder, or a link to one within the workspace that no tool manages."""
    real = os.path.realpath(skill_root)
    if real == root or not is_within(root, real):
        raise _refused(skill_root, "refused: it is a link that leads out of the workspace, or to its root")
    if not os.path.isdir(real) or not PRUNED.isdisjoint(os.path.relpath(real, root).split(os.sep)):
        raise _refused(skill_root, "refused: a folder for skills is needed here, and this is none")


def _refused(path: str, why: str) -> RefusedWriteError:
    return RefusedWriteError(errno.EPERM, why, path)
