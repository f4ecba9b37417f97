"""Names in the hooks and agents of Claude Code: matchers that match something, and tools that there are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.linear_nodes import BadExpressionError
from skillbag.kernel.base.linear_regex import TooMuchWorkError, expression
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.hosts.model import EventFact
from skillbag.kernel.hosts.table import HOSTS
from skillbag.kernel.workspace.host_file import HostFile, objects_in
from skillbag.kernel.workspace.host_folders import HostFolder
from skillbag.lint.checks.host_commands import commands_of
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FILES = ("claude-hooks", "claude-settings", "claude-plugin", "claude-agent")
_TOOL_EVENTS = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"})
_NAMES = late(r"[\w\- ,|]*")
_PERMISSION = late(r"(?P<tool>[A-Z]\w*)\([^()|]*[:* ][^()|]*\)")
_LONGEST = 1000
_SEARCHED = 10_000
"""Characters of a command that are searched."""
_SERVER = late(r"mcp__[^_*.]+(?:_[^_*.]+)*_?")


class HookGroup(NamedTuple):
    """One group of hooks: its event, its keys in the file, and its value."""

    event: EventFact
    keys: tuple[str | int, ...]
    value: dict[str, Any]


def groups_of(file: HostFile) -> Iterator[HookGroup]:
    """The groups of hooks in a file, of events that there are."""
    events = file.value.get("hooks") if isinstance(file.value, dict) and file.kind in _FILES else None
    known = {event.name: event for event in HOSTS["claude-code"].events}
    for name in events if isinstance(events, dict) else ():
        for number, group in objects_in(events, name) if name in known else ():
            yield HookGroup(known[name], ("hooks", name, number), group)


@Predicate("hook-dead", Subject.HOST_FILE, values=("fault",))
def hook_dead(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Matchers of hooks that Claude Code passes over, or that match nothing."""
    for group in groups_of(file):
        matcher = group.value.get("matcher")
        if isinstance(matcher, str) and (fault := _matcher_fault(group.event, matcher)):
            yield Match(file.path, *file.place(*group.keys, "matcher"), {"fault": fault})


def _matcher_fault(event: EventFact, matcher: str) -> str:
    """What is wrong with a matcher, as a sentence; empty if nothing is known to be."""
    if matcher in ("", "*") or len(matcher) > _LONGEST or "(?<" in matcher:
        # Names of groups are written in another way in JavaScript.
        return ""
    if not event.matcher:
        return f"{event.name} has no matchers: the hook runs each time, not only at `{short(matcher)}`"
    if event.name in _TOOL_EVENTS and (rule := _PERMISSION().fullmatch(matcher)):
        return f"`{short(matcher)}` is a permission and matches no tool: write `{rule['tool']}`, and the rest as `if`"
    if _NAMES().fullmatch(matcher):
        names = [name for name in re.split(r"[|, ]+", matcher) if name]
        return _names_fault(event, names)
    try:
        re.compile(matcher)
    except (re.error, RecursionError, OverflowError):
        return f"`{short(matcher)}` is neither a name nor a regular expression, so it matches nothing"
    if event.values and not _may_match(matcher, event.values):
        return f"`{short(matcher)}` matches nothing: {event.name} has {', '.join(event.values)}"
    return ""


def _may_match(matcher: str, values: Iterable[str]) -> bool:
    """Whether an expression matches one of the values, or nobody knows: a hostile one is not searched with."""
    try:
        return any(expression(matcher).matches(value) for value in values)
    except (BadExpressionError, TooMuchWorkError):
        return True


def _names_fault(event: EventFact, names: list[str]) -> str:
    if event.values:
        wrong = [name for name in names if name not in event.values]
        return f"{event.name} has no `{short(wrong[0])}`{nearest(wrong[0], event.values, '`{}`')}" if wrong else ""
    if event.name in _TOOL_EVENTS:
        for name in names:
            if _SERVER().fullmatch(name):
                return f"`{short(name)}` matches no tool: write `{short(name)}__.*` for all tools of the server"
        faults = [fault for name in names if (fault := tool_fault(name))]
        # A tool that is gone, or of another host, may stand beside the present ones.
        return next((fault for fault in faults if fault.endswith("?") or len(faults) == len(names)), "")
    return ""


def tool_fault(name: str) -> str:
    """What is wrong with the name of a tool of Claude Code, as a sentence."""
    tools = HOSTS["claude-code"].tools
    known = {each for tool in tools if tool.state != "gone" for each in tool.names}
    if name in known or name in ("", "*") or name.startswith("mcp__"):
        return ""
    if any(name in tool.names for tool in tools):
        return f"Claude Code has no tool `{name}` any more"
    by_case = [each for each in known if each.lower() == name.lower()]
    hint = f"; did you mean `{by_case[0]}`?" if by_case else nearest(name, known, "`{}`", 0.75)
    return f"Claude Code has no tool `{short(name)}`{hint}"


_REMOTE = late(r"https?://(?:[^/@\s]*@)?(?P<host>[^/\s:?#]+)")
_LOCAL = ("localhost", "127.", "[::1]", "0.0.0.0")  # noqa: S104
_SENT = late(
    r"\b(?:curl|wget|xh|http)\b(?=[^|;&\n]{0,400}?(?:@-|-T[ ]*-|\$\(cat\)|/dev/stdin|transcript_path))"
    r"[^|;&\n]{0,400}?https?://(?P<host>[^/\s:?#\"'$]+)"
)
"""A command that sends what it gets, which is the event."""
_TOOL_KEYS = {"claude-agent": ("tools", "disallowedTools"), "claude-command": ("allowed-tools", "disallowed-tools")}
_SPLIT = late(r"[^,\s()]+(?:\([^)]*\))?")


@Predicate("agent-tools", Subject.HOST_FILE, values=("fault",))
def agent_tools(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Tools of an agent or command that Claude Code does not have; raised where an agent has none and can't start."""
    for key in _TOOL_KEYS.get(file.kind, ()):
        value = file.value.get(key) if isinstance(file.value, dict) else None
        entries = value if isinstance(value, list) else _SPLIT().findall(value) if isinstance(value, str) else []
        names = [entry.partition("(")[0].strip() for entry in entries if isinstance(entry, str)]
        # What is allowed without a question matters less than what an agent has.
        faults = [fault for fault in map(tool_fault, names) if fault and (key == "tools" or fault[-1] == "?")]
        if faults:
            is_fatal = len(faults) == len(names) and key == "tools"
            more = f" ({len(faults) - 1} more are not there either)" if len(faults) > 1 else ""
            end = "; it has none of these tools, so it can't start the agent" if is_fatal else ""
            yield Match(file.path, *file.place(key), {"fault": f"{faults[0]}{more}{end}"}, raised=is_fatal)


@Predicate("agent-twice", Subject.HOST_FOLDER, values=("name", "other"))
def agent_twice(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Agents of one name in a project, or in one folder of a plugin, where the folders are a part of the name."""
    seen: dict[tuple[str, str], HostFile] = {}
    for file in folder.of_kind("claude-agent"):
        name = file.value.get("name") if isinstance(file.value, dict) else None
        place = "" if file.relative.startswith(".claude/") else os.path.dirname(file.path)
        if isinstance(name, str) and (first := seen.setdefault((place, name), file)) is not file:
            yield Match(file.path, *file.place("name"), {"name": short(name), "other": first.relative})


@Predicate("hook-sends", Subject.HOST_FILE, values=("event", "host"))
def hook_sends(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Hooks that send what happens to another machine, without a program that could be read."""
    for group in groups_of(file):
        for number, handler in objects_in(group.value, "hooks"):
            url = handler.get("url") if handler.get("type") == "http" else None
            match = _REMOTE().match(url) if isinstance(url, str) else None
            if match and not match["host"].startswith(_LOCAL):
                values = {"event": group.event.name, "host": match["host"][:80]}
                yield Match(file.path, *file.place(*group.keys, "hooks", number, "url"), values)
    for command in commands_of(file):
        match = _SENT().search(command.line[:_SEARCHED]) if command.event else None
        if match and not match["host"].startswith(_LOCAL):
            values = {"event": command.event, "host": match["host"][:80]}
            yield Match(file.path, *file.place(*command.keys), values)
