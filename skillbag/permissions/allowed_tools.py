"""`allowed-tools`: which calls of other tools an active skill lets pass. What is not plainly allowed is blocked.

This guards against other programs, files and addresses being reached through the words of a call. It is no sandbox: an
allowed program does what it does, and a file may be another one by the time a tool opens it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from skillbag.base.errors import UserError, format_error
from skillbag.base.lazy_regex import late
from skillbag.permissions.active import active_skill
from skillbag.permissions.program_options import words
from skillbag.standard.tool_names import SHELL, shell_arguments, tool_of, tool_of_entry

if TYPE_CHECKING:
    # A hook waits for whatever is loaded here, before every call of a tool.
    from skillbag.settings.scope import Scope

OWN_TOOLS = words(
    "skill_marketplace read_skill_file run_skill_script skill_add skill_remove enter refresh resolve remember"
)
"""Our tools that are no skill's: they stay allowed (agent-tools, known fault 4)."""

_OWN_PREFIX = "mcp__skillbag__"
"""How hosts name the tools of our MCP server."""

_SKILL_TOOL = late(r"skill_(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")
_SERVER = late(r"mcp__.+__\*")
_PROGRAM = late(r"[a-z][a-z0-9.+-]*")
_ANY = (None, "*")
_ENTRY = late(r"([^\s,()]+)(?:\((.+)\))?", re.DOTALL)


class _Entry(NamedTuple):
    """One entry: `Bash(git:*)` has the tool `Bash` and the body `git:*`; without parentheses the body is None."""

    tool: str
    body: str | None


def why_blocked(scope: Scope, tool: str, arguments: Mapping[str, Any] | None, at: str | None = None) -> str | None:
    """The message with which a call is blocked while a skill is active, None where it may go on.

    `Tool 'Write' is not allowed while skill 'aa' is active. Allowed tools: Read, Grep, Bash(git:*)`. Our own tools
    (`skill_*` and those of management and lifecycle) are never blocked. Where the record of the active skill can't be
    read, every other tool is. Paths count from the scope's root, or from `at`.
    """
    if is_own_tool(tool):
        return None
    try:
        active = active_skill(scope)
    except (UserError, OSError) as error:
        return _blocked(tool, f": {format_error(error)}")
    if active is None or active.allowed_tools is None:
        return None
    why = refusal(active.allowed_tools, tool, arguments, at or scope.root)
    if why is None:
        return None
    refused = f". Refused: {why}" if why else ""
    return _blocked(tool, f" while skill '{active.name}' is active. Allowed tools: {active.allowed_tools}{refused}")


def _blocked(tool: str, why: str) -> str:
    from skillbag.report.sanitize import shown

    return f"Tool '{shown(str(tool))}' is not allowed{shown(why)}"


def is_own_tool(tool: object) -> bool:
    """Whether it is one of ours, by its own name or as hosts name it (`mcp__skillbag__enter`).

    Any `skill_NAME` is, whether or not there is such a skill; NAME must be a skill's canonical name.
    """
    if not isinstance(tool, str):
        return False
    name = tool.removeprefix(_OWN_PREFIX)
    return name in OWN_TOOLS or bool(_SKILL_TOOL().fullmatch(name))


def refusal(allowed_tools: str, tool: str, arguments: Mapping[str, Any] | None, root: str | None) -> str | None:
    """Why no pattern lets the call pass; None where one does, nothing where no pattern is about such a call.

    Tools of all known agents count as those of Claude Code (`standard.tool_names`): `file_head` passes where `Read`
    does. An empty text restricts nothing. Relative paths and patterns of paths count from `root`. `arguments` may hold
    any JSON: what is missing or of another shape than a pattern looks at is not allowed.
    """
    from skillbag.permissions import path_patterns
    from skillbag.permissions.command_patterns import line_fault

    if not allowed_tools.strip():
        return None
    if not isinstance(tool, str):
        return ""
    entries = list(_entries_of(allowed_tools))
    if any(entry.tool == tool and entry.body in _ANY for entry in entries):
        return None
    called, tool, entries = tool, tool_of(tool), [entry._replace(tool=tool_of_entry(entry.tool)) for entry in entries]
    if any(_names_tool(entry, tool) for entry in entries):
        return None
    bodies = [body for entry in entries if (body := _body_of(entry, tool)) is not None]
    if not bodies or not isinstance(arguments, Mapping):
        return ""
    if tool == SHELL:
        return line_fault(bodies, shell_arguments(called, arguments), root or os.getcwd())
    if tool in path_patterns.FILE_TOOLS:
        return path_patterns.paths_fault(bodies, tool, arguments, root)
    if tool == path_patterns.WEB:
        return path_patterns.addresses_fault(bodies, arguments)
    return ""


def _entries_of(allowed_tools: str) -> Iterator[_Entry]:
    """The entries in order, separated by white space and commas outside of parentheses.

    Left out are malformed ones, and all that follows a parenthesis too many or one that is not closed.
    """
    for text in _split(allowed_tools):
        if match := _ENTRY().fullmatch(text):
            yield _Entry(match[1], None if match[2] is None else match[2].strip())


def _split(text: str) -> Iterator[str]:
    start, depth = 0, 0
    for index, char in enumerate(f"{text} "):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            return
        if depth == 0 and (char == "," or char.isspace()):
            yield text[start:index]
            start = index + 1


def _names_tool(entry: _Entry, tool: str) -> bool:
    """Whether the entry allows the tool whatever it is given: `Read`, `Read(*)`, `mcp__server__*`, or `*` for all."""
    if entry.body not in _ANY:
        return False
    is_server = bool(_SERVER().fullmatch(entry.tool))
    return entry.tool in ("*", tool) or (is_server and tool.startswith(entry.tool[:-1]))


def _body_of(entry: _Entry, tool: str) -> str | None:
    """What the entry says of the arguments of this tool; None where it says nothing.

    The name of a program, such as `git`, says of the shell what `Bash(git:*)` does: so does the bootstrap skill of the
    standard name its tools (clause bootstrap.tools).
    """
    if entry.body is None and tool == SHELL and _PROGRAM().fullmatch(entry.tool):
        return f"{entry.tool}:*"
    return entry.body if entry.tool == tool else None
