"""Whether an agent's project configuration starts `skillbag agent mcp`, which gives it the tools of skills."""

from __future__ import annotations

import json
import os
from typing import Any

from skillbag.kernel.workspace.agents import AGENTS
from skillbag.supply.bootstrap.existing import CannotInitError, find

CONFIGURATION = AGENTS["claude"].servers
"""Where Claude Code looks for the servers of a project."""

COMMAND = "claude mcp add --scope project skillbag -- skillbag agent mcp"
"""Adds the server to that file."""


def is_configured(root: str) -> bool:
    """Whether the file in `root` has a server that runs `skillbag agent mcp`; not if it can't be read."""
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
    # `uvx skillbag agent mcp` and `python -m skillbag agent mcp` run it, too.
    return "skillbag" in words and "mcp" in words[words.index("skillbag") + 1 :][:2]
