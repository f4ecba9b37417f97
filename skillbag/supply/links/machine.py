"""Which agents are used here, by what they leave on a machine and in a project, and where their user's skills go."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Annotated, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.agent_links import is_barred
from skillbag.kernel.workspace.agents import AGENTS, ALL, BASES, Agent, known_agents
from skillbag.kernel.workspace.lock_file import BadLockError, read_lock

DETECTED = "detected"
"""Stands for the agents that are found here in a list of names."""


def found_agents(root: str | None = None) -> tuple[Agent, ...]:
    """The agents that this user, or the project at `root`, shows signs of, by name."""
    ours = _made(root) if root else frozenset()
    return tuple(
        agent
        for agent in AGENTS.values()
        if any(_is_there(sign, root) for sign in agent.signs) or (root and _is_in_project(agent, root, ours))
    )


def named_agents(words: Iterable[str], root: str | None = None) -> tuple[str, ...]:
    """The agents of these words. For a project at `root`, `all` and `detected` leave out those whose folder can't have
    links.

    Raises:
        UserError: an agent is unknown, or none is found.
    """
    names: list[str] = []
    for word in words:
        if word.lower() not in (ALL, DETECTED):
            names += known_agents([word])
            continue
        agents = found_agents(root) if word.lower() == DETECTED else AGENTS.values()
        if not agents:
            raise UserError(
                f"--agents {DETECTED}: no agent is found here; name some (skillbag agent link --list shows all)"
            )
        names += (agent.name for agent in agents if root is None or not is_barred(root, agent.folder))
    return tuple(dict.fromkeys(names))


def _is_in_project(agent: Agent, root: str, ours: AbstractSet[str]) -> bool:
    """Whether the project has the folder that the agent has at home, or its own one, and `link` did not make it."""
    usual = (BASES[base][1] if (base := sign.strip("{}")) in BASES else sign for sign in agent.signs)
    names = {sign[2:] for sign in usual if sign.startswith("~/.") and "/" not in sign[2:]}
    own = agent.folder.partition("/")[0]
    if own.startswith(".") and [other.folder for other in AGENTS.values()].count(agent.folder) == 1:
        names.add(own)
    return any(name not in ours and os.path.isdir(os.path.join(root, name)) for name in names)


def _made(root: str) -> frozenset[str]:
    """The folders in a project that `link` made and that hold nothing else."""
    with contextlib.suppress(BadLockError, OSError):
        lock = read_lock(root)
        made = lock.links.folders if lock and lock.links else ()
        return frozenset(name for name in made if os.listdir(os.path.join(root, name)) == ["skills"])
    return frozenset()


def user_folder(agent: Agent) -> str | None:
    """The absolute folder in which an agent looks for its user's skills; it need not exist. None if it has none."""
    folders = [path for folder in agent.user_folders if (path := _absolute(folder, None))]
    used = (folder for folder in folders if os.path.isdir(os.path.dirname(folder)))
    return next(used, folders[0] if folders else None)


def _is_there(sign: str, root: str | None) -> bool:
    sign, _, package = sign.partition("#")
    path = _absolute(sign, root)
    return path is not None and os.path.exists(path) and (not package or _names(path, package))


def _absolute(path: str, root: str | None) -> str | None:
    """A path of the table, without its `~`, `.` or base; None where that is not set."""
    base, _, below = path.partition("/")
    if base == ".":
        start = root
    elif base.startswith("{"):
        variable, usual = BASES[base.strip("{}")]
        start = os.path.expanduser(os.environ.get(variable, "").strip() or usual)
    else:
        start = os.path.expanduser(base) or "/"
    if not start or not os.path.isabs(start):
        return None
    return os.path.normpath(os.path.join(start, *below.split("/")))


def _names(path: str, package: str) -> bool:
    """Whether the `package.json` at `path` names a package that it needs."""
    import json

    try:
        with open(path, "rb") as file:
            data = json.loads(file.read(1 << 20))
    except (OSError, ValueError, RecursionError):
        return False
    needed = [data.get(key) for key in ("dependencies", "devDependencies")] if isinstance(data, dict) else []
    return any(package in needs for needs in needed if isinstance(needs, dict))


class AgentRow(NamedTuple):
    """An agent, and what is known of it here."""

    name: str
    title: Annotated[str, "The name in the agent's own spelling."]
    aliases: tuple[str, ...]
    folder: Annotated[str, "Where it looks for skills in a project."]
    user_folder: Annotated[str | None, "The absolute folder where it looks for its user's skills; null if it has none."]
    found: Annotated[bool, "Whether the user or the project has a file or folder of it."]
    linked: Annotated[bool, "Whether the workspace has links for it."]


class AgentList(NamedTuple):
    """`skillbag agent link --list`."""

    agents: tuple[AgentRow, ...]


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
