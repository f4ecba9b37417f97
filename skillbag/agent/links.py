"""`link` and `unlink`: the skills of a workspace in the folders where agents look, remembered in the lock.

The lock names a path before it is made and after it is gone, so that a crash in between leaves nothing that nobody
knows of: the next `link` or `unlink` finds it. What stands in a path's place and is not ours is never touched.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from skillbag.errors import UserError, said_by
from skillbag.files import write_atomic
from skillbag.install.outcome import Outcome
from skillbag.transaction.writer import writing
from skillbag.workspace.agent_links import (
    AGENT_FOLDERS,
    Links,
    LinkState,
    Shown,
    is_our_link,
    judge_links,
    link_target,
    skill_folder,
)
from skillbag.workspace.lock_file import LOCK, Lock, read_lock, render_lock
from skillbag.workspace.target import SKILL_ROOT
from skillbag.workspace.tree_hash import tree_hash

_NOTHING = Links((), False, {})
_STAGE = ".skillbag-link.tmp"


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


class LinkOutcome(NamedTuple):
    """What `link` or `unlink` did: `agents` are those that are linked now. With `dry_run` it is what would be done."""

    root: str
    agents: tuple[str, ...]
    rows: tuple[LinkRow, ...]
    dry_run: bool = False

    @property
    def left(self) -> tuple[LinkRow, ...]:
        """What stands in the way."""
        return tuple(row for row in self.rows if row.act is LinkAct.LEFT)


def link(
    root: str, agents: Iterable[str] = (), *, copy: bool | None = None, dry_run: bool = False, wait: float = 60.0
) -> LinkOutcome:
    """Show the skills of the workspace to these agents besides those that are linked already.

    `copy` makes copies instead of links; None keeps what was chosen before.

    Raises:
        UserError: an agent is not known, none is named and none is remembered, or a folder leads elsewhere.
        OSError: the environment failed; what was made until then is in the lock.
    """
    _check_known(agents)
    with contextlib.ExitStack() as held:
        if not dry_run:
            held.enter_context(writing(root, wait))
        lock = read_lock(root) or Lock({})
        old = lock.links or _NOTHING
        linked = tuple(sorted({*old.agents, *agents}))
        if not linked:
            known = ",".join(AGENT_FOLDERS)
            raise UserError(f"which agents? skillbag link --agents {known}, or some of them")
        new = old._replace(agents=linked, copy=old.copy if copy is None else copy)
        for place in new.places:
            _check_place(root, place)
        rows = tuple(_Linking(root, lock, new, dry_run).run())
        return LinkOutcome(root, linked, rows, dry_run)


def unlink(root: str, agents: Iterable[str] = (), *, dry_run: bool = False, wait: float = 60.0) -> LinkOutcome:
    """Take away what `link` made for these agents, or for all where none is named.

    Raises:
        UserError: an agent is not known.
        OSError: the environment failed; what is still there is in the lock.
    """
    agents = tuple(agents)
    _check_known(agents)
    with contextlib.ExitStack() as held:
        if not dry_run:
            held.enter_context(writing(root, wait))
        lock = read_lock(root) or Lock({})
        old = lock.links or _NOTHING
        left = tuple(agent for agent in old.agents if agents and agent not in agents)
        rows = tuple(_Linking(root, lock, old._replace(agents=left), dry_run).run())
        return LinkOutcome(root, left, rows, dry_run)


def relinked(outcome: Outcome) -> Outcome:
    """The outcome of a command that changed skills, once the links were brought along, with a note on what that was."""
    if not outcome.changed or outcome.dry_run or outcome.troubles:
        return outcome
    try:
        lock = read_lock(outcome.root)
        if lock is None or lock.links is None or not lock.links.agents:
            return outcome
        rows = link(outcome.root).rows
    except (UserError, OSError) as error:
        note = f"The links for other agents are as they were ({said_by(error)}); skillbag link brings them along."
    else:
        changes = sum(row.act not in (LinkAct.KEPT, LinkAct.LEFT) for row in rows)
        if not changes:
            return outcome
        note = f"Links for {', '.join(lock.links.agents)}: {changes} brought along."
    return replace(outcome, notes=(*outcome.notes, note))


def _check_known(agents: Iterable[str]) -> None:
    for agent in agents:
        if agent not in AGENT_FOLDERS:
            raise UserError(f"--agents {agent[:40]!r}: not known; known are {', '.join(AGENT_FOLDERS)}")


def _check_place(root: str, place: str) -> None:
    """Only real folders of the workspace are written to."""
    parts = place.split("/")
    for depth in range(1, len(parts) + 1):
        path = "/".join(parts[:depth])
        full = os.path.join(root, path)
        if os.path.islink(full):
            same = os.path.realpath(full) == os.path.realpath(os.path.join(root, SKILL_ROOT))
            hint = "it shows all skills already" if same else "nothing is made through it"
            raise UserError(f"{path}: it is a link to {os.readlink(full)!r}; {hint}: take the agent out of --agents")
        if os.path.lexists(full) and not os.path.isdir(full):
            raise UserError(f"{path}: a folder is needed here, and something else stands in its place")


class _Linking:
    """One way from what the lock says to what `links` asks for; `links.made` is what was made before."""

    def __init__(self, root: str, lock: Lock, links: Links, dry_run: bool) -> None:
        self.root = root
        self.lock = lock
        self.links = links
        self.dry_run = dry_run
        self.made = dict(links.made)
        self.folders = list(links.folders)

    def run(self) -> Iterator[LinkRow]:
        """Do what is to be done for each path, and say what it was."""
        shown = list(judge_links(self.root, self.links))
        if not self.dry_run:
            self._tidy()
            self._announce(shown)
        for one in shown:
            yield self._brought(one)
        if not self.dry_run:
            self._remove_folders()
            self._remember()

    def _tidy(self) -> None:
        """Delete the half copy that a killed run left."""
        for place in dict.fromkeys(AGENT_FOLDERS.values()):
            if not os.path.islink(os.path.join(self.root, place)):
                _remove(os.path.join(self.root, place, _STAGE))

    def _announce(self, shown: Iterable[Shown]) -> None:
        """Name in the lock what is about to be made."""
        for one in shown:
            if one.state is LinkState.MISSING:
                self.made[one.path] = tree_hash(skill_folder(self.root, one.path)) if self.links.copy else None
        self._add_folders(one.path.rpartition("/")[0] for one in shown if one.state is LinkState.MISSING)
        self._remember()
        for folder in self.folders:
            os.makedirs(os.path.join(self.root, folder), exist_ok=True)

    def _add_folders(self, places: Iterable[str]) -> None:
        for place in dict.fromkeys(places):
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
        if one.path in self.made and (self.made[one.path] is None) == self.links.copy:
            return self._make(one, LinkAct.RENEWED, "a copy now" if self.links.copy else "a link now")
        if self.made.get(one.path) is not None:
            # A crash may have come between a new copy and its hash in the lock.
            self.made[one.path] = tree_hash(skill_folder(self.root, one.path))
        return self._row(one, LinkAct.KEPT, "")

    def _row(self, one: Shown, act: LinkAct, why: str) -> LinkRow:
        return LinkRow(one.path, one.skill, act, why)

    def _take_away(self, one: Shown) -> LinkRow:
        if not self.dry_run:
            _remove(os.path.join(self.root, one.path))
        self.made.pop(one.path, None)
        return self._row(one, LinkAct.REMOVED, "")

    def _make(self, one: Shown, act: LinkAct, why: str) -> LinkRow:
        if self.dry_run:
            return self._row(one, act, why)
        if self.links.copy:
            self.made[one.path] = self._copy(one)
        else:
            self._link(one)
            self.made[one.path] = None
        return self._row(one, act, why)

    def _link(self, one: Shown) -> None:
        full = os.path.join(self.root, one.path)
        if os.path.lexists(full):
            if is_our_link(self.root, one.path):
                return
            _remove(full)
        try:
            os.symlink(link_target(one.path), full, target_is_directory=True)
        except OSError as error:
            told = f"{error.strerror}: no link can be made here; skillbag link --copy makes copies"
            raise OSError(error.errno, told, full) from error

    def _copy(self, one: Shown) -> str:
        from skillbag.transaction.copying import copy_tree

        full = os.path.join(self.root, one.path)
        stage = os.path.join(os.path.dirname(full), _STAGE)
        _remove(stage)
        tree = copy_tree(skill_folder(self.root, one.path), stage)
        _remove(full)
        os.rename(stage, full)
        return tree

    def _remove_folders(self) -> None:
        """Take away the folders that were made, where nothing is in them any more."""
        for folder in reversed(self.folders.copy()):
            if any(f"{place}/".startswith(f"{folder}/") for place in self.links.places):
                continue
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(self.root, folder))
            self.folders.remove(folder)

    def _remember(self) -> None:
        links = Links(self.links.agents, self.links.copy, self.made, tuple(self.folders))
        lock = self.lock._replace(links=links if links.agents or links.made else None)
        path = os.path.join(self.root, LOCK)
        if lock.links or lock.skills:
            write_atomic(path, render_lock(lock), root=self.root)
        elif os.path.lexists(path):
            os.unlink(path)


def _remove(path: str) -> None:
    """Delete a link, or the folder of a copy of ours; a link is never followed."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
