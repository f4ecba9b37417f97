"""The names that agents give to the same tools: `allowed-tools` is written in those of Claude Code, new or old.

Others are in `hosts/*.yaml`, and mean the same in all of them. A tool that does several things stands for the one that
needs most: an editor that also shows files is `Edit`.
"""

from __future__ import annotations

from collections.abc import Container

from skillbag.kernel.hosts.tools import TOOLS

SHELL = "Bash"

NAMES = frozenset(TOOLS)
"""All names but the present ones of Claude Code."""

_LINES = {"exec_command": "cmd", "run_command": "CommandLine"}
"""The argument with the line for a shell where it is not `command`: of Codex and of Windsurf."""


def tool_of(name: str) -> str:
    """The name in `allowed-tools` of a tool that an agent calls; the same where no agent is known to have it."""
    return TOOLS.get(name, name)


def is_known(name: str) -> bool:
    """Whether agents have a tool of this name, as far as it is known; those of Claude Code begin with a capital."""
    return name in NAMES or name[:1].isupper()


def tool_of_entry(name: str) -> str:
    """The same for an entry of `allowed-tools`.

    A word in lower case is left alone: it names a program (clause bootstrap.tools), and `patch` and `view` are some.
    """
    return name if name.isalpha() and name.islower() else tool_of(name)


def line_argument(name: str, given: Container[str]) -> str:
    """The argument with the line, of the shell's tool of this name, which is given these arguments."""
    return "command" if "command" in given else _LINES.get(name, "command")
