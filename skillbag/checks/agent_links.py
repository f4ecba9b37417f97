"""What `skillbag link` made for other agents, held against the skills that are there now."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.checks.predicate import Match, NoOptions, Subject, predicate
from skillbag.workspace.agent_links import LinkState, judge_links
from skillbag.workspace.lock_file import Lock
from skillbag.workspace.model import Inventory

_FAULTS = {
    LinkState.MISSING: "is missing, so the agent does not see the skill",
    LinkState.GONE: "shows a skill that no longer exists",
    LinkState.OUTDATED: "is an outdated copy of the skill",
    LinkState.EDITED: "is a copy that was edited; the skill itself was not",
    LinkState.FOREIGN: "is not the link to the skill",
}


@predicate("agent-link-stale", Subject.INVENTORY, values=("path", "fault"))
def stale_link(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A path that should show a skill to an agent, and does not show what the skill is."""
    workspace = inventory.workspace
    lock = workspace.lock
    # What is wrong with a lock that can't be used is a fault of its own.
    if not isinstance(lock, Lock) or lock.links is None:
        return
    for shown in judge_links(workspace.root, lock.links):
        if shown.state in _FAULTS:
            values = {"path": shown.path, "fault": _FAULTS[shown.state]}
            yield Match(workspace.path(*shown.path.split("/")), values=values)
