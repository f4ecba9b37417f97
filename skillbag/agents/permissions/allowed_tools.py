"""`allowed-tools`: which calls of other tools an active skill lets pass. What is not plainly allowed is blocked.

This guards against other programs, files and addresses being reached through the words of a call. It is no sandbox: an
allowed program does what it does, and a file may be another one by the time a tool opens it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from skillbag.agents.permissions.active import SkillInUse, active_skill
from skillbag.agents.permissions.program_options import words
from skillbag.agents.permissions.real_paths import PatternFolders
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.standard.tool_entries import ToolEntry, malformed_entry, tool_entries
from skillbag.kernel.standard.tool_names import SHELL, line_argument, tool_of, tool_of_entry

if TYPE_CHECKING:
    # A hook waits for whatever is loaded here, before every call of a tool.
    from skillbag.agents.settings.scope import Scope

OWN_TOOLS = words(
    "skill_marketplace read_skill_file run_skill_script end_skill skill_add skill_remove enter refresh resolve remember"
)
"""Our tools that are no skill's: they stay allowed (agent-tools, known fault 4)."""

Call: TypeAlias = tuple[str, CallInput | None]
"""The name of a tool, and its arguments."""

OWN_PREFIX = "mcp__skillbag__"
"""How hosts name the tools of our MCP server."""

_SKILL_TOOL = late(r"skill_(?:(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*|[a-z0-9][a-z0-9-]{48}_[0-9a-f]{8})")
_SERVER = late(r"(mcp__.+__)\*|mcp__(?:(?!__).)+")
_PROGRAM = late(r"[a-z][a-z0-9.+-]*")
_ANY = (None, "*")
_AGENT = "Agent"
"""`Agent(Explore)` allows subagents of this type."""


def why_blocked(scope: Scope, tool: str, arguments: CallInput | None, at: str | None = None) -> str | None:
    """The message with which a call is blocked while a skill is active, None where it may go on.

    `Tool 'Write' is not allowed while skill 'aa' is active. Allowed tools: Read, Grep, Bash(git:*)`. Our own tools
    (`skill_*` and those of management and lifecycle) are never blocked. Where the record of the active skill can't be
    read, every other tool is. Paths count from the scope's root, or from `at`.
    """
    return None if is_own_tool(tool) else why_refused(scope, tool, lambda _: ((tool, arguments),), at)


def why_refused(
    scope: Scope, tool: str, forms: Callable[[SkillInUse], Iterable[Call]], at: str | None = None
) -> str | None:
    """As `why_blocked` for a tool of any name. `forms` are the calls as which a skill's list may allow this one."""
    try:
        active = active_skill(scope)
    except (UserError, OSError) as error:
        return _blocked(tool, f": {format_error(error)}")
    for skill in (active, *active.callers) if active else ():
        if skill.allowed_tools is None:
            continue
        folders = PatternFolders(skill.folder, scope.root)
        whys = [refusal(skill.allowed_tools, *form, at or scope.root, folders) for form in forms(skill)]
        if None not in whys:
            why = next(filter(None, whys), "")
            refused = f". Refused: {why}" if why else ""
            return _blocked(
                tool, f" while skill '{skill.name}' is active. Allowed tools: {skill.allowed_tools}{refused}"
            )
    return None


def _blocked(tool: str, why: str) -> str:
    from skillbag.report.sanitize import shown

    return f"Tool '{shown(str(tool))}' is not allowed{shown(why)}"


def is_own_tool(tool: object) -> bool:
    """Whether it is one of ours, by its own name or as hosts name it (`mcp__skillbag__enter`).

    Any `skill_NAME` is, whether or not there is such a skill; NAME must be a skill's canonical name, whole or cut
    (`personal.names.tool_name`).
    """
    if not isinstance(tool, str):
        return False
    name = tool.removeprefix(OWN_PREFIX)
    return name in OWN_TOOLS or bool(_SKILL_TOOL().fullmatch(name))


def refusal(
    allowed_tools: str,
    tool: str,
    arguments: CallInput | None,
    root: str | None,
    folders: PatternFolders = PatternFolders(),  # noqa: B008 - it can't be changed
) -> str | None:
    """Why no pattern lets the call pass; None where one does, nothing where no pattern is about such a call.

    Tools of all known agents count as those of Claude Code (`kernel.standard.tool_names`): `file_head` passes where
    `Read` does. An empty text restricts nothing, a malformed list allows nothing. Relative paths and patterns of paths
    count from `root`. `arguments` may hold any JSON: what is missing or of another shape than a pattern looks at is not
    allowed.
    """
    from skillbag.agents.permissions import path_patterns
    from skillbag.agents.permissions.command_patterns import line_fault

    if not allowed_tools.strip():
        return None
    if not isinstance(tool, str):
        return ""
    if bad := malformed_entry(allowed_tools):
        return f"`{bad.text[:80]}` is no entry of allowed-tools ({bad.fault}), and a malformed list allows nothing"
    entries = tool_entries(allowed_tools)
    if any(entry.tool == tool and entry.body in _ANY for entry in entries):
        return None
    called, tool = tool, tool_of(tool)
    entries = tuple(entry._replace(tool=tool_of_entry(entry.tool)) for entry in entries)
    if any(_names_tool(entry, tool) for entry in entries):
        return None
    bodies = [body for entry in entries if (body := _body_of(entry, tool)) is not None]
    if not bodies or not isinstance(arguments, Mapping):
        return ""
    if tool == SHELL:
        line = line_argument(called, arguments)
        return line_fault(bodies, arguments.get(line), arguments.keys() - {line}, root or os.getcwd(), folders)
    if tool in path_patterns.FILE_TOOLS:
        return path_patterns.paths_fault(bodies, tool, arguments, root)
    if tool == path_patterns.WEB:
        return path_patterns.addresses_fault(bodies, arguments)
    return None if tool == _AGENT and arguments.get("subagent_type") in bodies else ""


def _names_tool(entry: ToolEntry, tool: str) -> bool:
    """Whether the entry allows the tool whatever it is given: `Read`, `Read(*)`, `*` for all, and `mcp__server` or
    `mcp__server__*` for those of a server."""
    if entry.body not in _ANY:
        return False
    server = _SERVER().fullmatch(entry.tool)
    return entry.tool in ("*", tool) or (server is not None and tool.startswith(server[1] or f"{server[0]}__"))


_COVERED = {
    "Read": words("Glob Grep LS NotebookRead"),
    "Edit": words("MultiEdit NotebookEdit Write"),
}
"""Tools for which Claude Code holds the paths of another one's patterns, too."""


def _body_of(entry: ToolEntry, tool: str) -> str | None:
    """What the entry says of the arguments of this tool; None where it says nothing.

    The name of a program, such as `git`, says of the shell what `Bash(git:*)` does: so does the bootstrap skill of the
    standard name its tools (clause bootstrap.tools).
    """
    if entry.body is None and tool == SHELL and _PROGRAM().fullmatch(entry.tool):
        return f"{entry.tool}:*"
    is_covered = entry.body not in _ANY and tool in _COVERED.get(entry.tool, ())
    return entry.body if entry.tool == tool or is_covered else None
