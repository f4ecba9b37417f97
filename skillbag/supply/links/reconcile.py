"""Reconcile the links on the disk with those that are requested, path by path.

The lock names a path before it is made and until after it is removed: after a crash the next `link` or `unlink` finds
it. A file or folder that is not ours is never touched.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import ABSENT, Absent
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

NOTHING = Links((), False, (), {})
"""The links of a lock that records none."""

_COMING, _GOING = ".skillbag-link.tmp", ".skillbag-link.old"
"""Names, in the folder of an agent, of a folder with the copies that are made, and of a copy that is being deleted."""


class LinkAct(StrEnum):
    """What was done with a path."""

    MADE = "made"
    RENEWED = "renewed"
    REMOVED = "removed"
    KEPT = "kept"
    LEFT = "left"
    """Not ours, or edited: nothing was done."""


class LinkRow(NamedTuple):
    """A path, and what was done with it."""

    path: Annotated[
        str,
        "Relative to the workspace, with `/`; with `--user` absolute. Of a skill with an invalid name its folder.",
    ]
    skill: str
    act: LinkAct
    why: Annotated[str, "Empty where there is nothing to say."] = ""


class LinkOutcome(NamedTuple):
    """The links that were made or removed, or would be. Exit code 1: something else is in the place of a link, it was
    edited, or a skill has an invalid name.
    """

    root: Annotated[str, "The absolute path of the workspace; with `--user` that of the folder of personal skills."]
    agents: Annotated[tuple[str, ...], "The agents that are linked now."]
    dry_run: Annotated[bool, "Nothing was written."]
    links: tuple[LinkRow, ...]
    notes: Annotated[tuple[str, ...] | Absent, "With `--user`: agents that have no links, and why."] = ABSENT


class Linking:
    """Brings the disk from the state in the lock to the requested `links`; `links.made` are the existing ones."""

    def __init__(self, root: str, lock: Lock, links: Links, dry_run: bool) -> None:
        self.root = root
        self.lock = lock
        self.links = links
        self.dry_run = dry_run
        self.made = dict(links.made)
        self.folders = list(links.folders)
        written = read(os.path.join(root, LOCK), root)
        self.written = written if isinstance(written, bytes) else None
        self.staged: dict[str, str] = {}

    def run(self) -> Iterator[LinkRow]:
        """Process each path, and yield what was done."""
        before = self.lock.links or NOTHING
        paths = list(judge_links(self.root, self.links._replace(copy=before.copy)))
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
            copies = {path: tree for path, tree in self.made.items() if tree}
            record_placed(self.root, {path: copies.get(path) for path in {*before.made, *copies}})
            self._remove_folders()
            self._write_links()

    def _clean(self, paths: Iterable[Shown]) -> None:
        for folder in _folders(paths):
            if not is_barred(self.root, folder):
                _delete(os.path.join(self.root, folder, _COMING))
                _delete(os.path.join(self.root, folder, _GOING))

    def _prepare(self, paths: list[Shown]) -> None:
        """Record what is about to be made, and make all copies beside their places; on a full disk all is as before."""
        lock, folders = self.written, self.folders.copy()
        try:
            self._announce([shown for shown in paths if shown.state is LinkState.MISSING])
            for shown in filter(self._needs_copy, paths):
                coming = self._coming(shown)
                os.makedirs(os.path.dirname(coming), exist_ok=True)
                self.staged[shown.path] = copy_tree(skill_folder(self.root, shown.path), coming)
        except BaseException:
            with contextlib.suppress(OSError):
                self._clean(paths)
            for folder in reversed(self.folders[len(folders) :]):
                with contextlib.suppress(OSError):
                    os.rmdir(os.path.join(self.root, folder))
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

    def _announce(self, missing: list[Shown]) -> None:
        """Record in the lock what is about to be made, and make its folders."""
        for shown in missing:
            copies = self.links.copies(shown.path)
            self.made[shown.path] = tree_hash(skill_folder(self.root, shown.path)) if copies else None
        for folder in _folders(missing):
            parents = itertools.accumulate(folder.split("/"), "{}/{}".format)
            new = (path for path in parents if not os.path.lexists(os.path.join(self.root, path)))
            self.folders += [path for path in new if path not in self.folders]
        self._write_links()
        for folder in _folders(missing):
            os.makedirs(os.path.join(self.root, folder), exist_ok=True)

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
                return self._make(shown, LinkAct.RENEWED, "the skill has changed")
        if shown.path in self.made:
            if (shown.tree is not None) != self.links.copies(shown.path):
                return self._make(shown, LinkAct.RENEWED, "a link now" if shown.tree is not None else "a copy now")
            # A crash may have come between the change and its record in the lock.
            self.made[shown.path] = shown.tree
        return _row(shown, LinkAct.KEPT)

    def _left(self, shown: Shown) -> LinkRow:
        """Leave to the user what has changed meanwhile, or holds more than a copy."""
        if shown.tree is None:
            self.made.pop(shown.path, None)
            return _row(shown, LinkAct.LEFT, "something else is here")
        return _row(
            shown,
            LinkAct.LEFT,
            f"it differs from the copy in {LOCK}, or holds a repository; delete it if not needed",
        )

    def _make(self, shown: Shown, act: LinkAct, why: str) -> LinkRow:
        if not self.dry_run and not (self._copy(shown) if self.links.copies(shown.path) else self._link(shown)):
            return self._left(shown)
        return _row(shown, act, why)

    def _link(self, shown: Shown) -> bool:
        """Make the link, unless something occupies the path; return whether it was made."""
        full = os.path.join(self.root, shown.path)
        if not is_our_link(self.root, shown.path):
            if not self._clear(shown):
                return False
            try:
                os.symlink(link_target(shown.path), full, target_is_directory=True)
            except OSError as error:
                message = f"{error.strerror}: no link can be made here; skillbag link --copy makes copies"
                raise OSError(error.errno, message, full) from error
        self.made[shown.path] = None
        return True

    def _copy(self, shown: Shown) -> bool:
        """Put the copy in place, unless something occupies the path; return whether it was put there."""
        if not self._clear(shown):
            return False
        move(self._coming(shown), os.path.join(self.root, shown.path))
        self.made[shown.path] = self.staged[shown.path]
        return True

    def _clear(self, shown: Shown) -> bool:
        """Remove our link or unedited copy; return whether the path is free."""
        full = os.path.join(self.root, shown.path)
        if not os.path.lexists(full):
            return True
        if shown.tree is None:
            is_ours = is_our_link(self.root, shown.path)
            if is_ours:
                os.unlink(full)
            return is_ours
        if not may_be_deleted(full, shown.tree):
            return False
        # Renamed first: half a copy would look like an edited one.
        going = os.path.join(os.path.dirname(full), _GOING)
        move(full, going)
        _delete(going)
        return True

    def _remove_folders(self) -> None:
        """Remove the folders that were made and are empty."""
        for folder in reversed(self.folders.copy()):
            if any(f"{needed}/".startswith(f"{folder}/") for needed in self.links.places):
                continue
            if not is_barred(self.root, folder):
                with contextlib.suppress(OSError):
                    os.rmdir(os.path.join(self.root, folder))
            self.folders.remove(folder)

    def _write_links(self) -> None:
        links = Links(self.links.agents, self.links.copy, tuple(self.folders), self.made.copy())
        lock = self.lock._replace(links=links if links.agents or links.made else None)
        if lock == self.lock:
            return
        self._write_lock(render_lock(lock) if lock.links or lock.skills else None)
        self.lock = lock

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
    return list(dict.fromkeys(shown.path.rpartition("/")[0] for shown in paths))


def _delete(folder: str) -> None:
    """Delete a folder of ours, if it exists and is no link."""
    if os.path.isdir(folder) and not os.path.islink(folder):
        delete(folder)
