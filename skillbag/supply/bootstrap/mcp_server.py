"""Whether an agent's project configuration starts `skillbag mcp`, through which the agent gets the tools of skills."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import Any

from skillbag.kernel.workspace.agents import AGENTS
from skillbag.supply.bootstrap.existing import CannotInitError, find

CONFIGURATION = AGENTS["claude"].servers
"""Where Claude Code looks for the servers of a project."""

COMMAND = "claude mcp add --scope project skillbag -- skillbag mcp"
"""Adds the server to that file."""


def is_configured(root: str) -> bool:
    """Whether the file in `root` has a server that runs `skillbag mcp`; not if it can't be read."""
    try:
        document = find(root, CONFIGURATION)
        servers = json.loads(document.text).get("mcpServers") if document else None
    except (CannotInitError, ValueError, AttributeError, RecursionError):
        return False
    return isinstance(servers, dict) and any(_is_ours(name, server) for name, server in servers.items())


def _is_ours(name: str, server: Any) -> bool:
    if name == "skillbag":
        return True
    if not isinstance(server, dict) or not isinstance(arguments := server.get("args"), list):
        return False
    words = [os.path.basename(str(word)) for word in (server.get("command"), *arguments)]
    # `uvx skillbag mcp` and `python -m skillbag mcp` run it, too.
    return ("skillbag", "mcp") in pairwise(words)
