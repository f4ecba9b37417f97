"""Transactions: changes of several paths that are staged beside them, journalled, then swapped in as one."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable

from skillbag.kernel.fs import durable
from skillbag.kernel.fs.atomic import RefusedWriteError
from skillbag.kernel.fs.changes import write_new
from skillbag.kernel.transaction import swap
from skillbag.kernel.transaction.locations import WORKSPACE, ChangedError, Locations
from skillbag.kernel.transaction.steps import (
    Journal,
    TransactionStep,
    emptying,
    is_file_location,
    is_skill_location,
    render,
)
from skillbag.kernel.transaction.store import TransactionStore
from skillbag.kernel.transaction.trees import copy_tree, move_tree, state_of, state_of_bytes
from skillbag.kernel.workspace.target import SKILL_ROOT


def refuse_link(path: str) -> None:
    """Refuse to replace a link by a file."""
    if os.path.islink(path):
        message = "refused: it is a link, and would become a file; replace the link with the file that it leads to"
        raise RefusedWriteError(errno.EPERM, message, path)


class Transaction:
    """A change of the workspace `root` (or other kind of root), within `writer.writing(root)`.

    `commit` makes all of it or nothing; leaving the context without `commit` deletes the staged files. Paths are
    relative to the root, with `/`, and each may be given once: those of skills (`steps.is_skill_location`) and of files
    (`steps.is_file_location`). The methods raise a RefusedWriteError for any other path.

    Raises:
        RefusedWriteError: `.skills/` or `.skillbag/` leads out of the root, or is on another file system.
        OSError: nothing can be staged here.
    """

    def __init__(self, root: str, locations: Locations = WORKSPACE) -> None:
        self._store = TransactionStore(os.path.realpath(root), locations)
        self._steps: dict[str, TransactionStep] = {}
        self._kept: set[str] = set()
        self._open = contextlib.ExitStack()
        self._store.check()

    def __enter__(self) -> Transaction:
        self._store.begin()
        with contextlib.ExitStack() as opened:
            opened.callback(self._discard)
            for name in ("new", "old"):
                os.mkdir(os.path.join(self._store.stage, name))
            opened.enter_context(self._store.alone())
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _discard(self) -> None:
        # If there is a journal, the next command needs the stage.
        if self._store.phase() is None:
            self._store.discard()

    def put_folder(self, path: str, from_folder: str, *, tree: str, expected: str | None, move: bool = False) -> str:
        """Stage a copy of the skill in `from_folder` (absolute) for `path`; returns the absolute path of the copy.

        `tree` is the hash that the copy must have, `expected` the state (`state.state_of`) of `path`, None for nothing.
        A link at `path` is displaced itself. With `move`, the folder belongs to this run and was just hashed: it is
        moved if possible, since creating files is what takes longest.

        Raises:
            ChangedError: the copy has another hash, as the source has changed.
        """
        number = self._add(path, expected, tree, is_skill_location)
        staged = self._store.new(number)
        if move and move_tree(from_folder, staged):
            return staged
        if copy_tree(from_folder, staged) != tree:
            raise ChangedError(f"{from_folder}: it changed while it was copied, so nothing was written; run again")
        return staged

    def put_file(self, path: str, data: bytes, *, expected: bytes | None, mode: int | None = None) -> None:
        """Stage a file for `path`, which holds `expected` now (None: there is no file). It keeps its permissions unless
        `mode` is given.
        """
        target = self._store.target(path)
        before = None if expected is None else state_of_bytes(expected)
        number = self._add(path, before, state_of_bytes(data), is_file_location)
        refuse_link(target)
        write_new(self._store.new(number), data)
        if mode is not None:
            os.chmod(self._store.new(number), mode)
            return
        with contextlib.suppress(FileNotFoundError):
            os.chmod(self._store.new(number), stat.S_IMODE(os.stat(target).st_mode))

    def remove_file(self, path: str, *, expected: bytes) -> None:
        """Remove the file at `path`, which holds `expected`."""
        self._add(path, state_of_bytes(expected), None, is_file_location)

    def remove(self, path: str, *, expected: str) -> None:
        """Remove the skill at `path`; `expected` as for `put_folder`."""
        self._add(path, expected, None, is_skill_location)

    def back_up(self, path: str) -> None:
        """Keep what is displaced at `path` in `.skillbag/backup/`."""
        self._kept.add(path)

    def commit(self) -> tuple[str, ...]:
        """Make the change durably; the backups that were made (relative to the root).

        A file or folder that was edited just before it was displaced is among them.

        Raises:
            ChangedError: something is not in the expected state; the workspace is as it was.
            RecoveryError: the change failed half-way and could not be rolled back.
            CleanUpError: the change is made, but a backup is not.
            OSError: the system refused; the workspace is as it was.
        """
        if not self._steps:
            return ()
        journal = self._checked()
        durable.sync_tree(self._store.stage)
        try:
            self._store.write_journal(render(journal))
            swap.commit(self._store, journal)
        except BaseException as error:
            # The journal may exist even if writing it raised.
            swap.rollback(self._store, journal, error)
            with contextlib.suppress(OSError):
                self._end(journal)
            raise
        return self._end(journal)

    def _checked(self) -> Journal:
        self._store.check()
        self._store.check_parents(self._steps)
        steps = tuple(step._replace(back_up=step.path in self._kept) for step in self._steps.values())
        for step in steps:
            if state_of(self._store.target(step.path)) != step.before:
                raise swap.changed(step.path, "it has changed since the change was planned")
        has_skills = any(step.path.startswith(f"{SKILL_ROOT}/") for step in steps)
        makes_skill_root = has_skills and not os.path.lexists(self._store.skill_root)
        return Journal(steps, makes_skill_root, os.urandom(16).hex())

    def _end(self, journal: Journal) -> tuple[str, ...]:
        kept = swap.finalize(self._store, journal)
        self._store.remove_emptied(emptying(journal, self._store.locations))
        with contextlib.suppress(OSError):
            self._store.end()
        return kept

    def _add(self, path: str, before: str | None, after: str | None, fits: Callable[[str, Locations], bool]) -> int:
        if not fits(path, self._store.locations):
            message = f"refused: this is no path that a change of a {self._store.locations.root} may write to"
            raise RefusedWriteError(errno.EPERM, message, path)
        if path in self._steps:
            raise ValueError(f"{path}: given twice")
        self._steps[path] = TransactionStep(path, before, after)
        return len(self._steps) - 1
