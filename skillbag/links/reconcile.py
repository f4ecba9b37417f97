"""The way from the links that the lock knows to those that are asked for, path by path.

The lock names a path before it is made and after it is gone, so that a crash in between leaves nothing that nobody
knows of: the next `link` or `unlink` finds it. What stands in a path's place and is not ours is never touched.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from skillbag.fs.read import read
from skillbag.transaction.copying import copy_tree
from skillbag.transaction.journal import Transaction
from skillbag.transaction.moving import delete
from skillbag.transaction.state import may_be_deleted
from skillbag.workspace.agent_links import (
    Links,
    LinkState,
    Shown,
    is_barred,
    is_our_link,
    judge_links,
    link_target,
    skill_folder,
)
from skillbag.workspace.lock_file import LOCK, Lock, render_lock
from skillbag.workspace.target import SKILL_ROOT
from skillbag.workspace.tree_hash import tree_hash

NOTHING = Links((), False, {})
"""What is linked where the lock has no word of it."""

_COMING, _GOING = ".skillbag-link.tmp", ".skillbag-link.old"
"""In the folder of an agent: a copy that is being made, and one that is being deleted."""


class LinkAct(StrEnum):
    """What became of a path."""

    MADE = "made"
    RENEWED = "renewed"
    REMOVED = "removed"
    KEPT = "kept"
    LEFT = "left"
    """It is not ours, or was edited: nothing was done."""


class LinkRow(NamedTuple):
    """A path (relative to the root, with `/`), its skill, what became of it, and why where that needs to be said."""

    path: str
    skill: str
    act: LinkAct
    why: str = ""


class Linking:
    """One way from what the lock says to what `links` asks for; `links.made` is what was made before."""

    def __init__(self, root: str, lock: Lock, links: Links, dry_run: bool) -> None:
        self.root = root
        self.lock = lock
        self.links = links
        self.dry_run = dry_run
        self.made = dict(links.made)
        self.folders = list(links.folders)
        written = read(os.path.join(root, LOCK), root)
        self.written = written if isinstance(written, bytes) else None

    def run(self) -> Iterator[LinkRow]:
        """Do what is to be done for each path, and say what it was."""
        before = self.lock.links or NOTHING
        shown = list(judge_links(self.root, self.links._replace(copy=before.copy)))
        if not self.dry_run:
            self._tidy(shown)
            self._announce(shown)
        for one in shown:
            yield self._brought(one)
        if not self.dry_run:
            self._remove_folders()
            self._remember()

    def _tidy(self, shown: Iterable[Shown]) -> None:
        """Delete the half copies that a killed run left."""
        for place in dict.fromkeys(one.path.rpartition("/")[0] for one in shown):
            if not is_barred(self.root, place):
                _delete(os.path.join(self.root, place, _COMING))
                _delete(os.path.join(self.root, place, _GOING))

    def _announce(self, shown: Iterable[Shown]) -> None:
        """Name in the lock what is about to be made."""
        missing = [one for one in shown if one.state is LinkState.MISSING]
        for one in missing:
            self.made[one.path] = tree_hash(skill_folder(self.root, one.path)) if self.links.copy else None
        places = list(dict.fromkeys(one.path.rpartition("/")[0] for one in missing))
        self._add_folders(places)
        self._remember()
        for place in places:
            os.makedirs(os.path.join(self.root, place), exist_ok=True)

    def _add_folders(self, places: Iterable[str]) -> None:
        for place in places:
            parts = place.split("/")
            for depth in range(1, len(parts) + 1):
                folder = "/".join(parts[:depth])
                if not os.path.lexists(os.path.join(self.root, folder)) and folder not in self.folders:
                    self.folders.append(folder)

    def _brought(self, one: Shown) -> LinkRow:
        match one.state:
            case LinkState.FOREIGN:
                self.made.pop(one.path, None)
                return self._row(one, LinkAct.LEFT, "something else stands there")
            case LinkState.EDITED:
                why = f"the copy was edited; take your edits over into {SKILL_ROOT}/{one.skill}, and delete it"
                return self._row(one, LinkAct.LEFT, why)
            case LinkState.GONE:
                return self._take_away(one)
            case LinkState.MISSING:
                return self._make(one, LinkAct.MADE, "")
            case LinkState.OUTDATED:
                return self._make(one, LinkAct.RENEWED, "the skill has changed")
        if one.path in self.made:
            if (one.tree is not None) != self.links.copy:
                return self._make(one, LinkAct.RENEWED, "a copy now" if self.links.copy else "a link now")
            # A crash may have come between what was made and its word in the lock.
            self.made[one.path] = one.tree
        return self._row(one, LinkAct.KEPT, "")

    def _row(self, one: Shown, act: LinkAct, why: str) -> LinkRow:
        return LinkRow(one.path, one.skill, act, why)

    def _left(self, one: Shown) -> LinkRow:
        """What is not what it was a moment ago, or holds more than a copy, is left to the user."""
        if one.tree is None:
            self.made.pop(one.path, None)
            return self._row(one, LinkAct.LEFT, "something else stands there")
        return self._row(one, LinkAct.LEFT, "it was edited, or holds a repository; delete it if it is not needed")

    def _take_away(self, one: Shown) -> LinkRow:
        if not self.dry_run and not self._clear(one):
            return self._left(one)
        self.made.pop(one.path, None)
        return self._row(one, LinkAct.REMOVED, "")

    def _make(self, one: Shown, act: LinkAct, why: str) -> LinkRow:
        if not self.dry_run and not (self._copy(one) if self.links.copy else self._link(one)):
            return self._left(one)
        return self._row(one, act, why)

    def _link(self, one: Shown) -> bool:
        """Make the link; whether nothing is in the way."""
        full = os.path.join(self.root, one.path)
        if not is_our_link(self.root, one.path):
            if not self._clear(one):
                return False
            try:
                os.symlink(link_target(one.path), full, target_is_directory=True)
            except OSError as error:
                told = f"{error.strerror}: no link can be made here; skillbag link --copy makes copies"
                raise OSError(error.errno, told, full) from error
        self.made[one.path] = None
        return True

    def _copy(self, one: Shown) -> bool:
        """Make the copy; whether nothing is in the way."""
        full = os.path.join(self.root, one.path)
        coming = os.path.join(os.path.dirname(full), _COMING)
        try:
            tree = copy_tree(skill_folder(self.root, one.path), coming)
            if not self._clear(one):
                return False
            os.rename(coming, full)
        finally:
            _delete(coming)
        self.made[one.path] = tree
        return True

    def _clear(self, one: Shown) -> bool:
        """Take away what stands at the path; whether it was ours and nothing else is in it."""
        full = os.path.join(self.root, one.path)
        if not os.path.lexists(full):
            return True
        if one.tree is None:
            is_ours = is_our_link(self.root, one.path)
            if is_ours:
                os.unlink(full)
            return is_ours
        if not may_be_deleted(full, one.tree):
            return False
        # As a whole first: half a copy would be taken for an edited one.
        going = os.path.join(os.path.dirname(full), _GOING)
        os.rename(full, going)
        _delete(going)
        return True

    def _remove_folders(self) -> None:
        """Take away the folders that were made, where nothing is in them any more."""
        for folder in reversed(self.folders.copy()):
            if any(f"{place}/".startswith(f"{folder}/") for place in self.links.places):
                continue
            if not is_barred(self.root, folder):
                with contextlib.suppress(OSError):
                    os.rmdir(os.path.join(self.root, folder))
            self.folders.remove(folder)

    def _remember(self) -> None:
        links = Links(self.links.agents, self.links.copy, self.made.copy(), tuple(self.folders))
        lock = self.lock._replace(links=links if links.agents or links.made else None)
        if lock == self.lock:
            return
        if lock.links or lock.skills:
            self._write_lock(render_lock(lock))
        elif self.written is not None:
            os.unlink(os.path.join(self.root, LOCK))
        self.lock = lock

    def _write_lock(self, data: bytes) -> None:
        # A transaction leaves nothing behind that the next command would not clear away.
        with Transaction(self.root) as change:
            change.put_file(LOCK, data, expected=self.written)
            change.commit()
        self.written = data


def _delete(folder: str) -> None:
    """Delete a folder of ours, if it is there; a link is none."""
    if os.path.isdir(folder) and not os.path.islink(folder):
        delete(folder)
