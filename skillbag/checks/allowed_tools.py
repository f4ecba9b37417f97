"""The names of tools in `allowed-tools`: misspelled ones allow nothing.

Sources: the lists of tools in the documentation of Claude Code, which compares names with case, and of other hosts.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.documents.source import Document
from skillbag.standard.blocks import scalars_of
from skillbag.standard.tool_names import NAMES
from skillbag.workspace.skill import Skill

_CLAUDE_CODE = """
Agent Artifact AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree
ExitPlanMode ExitWorktree Explore Glob Grep KillBash KillShell LS LSP ListMcpResources ListMcpResourcesTool Monitor
MultiEdit NotebookEdit NotebookRead PowerShell PushNotification REPL Read ReadMcpResource ReadMcpResourceTool
RemoteTrigger ScheduleWakeup SendMessage SendUserMessage Skill SlashCommand StructuredOutput Task TaskCreate TaskGet
TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch
Workflow Write
"""
_OTHER_HOSTS = """
AskUser Await Browser Computer Delete EditNotebook FindFiles GoogleSearch Python ReadFolder ReadLints ReadManyFiles
SaveMemory Search SearchText SemanticSearch SetTodoList Subagent Terminal Think
"""
"""Tools of Cursor, Factory, Gemini CLI, Kimi CLI and others, as far as their names have capitals. `standard.tool_names`
has those that Claude Code has as well."""

CLAUDE_TOOLS = frozenset(_CLAUDE_CODE.split())
_OTHERS = frozenset({*_OTHER_HOSTS.split(), *(name for name in NAMES if not name.islower())})
_ENTRY = late(r"([^\s,()\[\]\"']+)(\([^()]*+\))?|\([^()]*+\)")
_UNCLOSED = late(r"([A-Za-z][\w-]*\([^()\n]*)(?:\(|\n|\Z)")
_NAME = late(r"[A-Za-z][A-Za-z0-9]*")


class Tools(NamedTuple):
    """`known`: names of further tools."""

    known: tuple[str, ...] = ()


class _Entry(NamedTuple):
    """An entry's tool with its place, and whether it has a pattern in parentheses."""

    name: str
    start: int
    limited: bool


@Predicate("tool-unknown", Subject.SKILL, values=("tool", "nearest"), options=Tools, needs="odd-tools")
def unknown_tool(skill: Skill, options: Tools) -> Iterator[Match]:
    """Entries whose tool no known host has; raised where it is one of Claude Code's, misspelled.

    Names with other characters than letters and digits are those of MCP servers, plugins and other hosts. A list of
    commands, such as the SkillBag standard has it, is left alone.
    """
    entries = list(_entries(skill))
    in_style = any(entry.name in CLAUDE_TOOLS or entry.limited for entry in entries)
    known = {*CLAUDE_TOOLS, *_OTHERS, *(name.lower() for name in _OTHERS), *options.known}
    lowered = {name.lower(): name for name in (*sorted(_OTHERS), *sorted(CLAUDE_TOOLS))}
    plain = all(entry.name.lower() in lowered for entry in entries)
    for entry in entries:
        if entry.name in known or not (in_style or plain or entry.name[0].isupper()):
            continue
        nearest = _nearest(entry.name, lowered)
        if nearest or entry.name[0].isupper():
            values = {"tool": short(entry.name), "nearest": f"; did you mean `{nearest}`?" if nearest else ""}
            misspelled = bool(nearest) and (in_style or not plain)
            yield Match(skill.path, entry.start, entry.start + len(entry.name), values, raised=misspelled)


@Predicate("tools-unclosed", Subject.SKILL, values=("tool",), needs="open-pattern")
def unclosed_pattern(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """The first entry whose pattern in parentheses does not end."""
    node, document = skill.field("allowed-tools"), skill.document
    if node is None or not isinstance(document, Document):
        return
    for scalar in scalars_of(node):
        if scalar.value.count("(") > scalar.value.count(")"):
            match = _UNCLOSED().search(document.text, scalar.start, scalar.end)
            if match:
                yield Match(skill.path, *match.span(1), {"tool": short(match[1])})


def _entries(skill: Skill) -> Iterator[_Entry]:
    node, document = skill.field("allowed-tools"), skill.document
    if node is None or not isinstance(document, Document):
        return
    for scalar in scalars_of(node):
        for match in _ENTRY().finditer(document.text, scalar.start, scalar.end):
            if match[1] and _NAME().fullmatch(match[1]):
                yield _Entry(match[1], match.start(), match[2] is not None)


def _nearest(name: str, lowered: dict[str, str]) -> str | None:
    for spelled in (name.lower(), name.lower().removesuffix("tool")):
        if spelled in lowered:
            return lowered[spelled]
    from difflib import get_close_matches

    close = get_close_matches(name.lower()[:40], lowered, 1, 0.75)
    return lowered[close[0]] if close else None
