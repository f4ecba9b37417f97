"""A change of several paths as one: staged beside them, journalled, then swapped in."""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from skillbag.fs.atomic import RefusedWriteError
from skillbag.transaction import durable, swap
from skillbag.transaction.copying import copy_tree, move_tree, write_new
from skillbag.transaction.errors import ChangedError
from skillbag.transaction.locations import CHECKED_FOLDER, WORKSPACE, Locations
from skillbag.transaction.state import state_of, state_of_bytes
from skillbag.transaction.steps import Journal, Step, is_file_location, is_skill_location, render
from skillbag.transaction.store import Store
from skillbag.workspace.target import SKILL_ROOT


class Transaction:
    """A change of the workspace `root` (or of another kind of root), within `writer.writing(root)`: all of it is made
    by `commit`, or nothing.

    Used as a context: leaving it without `commit` deletes what was staged, with the workspace untouched. Paths are
    relative to the root, with `/`, and each is given once: skills (`locations.skill(<name>)`) and the files of
    `steps.is_file_location`.

    Raises:
        RefusedWriteError: `.skills/` or `.skillbag/` leads out of the root, or lies on another file system.
        OSError: nothing can be staged here.
    """

    def __init__(self, root: str, locations: Locations = WORKSPACE) -> None:
        self._store = Store(os.path.realpath(root), locations)
        self._steps: dict[str, Step] = {}
        self._kept: set[str] = set()
        self._open = contextlib.ExitStack()
        self._store.check()

    def __enter__(self) -> Transaction:
        self._store.begin()
        with contextlib.ExitStack() as opened:
            opened.callback(self._discard)
            self._store.make_stage()
            opened.enter_context(self._store.alone())
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _discard(self) -> None:
        # With a journal, the next command needs it.
        if self._store.phase() is None:
            self._store.discard()

    def put_folder(self, path: str, from_folder: str, *, tree: str, expected: str | None, move: bool = False) -> str:
        """Stage a copy of the skill in `from_folder` (absolute) for `path`, in place of what is there.

        With `move` the folder belongs to this run and was hashed just now: it is moved if possible, since creating the
        files takes longer than all the rest.

        `tree` is the hash that the copy must have; `expected` the state (`state.state_of`: a tree hash too, for a
        folder) of what is at the path, None for nothing. A link there is displaced itself, whatever it leads to.
        Returns the absolute path of the staged copy, to be checked before the commit.

        Raises:
            ChangedError: the copy has another hash: the source has changed.
            RefusedWriteError: `path` is no place for a skill.
            OSError: something can't be read or written.
        """
        number = self._add(path, expected, tree, fits=is_skill_location(path, self._store.locations))
        staged = self._store.new(number)
        if move and move_tree(from_folder, staged):
            return staged
        if copy_tree(from_folder, staged) != tree:
            raise ChangedError(f"{from_folder}: it has changed while it was copied, so nothing was written; run again")
        return staged

    def put_file(self, path: str, data: bytes, *, expected: bytes | None, mode: int | None = None) -> None:
        """Stage a file for `path`, in place of one that holds `expected`, or of nothing. It keeps its permissions,
        unless it is given others as `mode`.

        Raises:
            RefusedWriteError: `path` is no place for a file of ours, or a link.
            OSError: it can't be written.
        """
        target = self._store.target(path)
        before = None if expected is None else state_of_bytes(expected)
        number = self._add(path, before, state_of_bytes(data), fits=is_file_location(path, self._store.locations))
        if os.path.islink(target):
            message = "refused: it is a link, and would become a file; put the file that it leads to in its place"
            raise RefusedWriteError(errno.EPERM, message, target)
        write_new(self._store.new(number), data)
        if mode is not None:
            os.chmod(self._store.new(number), mode)
            return
        with contextlib.suppress(FileNotFoundError):
            os.chmod(self._store.new(number), stat.S_IMODE(os.stat(target).st_mode))

    def remove_file(self, path: str, *, expected: bytes) -> None:
        """Take away the file at `path`, which holds `expected`.

        Raises:
            RefusedWriteError: `path` is no place for a file of ours.
        """
        fits = is_file_location(path, self._store.locations)
        self._add(path, state_of_bytes(expected), None, fits=fits)

    def remove(self, path: str, *, expected: str) -> None:
        """Take away what is at `path`; `expected` as for `put_folder`.

        Raises:
            RefusedWriteError: `path` is no place for a skill.
        """
        self._add(path, expected, None, fits=is_skill_location(path, self._store.locations))

    def back_up(self, path: str) -> None:
        """Have what is displaced at `path` kept in `.skillbag/backup/`."""
        self._kept.add(path)

    def commit(self) -> tuple[str, ...]:
        """Make the change: all of it, durably; the backups that were made (relative to the root).

        What is displaced and not what was expected after all, edited at that very moment, is among them.

        Raises:
            ChangedError: something is not what was expected; the workspace is as it was.
            RecoveryError: the change failed half-way and could not be taken back.
            CleanUpError: the change is made, but a backup is not.
            OSError: what the system says; the workspace is as it was.
        """
        if not self._steps:
            return ()
        journal = self._checked()
        durable.sync_tree(self._store.stage)
        try:
            self._store.write_journal(render(journal))
            swap.commit(self._store, journal)
        except BaseException as error:
            # A journal counts as soon as it is there, whatever came of the writing.
            swap.rollback(self._store, journal, error)
            with contextlib.suppress(OSError):
                self._end(journal)
            raise
        return self._end(journal)

    def _checked(self) -> Journal:
        self._store.check()
        if self._store.locations == CHECKED_FOLDER:
            self._store.check_ways(self._steps)
        steps = tuple(step._replace(back_up=step.path in self._kept) for step in self._steps.values())
        for step in steps:
            if state_of(self._store.target(step.path)) != step.before:
                raise swap.changed(step.path, "it is not what it was when the change was planned")
        within = any(step.path.startswith(f"{SKILL_ROOT}/") for step in steps)
        return Journal(steps, makes_skill_root=within and not os.path.lexists(self._store.skill_root))

    def _end(self, journal: Journal) -> tuple[str, ...]:
        kept = swap.finalize(self._store, journal)
        with contextlib.suppress(OSError):
            self._store.end()
        return kept

    def _add(self, path: str, before: str | None, after: str | None, *, fits: bool) -> int:
        if not fits:
            message = f"refused: no change of a {self._store.locations.root} has anything to do here"
            raise RefusedWriteError(errno.EPERM, message, path)
        if path in self._steps:
            raise ValueError(f"{path}: given twice")
        self._steps[path] = Step(path, before, after)
        return len(self._steps) - 1
