"""The entries of `allowed-tools`: tools, with patterns of their arguments in parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.base.lazy_regex import late

SHELL = "Bash"


class Entry(NamedTuple):
    """One entry: `Bash(git:*)` has the tool `Bash` and the body `git:*`; without parentheses the body is None."""

    tool: str
    body: str | None


_SERVER = late(r"mcp__.+__\*")
_PROGRAM = late(r"[a-z][a-z0-9.+-]*")
_ENTRY = late(r"([^\s,()]+)(?:\((.+)\))?", re.DOTALL)


def entries_of(allowed_tools: str) -> Iterator[Entry]:
    """The entries in order, separated by white space and commas outside of parentheses.

    Left out are malformed ones, and all that follows a parenthesis too many or one that is not closed.
    """
    for text in _split(allowed_tools):
        if match := _ENTRY().fullmatch(text):
            yield Entry(match[1], None if match[2] is None else match[2].strip())


def _split(text: str) -> Iterator[str]:
    start, depth = 0, 0
    for index, char in enumerate(f"{text} "):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return
        if depth == 0 and (char == "," or char.isspace()):
            yield text[start:index]
            start = index + 1


def names_tool(entry: Entry, tool: str) -> bool:
    """Whether the entry allows the tool whatever it is given: `Read`, `Read(*)`, `mcp__server__*`, or `*` for all."""
    if entry.body not in (None, "*"):
        return False
    is_server = bool(_SERVER().fullmatch(entry.tool))
    return entry.tool in ("*", tool) or (is_server and tool.startswith(entry.tool[:-1]))


def body_of(entry: Entry, tool: str) -> str | None:
    """What the entry says of the arguments of this tool; None where it says nothing.

    The name of a program, such as `git`, says of the shell what `Bash(git:*)` does: so does the bootstrap skill of the
    standard name its tools (clause bootstrap.tools).
    """
    if entry.body is None and tool == SHELL and _PROGRAM().fullmatch(entry.tool):
        return f"{entry.tool}:*"
    return entry.body if entry.tool == tool else None
