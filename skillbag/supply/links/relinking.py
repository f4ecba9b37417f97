"""The links for other agents after a command that changed skills."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.workspace.lock_file import read_lock
from skillbag.supply.install.outcome import Outcome
from skillbag.supply.links.commands import link
from skillbag.supply.links.reconcile import LinkAct

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
        rows = link(outcome.root).rows
    except (UserError, OSError) as error:
        note = f"The links for other agents were not updated ({format_error(error)}); skillbag link updates them."
    else:
        counts = Counter(row.act for row in rows if row.act not in (LinkAct.KEPT, LinkAct.LEFT))
        if not counts:
            return outcome
        changes = ", ".join(f"{number} {act.value}" for act, number in sorted(counts.items()))
        agents = lock.links.agents
        note = f"Links for {', '.join(agents) if len(agents) <= _FEW else f'{len(agents)} agents'}: {changes}."
    return replace(outcome, notes=(*outcome.notes, note))
