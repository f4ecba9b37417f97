"""`.skillbag/` in a workspace, with the staged files, the journal and the backups of transactions.

    .skillbag/.gitignore                  `*`: git ignores all of it
    .skillbag/transaction/new, old/NNNN   what step NNNN places, and what it displaced
    .skillbag/transaction/<phase>         the journal, see `JournalPhase`
    .skillbag/backup/<name>-<n>           backups

Other kinds of root have another name for `transaction/` (`locations.Locations`). The folder is deleted when it holds no
backup. No link is followed, to write or to delete.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from skillbag.kernel.fs import durable
from skillbag.kernel.fs.atomic import RefusedWriteError, move
from skillbag.kernel.fs.changes import write_new
from skillbag.kernel.fs.locking import acquire
from skillbag.kernel.fs.read import is_within, read
from skillbag.kernel.transaction import begun
from skillbag.kernel.transaction.locations import (
    CHECKED_FOLDER,
    IGNORE,
    STORE,
    WORKSPACE,
    BadJournalError,
    BusyError,
    Locations,
)
from skillbag.kernel.transaction.steps import is_of_agent
from skillbag.kernel.transaction.trees import delete, move_away
from skillbag.kernel.workspace.tree import PRUNED

_IGNORED = b"*\n"
_LARGEST = 1 << 26
"""Bytes of a journal; ours take about 300 for each step."""


class JournalPhase(StrEnum):
    """The progress of a transaction, stored as the name of its journal: a rename is atomic and needs no space.

    Without a journal the workspace is whole, and the staged files can be deleted.
    """

    FORWARD = "journal.json"
    BACK = "rollback.json"
    CLEANUP = "cleanup.json"


_DIGITS = 10
"""Of a number in the name of a backup; a longer one is none of ours."""


@dataclass(frozen=True, slots=True)
class TransactionStore:
    """The `.skillbag/` of the root with this real path; it need not exist."""

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
    def lock(self) -> str:
        """The lock in `stage`, held by the process that works on it."""
        return os.path.join(self.stage, "writer.lock")

    @property
    def backups(self) -> str:
        """`.skillbag/backup`, absolute."""
        return os.path.join(self.root, STORE, "backup")

    @property
    def skill_root(self) -> str:
        """`.skills`, absolute; the root itself where that is the folder of skills."""
        return os.path.join(self.root, self.locations.skills) if self.locations.skills else self.root

    def target(self, path: str) -> str:
        """The absolute path of a step's path."""
        return os.path.join(self.root, *path.split("/"))

    def new(self, number: int) -> str:
        """Where step `number` stages what it places."""
        return os.path.join(self.stage, "new", f"{number:04}")

    def old(self, number: int) -> str:
        """Where step `number` moves what it displaces."""
        return os.path.join(self.stage, "old", f"{number:04}")

    def check(self) -> None:
        """Check that all moves stay within the root and on one file system.

        Raises:
            RefusedWriteError: one of our folders is a link or no folder, or is on another file system.
        """
        devices = {}
        for folder in (self.folder, self.stage, self.backups, *(os.path.join(self.stage, n) for n in ("new", "old"))):
            with contextlib.suppress(FileNotFoundError):
                status = os.lstat(folder)
                if not stat.S_ISDIR(status.st_mode):
                    raise _refused(folder, "refused: skillbag keeps a folder of its own here; move away what this is")
                devices[folder] = status.st_dev
        if self.locations.skills and os.path.lexists(self.skill_root):
            self._check_skill_root()
            devices[self.skill_root] = os.stat(self.skill_root).st_dev
        for folder, device in devices.items():
            if device != os.stat(self.root).st_dev:
                other = f"refused: it is on another file system than the {self.locations.root}"
                raise _refused(folder, f"{other}, so nothing can be swapped in")

    def _check_skill_root(self) -> None:
        """`.skills/` must be a folder, or a link to one within the workspace that no other tool manages."""
        real = os.path.realpath(self.skill_root)
        if real == self.root or not is_within(self.root, real):
            raise _refused(self.skill_root, "refused: it is a link that leads out of the workspace, or to its root")
        if not os.path.isdir(real) or not PRUNED.isdisjoint(os.path.relpath(real, self.root).split(os.sep)):
            raise _refused(self.skill_root, "refused: this must be a folder for skills")

    def check_parents(self, paths: Iterable[str]) -> None:
        """Check that the parents of these paths (relative, with `/`) are folders, and no links, or do not exist yet.

        Those of a workspace's own files and `.skills/` are left to `check`.
        """
        checked = (path for path in paths if self.locations == CHECKED_FOLDER or is_of_agent(path, self.locations))
        for folder in {os.path.dirname(self.target(path)) for path in checked}:
            while not os.path.lexists(folder):
                folder = os.path.dirname(folder)
            if os.path.realpath(folder) != folder or not os.path.isdir(folder):
                raise _refused(folder, "refused: a folder is needed here, not a link to one")

    def begin(self) -> None:
        """Claim the root for a new transaction by making `stage`.

        Raises:
            FileExistsError: another transaction is in progress, or what an earlier one left can't be deleted.
        """
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(self.folder)
            with contextlib.suppress(FileExistsError):
                write_new(os.path.join(self.folder, IGNORE), _IGNORED)
            begun.remember(self.stage)
            os.mkdir(self.stage)
        except FileExistsError as error:
            begun.forget(self.stage)
            message = "another change is in progress, or an earlier one has left this; delete it if there is none"
            raise FileExistsError(error.errno, message, self.stage) from error
        except OSError:
            begun.forget(self.stage)
            with contextlib.suppress(OSError):
                self.tidy()
            raise

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Exclude other processes from the staged files within the block.

        The writer lock excludes processes with the same state folder; this one also other users and containers.
        """
        try:
            lock = acquire(self.lock)
        except TimeoutError as error:
            message = f"another process is changing this {self.locations.root}; wait until it has ended"
            raise BusyError(f"{self.root}: {message}, and run the command again") from error
        with lock:
            yield

    def phase(self) -> JournalPhase | None:
        """The phase of the transaction whose journal is there; None without a journal."""
        found = [phase for phase in JournalPhase if os.path.lexists(os.path.join(self.stage, phase))]
        if len(found) > 1:
            raise BadJournalError(f"{' and '.join(found)} both exist")
        return found[0] if found else None

    def write_journal(self, data: bytes) -> None:
        """Write the journal durably: from then on the transaction is completed or rolled back, even after a crash."""
        temporary = os.path.join(self.stage, "journal.tmp")
        write_new(temporary, data)
        durable.sync(temporary)
        begun.remember(self.stage, data)
        move(temporary, os.path.join(self.stage, JournalPhase.FORWARD))
        self.sync_journal()

    def sync_journal(self) -> None:
        """Make the name of the journal, and the folders above it, durable."""
        for folder in (self.stage, self.folder, self.root):
            durable.sync(folder)

    def read_journal(self, phase: JournalPhase) -> bytes:
        """The bytes of the journal."""
        path = os.path.join(self.stage, phase)
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise BadJournalError(f"it is not a file of at most {_LARGEST} bytes")
        with open(path, "rb") as file:
            return file.read()

    def mark(self, phase: JournalPhase, then: JournalPhase) -> None:
        """Go from one phase to the next."""
        move(os.path.join(self.stage, phase), os.path.join(self.stage, then))

    def sync_swap(self, paths: Iterable[str]) -> None:
        """Make the renames of a swap durable; `paths` are its targets, relative to the root."""
        folders = [os.path.join(self.stage, "new"), os.path.join(self.stage, "old"), self.root, self.skill_root]
        parts = (path.split("/")[:-1] for path in paths)
        folders += (os.path.join(self.root, *each[:end]) for each in parts for end in range(1, len(each) + 1))
        for folder in dict.fromkeys(folders):
            if os.path.isdir(folder):
                durable.sync(folder)

    def keep(self, path: str, name: str) -> str:
        """Move what is at the absolute `path` to the backups, as `<name>-<n>`; its path, relative to the root."""
        with contextlib.suppress(FileExistsError):
            os.mkdir(self.backups)
        # Above all others: the order of the numbers is that of time.
        ends = (entry.removeprefix(f"{name}-") for entry in os.listdir(self.backups) if entry.startswith(f"{name}-"))
        number = 1 + max((int(end) for end in ends if end.isdecimal() and len(end) < _DIGITS), default=0)
        move_away(path, os.path.join(self.backups, f"{name}-{number}"))
        durable.sync(self.backups)
        return f"{STORE}/backup/{name}-{number}"

    def end(self) -> None:
        """Delete the journal of a complete transaction; the staged files can be deleted after that."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.stage, JournalPhase.CLEANUP))

    def discard(self) -> None:
        """Delete the stage with its journal, or leave it for the next command if that fails."""
        with contextlib.suppress(OSError):
            self.end()
            delete(self.stage)
            begun.forget(self.stage)
            self.tidy()

    def make_parent(self, path: str) -> None:
        """Make the folder of a path (relative, with `/`) if it is missing."""
        os.makedirs(os.path.dirname(self.target(path)), exist_ok=True)

    def remove_emptied(self, paths: Iterable[str]) -> None:
        """Remove the folders of these paths (relative, with `/`) that are empty, and those above that are so then."""
        for folder in {os.path.dirname(self.target(path)) for path in paths}:
            with contextlib.suppress(OSError):
                while folder != self.root and os.path.realpath(folder) == folder:
                    os.rmdir(folder)
                    folder = os.path.dirname(folder)

    def tidy(self) -> None:
        """Delete `.skillbag/` if it holds no backup."""
        if os.path.islink(self.folder):
            return
        with contextlib.suppress(OSError):
            os.rmdir(self.backups)
        ignore = os.path.join(self.folder, IGNORE)
        if os.listdir(self.folder) == [IGNORE]:
            content = read(ignore, self.folder)
            # A crash may have cut it short.
            if isinstance(content, bytes) and _IGNORED.startswith(content):
                os.unlink(ignore)
        if not os.listdir(self.folder):
            os.rmdir(self.folder)


def _refused(path: str, why: str) -> RefusedWriteError:
    return RefusedWriteError(errno.EPERM, why, path)
