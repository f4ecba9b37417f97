"""`link` and `unlink`: the skills of a workspace in the folders where agents look, remembered in the lock."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from skillbag.base.errors import UserError, format_error
from skillbag.install.outcome import Outcome
from skillbag.links.reconcile import NOTHING, LinkAct, Linking, LinkRow
from skillbag.transaction.writer import writing
from skillbag.workspace.agent_links import AGENT_FOLDERS
from skillbag.workspace.lock_file import Lock, read_lock
from skillbag.workspace.target import SKILL_ROOT


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
    agents = tuple(agents)
    _check_known(agents)
    with contextlib.ExitStack() as held:
        if not dry_run:
            held.enter_context(writing(root, wait))
        lock = read_lock(root) or Lock({})
        old = lock.links or NOTHING
        linked = tuple(sorted({*old.agents, *agents}))
        if not linked:
            known = ",".join(AGENT_FOLDERS)
            raise UserError(f"which agents? skillbag link --agents {known}, or some of them")
        new = old._replace(agents=linked, copy=old.copy if copy is None else copy)
        for place in new.places:
            _check_place(root, place)
        rows = tuple(Linking(root, lock, new, dry_run).run())
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
        old = lock.links or NOTHING
        left = tuple(agent for agent in old.agents if agents and agent not in agents)
        rows = tuple(Linking(root, lock, old._replace(agents=left), dry_run).run())
        return LinkOutcome(root, left, rows, dry_run)


def relinked(outcome: Outcome) -> Outcome:
    """The outcome of a command that changed skills, once the links were brought along, with a note on what that was."""
    if not outcome.changed or outcome.dry_run or outcome.problems:
        return outcome
    try:
        lock = read_lock(outcome.root)
        if lock is None or lock.links is None or not lock.links.agents:
            return outcome
        rows = link(outcome.root).rows
    except (UserError, OSError) as error:
        note = f"The links for other agents are as they were ({format_error(error)}); skillbag link brings them along."
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
