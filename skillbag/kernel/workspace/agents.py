"""The agents that read skills: where each looks for them, how to see that it is there, and what else it is called.

They are those of `hosts/*.yaml`. `link`, `init`, `doctor` and the lock all take them from here; `tools/agent_tables.py`
makes the page about them.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.hosts.agents import ROWS


class Agent(NamedTuple):
    """An agent by its name, in its own spelling as `title`, and by its other names.

    `folder` is relative to a project, with `/`. `user_folders` are the user's; of several the first that exists counts,
    else the first; an agent without any has none. `signs` are paths of which one shows that the agent is used here:
    below the home (`~/`), a base in braces (`BASES`) or the project (`./`); `./FILE#NAME` is a file of packages that
    names one. `copied`: it skips links that lead out of its folder in a project.

    Of those for which `init` writes more, files in a project: `instructions` is what it reads first, `settings` names
    the commands that it runs at the steps of a session, `own_settings` those of one user alone, and `servers` its MCP
    servers.
    """

    name: str
    title: str
    folder: str
    user_folders: tuple[str, ...]
    signs: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    copied: bool = False
    instructions: str = ""
    settings: str = ""
    own_settings: str = ""
    servers: str = ""


BASES = {
    "appdata": ("APPDATA", ""),
    "autohand": ("AUTOHAND_HOME", "~/.autohand"),
    "claude": ("CLAUDE_CONFIG_DIR", "~/.claude"),
    "codex": ("CODEX_HOME", "~/.codex"),
    "config": ("XDG_CONFIG_HOME", "~/.config"),
    "flatpak": ("FLATPAK_XDG_CONFIG_HOME", ""),
    "hermes": ("HERMES_HOME", "~/.hermes"),
    "vibe": ("VIBE_HOME", "~/.vibe"),
}
"""The folders that a variable can move: the variable, and the folder without it, empty for none."""


_TABLE = tuple([Agent._make(row) for row in ROWS])
AGENTS = {agent.name: agent for agent in _TABLE}
"""All agents by name, sorted."""

INSTRUCTIONS = {agent.name: agent.instructions for agent in _TABLE if agent.instructions}
"""Of the agents that `init` knows, the file that each reads first."""

SETTINGS = {agent.name: agent.settings for agent in _TABLE if agent.settings}
"""Of the agents that can run commands at the steps of a session, their settings files."""

ALL = "all"
"""Stands for all agents in a list of names."""

FOLDERS = frozenset(agent.folder for agent in _TABLE)
"""The folders of projects in which agents look for skills."""

COPIED = {agent.folder: agent.title for agent in _TABLE if agent.copied}
"""Those in which an agent skips links, with its title."""


def known_agents(words: Iterable[str], among: Collection[str] = AGENTS) -> tuple[str, ...]:
    """The names of these agents, each once; a word is a name, an alias or a title in any case, or `all`.

    Raises:
        UserError: no agent is called so, or it is not `among` those that can be named.
    """
    names: list[str] = []
    for word in words:
        names += among if _plain(word) == ALL else (_known(word, among),)
    return tuple(dict.fromkeys(names))


def _known(word: str, among: Collection[str]) -> str:
    called = {_plain(other): agent.name for agent in _TABLE for other in (agent.title, *agent.aliases, agent.name)}
    name = called.get(_plain(word))
    if name and name in among:
        return name
    if name:
        raise UserError(f"--agents: there is nothing to write for {name}; the known agents are {', '.join(among)}")
    close = (called[other] for other in difflib.get_close_matches(_plain(word), called, 9, 0.7))
    meant = [name for name in dict.fromkeys(close) if name in among][:3]
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"the known agents are {_some(among)}"
    raise UserError(f"--agents: `{word[:40]}` is not known; {hint}")


def _plain(word: str) -> str:
    """A name as it is compared: in lower case, with hyphens."""
    return "-".join(word.lower().replace("_", " ").replace(".", " ").replace("-", " ").split())


def _some(among: Collection[str]) -> str:
    common = [name for name in INSTRUCTIONS if name in among]
    others = len(among) - len(common)
    more = f" and {others} more, which skillbag agent link --list shows" if others else ""
    return f"{', '.join(common)}{more}"
