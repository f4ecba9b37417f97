"""`link` and `unlink`: links to the skills in the folders of agents, recorded in the lock."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.standard.names import name_fault
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.agent_links import misnamed_skills
from skillbag.kernel.workspace.lock_file import Lock, read_lock
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.supply.install.outcome import Outcome
from skillbag.supply.links.machine import named_agents
from skillbag.supply.links.outcome import LinkAct, LinkOutcome, LinkRow, changes_in
from skillbag.supply.links.reconcile import NOTHING, Linking

WHICH = (
    "which agents? skillbag agent link --agents NAME,NAME, or --agents detected for those that are found here; "
    "skillbag agent link --list shows all"
)


def link(root: str, agents: Iterable[str] = (), *, copy: bool | None = None, dry_run: bool = False) -> LinkOutcome:
    """Link the skills of the workspace for these agents, besides those that are linked already.

    `copy` makes copies instead of links; None keeps the recorded choice.

    Raises:
        UserError: an agent is unknown, none is named or recorded, a folder is a link, or a file is too large to copy.
        OSError: the environment failed; the links made so far are in the lock.
    """
    named = named_agents(agents, root)
    with _lock(root, dry_run) as lock:
        old = lock.links or NOTHING
        new = old._replace(agents=tuple(sorted({*old.agents, *named})), copy=old.copy if copy is None else copy)
        if not new.agents:
            raise UserError(WHICH)
        for folder in new.places:
            _check_folder(root, folder)
        rows = (*Linking(root, lock, new, dry_run).run(), *_misnamed(root))
    return LinkOutcome(root, new.agents, dry_run, rows)


def _misnamed(root: str) -> Iterator[LinkRow]:
    for name in misnamed_skills(root):
        why = f"its name {name_fault(name)}, so agents would not load it; rename the skill"
        yield LinkRow(f"{SKILL_ROOT}/{name}", name, LinkAct.LEFT, why)


def unlink(root: str, agents: Iterable[str] = (), *, dry_run: bool = False) -> LinkOutcome:
    """Remove what `link` made for these agents, or for all if none is named.

    Raises:
        UserError: an agent is unknown.
        OSError: the environment failed; the remaining links are in the lock.
    """
    named = named_agents(agents, root)
    with _lock(root, dry_run) as lock:
        old = lock.links or NOTHING
        new = old._replace(agents=tuple(agent for agent in old.agents if named and agent not in named))
        rows = tuple(Linking(root, lock, new, dry_run).run())
    return LinkOutcome(root, new.agents, dry_run, rows)


@contextlib.contextmanager
def _lock(root: str, dry_run: bool) -> Iterator[Lock]:
    """The lock, which no other process changes meanwhile."""
    with contextlib.nullcontext() if dry_run else writing(root):
        yield read_lock(root) or Lock({})


def _check_folder(root: str, folder: str) -> None:
    """Refuse a folder that is a link or a file."""
    for path in itertools.accumulate(folder.split("/"), "{}/{}".format):
        full = os.path.join(root, path)
        if os.path.islink(full):
            same = os.path.realpath(full) == os.path.realpath(os.path.join(root, SKILL_ROOT))
            hint = "it shows all skills already" if same else "nothing is made through it"
            raise UserError(f"{path}: it is a link to {os.readlink(full)!r}; {hint}: take the agent out of --agents")
        if os.path.lexists(full) and not os.path.isdir(full):
            raise UserError(f"{path}: a folder is needed here, and this is none; move it away first")


_FEW = 8
"""Agents that a note names."""


def relinked(outcome: Outcome) -> Outcome:
    """Update the links after a command that changed skills; return its outcome with a note about them."""
    if not outcome.changed or outcome.dry_run or outcome.problems:
        return outcome
    try:
        lock = read_lock(outcome.root)
        if lock is None or lock.links is None or not lock.links.agents:
            return outcome
        changes = changes_in(link(outcome.root).links)
    except (UserError, OSError) as error:
        note = f"The links for other agents were not updated ({format_error(error)}); skillbag agent link updates them."
    else:
        if not changes:
            return outcome
        agents = lock.links.agents
        note = f"Links for {', '.join(agents) if len(agents) <= _FEW else f'{len(agents)} agents'}: {changes}."
    return replace(outcome, notes=(*outcome.notes, note))
