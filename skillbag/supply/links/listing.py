"""`link --list`: the agents with their folders, and what is known of them here."""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from skillbag.kernel.workspace.agents import AGENTS
from skillbag.kernel.workspace.lock_file import BadLockError, read_lock
from skillbag.supply.links.machine import found_agents, user_folder


class AgentRow(NamedTuple):
    """An agent: `folder` is that of a project, `user_folder` is absolute and None if its user has none; whether it is
    found here, and whether the workspace has links for it."""

    name: str
    title: str
    aliases: tuple[str, ...]
    folder: str
    user_folder: str | None
    found: bool
    linked: bool


def agent_rows(root: str | None) -> tuple[AgentRow, ...]:
    """All agents by name, for the workspace or folder at `root`."""
    found = {agent.name for agent in found_agents(root)}
    linked = _linked(root) if root else frozenset()
    return tuple(
        AgentRow(name, agent.title, agent.aliases, agent.folder, user_folder(agent), name in found, name in linked)
        for name, agent in AGENTS.items()
    )


def _linked(root: str) -> frozenset[str]:
    """The agents in the lock; none if it can't be read, which other commands report."""
    with contextlib.suppress(BadLockError, OSError):
        lock = read_lock(root)
        if lock and lock.links:
            return frozenset(lock.links.agents)
    return frozenset()
