"""Bring the links on the disk from the recorded state to the wanted one, path by path: the one program for the links of
projects and of users.

The record names a path before it is made and until after it is removed: after a crash the next `link` or `unlink` finds
it. A file or folder that is not ours is never touched.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.atomic import move
from skillbag.kernel.fs.read import read
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.trees import copy_tree, delete, may_be_deleted
from skillbag.kernel.workspace.agent_links import (
    Links,
    LinkState,
    Shown,
    is_barred,
    is_our_link,
    judge_links,
    link_target,
    skill_folder,
)
from skillbag.kernel.workspace.agents import COPIED
from skillbag.kernel.workspace.lock_file import LOCK, Lock, render_lock
from skillbag.kernel.workspace.placed import record_placed
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.kernel.workspace.tree_hash import LARGEST, tree_files, tree_hash
from skillbag.supply.links.outcome import LinkAct, LinkRow

NOTHING = Links((), False, (), {})
"""The links of a lock that records none."""

_COMING, _GOING = ".skillbag-link.tmp", ".skillbag-link.old"
"""Names, in the folder of an agent, of a folder with the copies that are made, and of a copy that is being deleted."""


class Linking:
    """Brings the disk from the state in the lock to the requested `links`; `links.made` are the existing ones.

    `made` is what of ours may be at each path: the target of a link, or the tree hash of a copy. `folders` were created
    for it, outermost first. Paths are relative to `root`, or absolute.
    """

    moved = "the skill has changed"
    """Why something is made anew."""
    hint = "; skillbag agent link --copy makes copies"
    """What to do where the system makes no link."""

    def __init__(self, root: str, lock: Lock, links: Links, dry_run: bool) -> None:
        self.root = root
        self.lock = lock
        self.links = links
        self.dry_run = dry_run
        self.made: dict[str, tuple[str, ...]] = {
            path: (tree or link_target(path),) for path, tree in links.made.items()
        }
        self.folders = list(links.folders)
        written = read(os.path.join(root, LOCK), root)
        self.written = written if isinstance(written, bytes) else None
        self.staged: dict[str, str] = {}

    def judged(self) -> list[Shown]:
        """The state of each path that is made or wanted, in order."""
        before = self.lock.links or NOTHING
        return list(judge_links(self.root, self.links._replace(copy=before.copy)))

    def is_ours(self, path: str) -> bool:
        """Whether the path is a link that was made here."""
        return is_our_link(self.root, path)

    def target(self, path: str) -> str:
        """The target of the link at a path."""
        return link_target(path)

    def coming(self, shown: Shown) -> tuple[str, ...]:
        """What of ours may be at a path from now on."""
        if shown.state is LinkState.OUTDATED:
            return self.made.get(shown.path, (shown.tree or "",))
        copies = self.links.copies(shown.path)
        return (tree_hash(skill_folder(self.root, shown.path)) if copies else self.target(shown.path),)

    def needed(self) -> Collection[str]:
        """The folders that stay, even if they are empty."""
        return self.links.places

    def write(self) -> None:
        """Write the record, which is the lock."""
        made = {path: self._tree(path) for path in self.made}
        links = Links(self.links.agents, self.links.copy, tuple(self.folders), made)
        lock = self.lock._replace(links=links if links.agents or links.made else None)
        if lock == self.lock:
            return
        self._write_lock(render_lock(lock) if lock.links or lock.skills else None)
        self.lock = lock

    def run(self) -> Iterator[LinkRow]:
        """Process each path, and yield what was done."""
        before = {*(self.lock.links or NOTHING).made}
        paths = self.judged()
        if not self.dry_run:
            # Partial copies of a killed run.
            self._clean(paths)
        self._check_sizes(paths)
        if not self.dry_run:
            self._prepare(paths)
        try:
            for shown in paths:
                yield self._reconcile(shown)
        finally:
            if not self.dry_run:
                self._clean(paths)
        if not self.dry_run:
            copies = {path: tree for path in self.made if (tree := self._tree(path))}
            if known := before | copies.keys():
                record_placed(self.root, {path: copies.get(path) for path in known})
            self._remove_folders()
            self.write()

    def _tree(self, path: str) -> str | None:
        """The tree hash of the copy at a path; None if it is a link."""
        found = self.made[path][-1]
        return None if found == self.target(path) else found

    def _clean(self, paths: Iterable[Shown]) -> None:
        for folder in _folders(paths):
            if not is_barred(self.root, folder):
                _delete(self._full(f"{folder}/{_COMING}"))
                _delete(self._full(f"{folder}/{_GOING}"))

    def _prepare(self, paths: list[Shown]) -> None:
        """Record what is about to be made, and make all copies beside their places; on a full disk all is as before."""
        lock, folders = self.written, self.folders.copy()
        try:
            self._announce([shown for shown in paths if shown.state in (LinkState.MISSING, LinkState.OUTDATED)])
            for shown in filter(self._needs_copy, paths):
                coming = self._coming(shown)
                os.makedirs(os.path.dirname(coming), exist_ok=True)
                self.staged[shown.path] = copy_tree(skill_folder(self.root, shown.path), coming)
        except BaseException:
            with contextlib.suppress(OSError):
                self._clean(paths)
            for folder in reversed(self.folders[len(folders) :]):
                with contextlib.suppress(OSError):
                    os.rmdir(self._full(folder))
            with contextlib.suppress(OSError):
                self._write_lock(lock)
            raise

    def _check_sizes(self, paths: Iterable[Shown]) -> None:
        """Refuse to copy a file that no source may have: a sparse one of a terabyte takes no place until then."""
        for skill in sorted({shown.skill for shown in filter(self._needs_copy, paths)}):
            for entry in tree_files(os.path.join(self.root, SKILL_ROOT, skill)):
                size = os.lstat(entry.path).st_size
                if size > LARGEST:
                    fault = f"a file of {size:,} bytes; at most {LARGEST >> 20} MiB are taken"
                    raise UserError(f"{SKILL_ROOT}/{skill}/{entry.relative}: {fault}")

    def _needs_copy(self, shown: Shown) -> bool:
        was_link = shown.state is LinkState.GOOD and shown.path in self.links.made and shown.tree is None
        return self.links.copies(shown.path) and (was_link or shown.state in (LinkState.MISSING, LinkState.OUTDATED))

    def _coming(self, shown: Shown) -> str:
        folder, _, name = shown.path.rpartition("/")
        return os.path.join(self.root, folder, _COMING, name)

    def _announce(self, coming: list[Shown]) -> None:
        """Record what is about to be made, and make its folders."""
        self.made |= {shown.path: self.coming(shown) for shown in coming}
        for folder in _folders(coming):
            self.folders += reversed([path for path in self._missing(folder) if path not in self.folders])
        self.write()
        for folder in _folders(coming):
            os.makedirs(self._full(folder), exist_ok=True)

    def _missing(self, folder: str) -> Iterator[str]:
        """The folder and those above it that do not exist, innermost first."""
        while folder and not os.path.lexists(self._full(folder)):
            yield folder
            folder = os.path.dirname(folder)

    def _reconcile(self, shown: Shown) -> LinkRow:
        match shown.state:
            case LinkState.FOREIGN:
                self.made.pop(shown.path, None)
                return _row(shown, LinkAct.LEFT, "something else is here")
            case LinkState.EDITED:
                why = f"it differs from the copy in {LOCK}; take edits over into the skill, and delete it"
                return _row(shown, LinkAct.LEFT, why)
            case LinkState.GONE:
                if not self.dry_run and not self._clear(shown):
                    return self._left(shown)
                self.made.pop(shown.path, None)
                return _row(shown, LinkAct.REMOVED)
            case LinkState.MISSING:
                skips = COPIED.get(shown.path.rpartition("/")[0])
                return self._make(shown, LinkAct.MADE, f"a copy, since {skips} skips links" if skips else "")
            case LinkState.OUTDATED:
                return self._make(shown, LinkAct.RENEWED, self.moved)
        if shown.path in self.made:
            if (shown.tree is not None) != self.links.copies(shown.path):
                return self._make(shown, LinkAct.RENEWED, "a link now" if shown.tree is not None else "a copy now")
            # A crash may have come between the change and its record in the lock.
            self.made[shown.path] = (shown.tree or self.target(shown.path),)
        return _row(shown, LinkAct.KEPT)

    def _left(self, shown: Shown) -> LinkRow:
        """Leave to the user what has changed meanwhile, or holds more than a copy."""
        if shown.tree is None:
            self.made.pop(shown.path, None)
            return _row(shown, LinkAct.LEFT, "something else is here")
        why = f"it differs from the copy in {LOCK}, or holds a repository; delete it if not needed"
        return _row(shown, LinkAct.LEFT, why)

    def _make(self, shown: Shown, act: LinkAct, why: str) -> LinkRow:
        if not self.dry_run and not (self._copy(shown) if self.links.copies(shown.path) else self._link(shown)):
            return self._left(shown)
        return _row(shown, act, why)

    def _link(self, shown: Shown) -> bool:
        """Make the link, unless something occupies the path; return whether it was made."""
        full, target = self._full(shown.path), self.target(shown.path)
        if not self._clear(shown):
            return False
        try:
            os.symlink(target, full, target_is_directory=True)
        except FileExistsError:
            return False
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror}: no link can be made here{self.hint}", full) from error
        self.made[shown.path] = (target,)
        return True

    def _copy(self, shown: Shown) -> bool:
        """Put the copy in place, unless something occupies the path; return whether it was put there."""
        if not self._clear(shown):
            return False
        move(self._coming(shown), self._full(shown.path))
        self.made[shown.path] = (self.staged[shown.path],)
        return True

    def _clear(self, shown: Shown) -> bool:
        """Remove our link or unedited copy; return whether the path is free."""
        full = self._full(shown.path)
        if not os.path.lexists(full):
            return True
        if not (self.is_ours(shown.path) if shown.tree is None else may_be_deleted(full, shown.tree)):
            return False
        if shown.tree is None:
            os.unlink(full)
            return True
        # Renamed first: half a copy would look like an edited one.
        going = os.path.join(os.path.dirname(full), _GOING)
        move(full, going)
        _delete(going)
        return True

    def _remove_folders(self) -> None:
        """Remove the folders that were made and are empty."""
        for folder in reversed(self.folders.copy()):
            if any(os.path.commonpath((folder, path)) == os.path.normpath(folder) for path in self.needed()):
                continue
            if not is_barred(self.root, folder):
                with contextlib.suppress(OSError):
                    os.rmdir(self._full(folder))
            self.folders.remove(folder)

    def _full(self, path: str) -> str:
        return os.path.join(self.root, path)

    def _write_lock(self, data: bytes | None) -> None:
        if data is not None and data != self.written:
            # After a crash the next command cleans up a transaction.
            with Transaction(self.root) as change:
                change.put_file(LOCK, data, expected=self.written)
                change.commit()
        elif data is None and self.written is not None:
            os.unlink(os.path.join(self.root, LOCK))
        self.written = data


def _row(shown: Shown, act: LinkAct, why: str = "") -> LinkRow:
    return LinkRow(shown.path, shown.skill, act, why)


def _folders(paths: Iterable[Shown]) -> list[str]:
    """The folders of the agents in which the paths lie, each once."""
    return list(dict.fromkeys(os.path.dirname(shown.path) for shown in paths))


def _delete(folder: str) -> None:
    """Delete a folder of ours, if it exists and is no link."""
    if os.path.isdir(folder) and not os.path.islink(folder):
        delete(folder)
