"""Facts of settings: MCP servers, hooks, and the tools that a skill may use unasked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.nodes import Mapping, Scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.hosts.events import EVENTS
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.capabilities.declared import tools_of
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.places import shortened

_MCP_ADD = late(
    r"\b(?:claude|codex|gemini|openclaw)[ \t]+mcp[ \t]+add(?:-json)?[ \t]+"
    r"((?:(?:-\w|--[\w-]+)(?:[ \t=]+(?:user|project|local|http|sse|stdio))?[ \t]+){0,4})"
    r"[\"']?([\w@./-]{1,60})[\"']?([^\n`]{0,120})"
)
_TOML_SERVER = late(r"(?m)^[ \t]*\[mcp_servers\.([\w-]+)\]")
_HOOK_EVENTS = late(rf"\"({'|'.join(EVENTS)})\"[ \t]*:[ \t\r\n]*\[")
_COMMAND = late(r"\"(?:command|bash|powershell)\"[ \t]*:[ \t]*\"((?:[^\"\\\n]|\\.){1,200})\"")
_REACH = 600
_UNLIMITED = ("Bash", "Shell", "Terminal", "Execute", "bash", "shell", "run_command", "Bash(*)", "Bash(*:*)")


def front_matter_facts(skill: Skill) -> Iterator[FoundFact]:
    """The tools that `allowed-tools` names, and the hooks of the front matter."""
    document = skill.document
    if not isinstance(document, Document):
        return
    node = skill.field("allowed-tools")
    if node is not None:
        place = FactPlace(skill.file, *document.position(node.start))
        for tool in tools_of(node):
            mark = "everything" if tool in ("*", "all") else "any-command" if tool in _UNLIMITED else ""
            yield FoundFact(FactKind.ALLOWED_TOOL, tool, place, (mark,) if mark else ())
    hooks = skill.field("hooks")
    if isinstance(hooks, Mapping):
        for key, value in hooks.entries:
            place = FactPlace(skill.file, *document.position(key.start))
            text = document.text[value.start : value.end]
            yield FoundFact(FactKind.HOOK, key.value, place, (), shortened(" ".join(text.split()), 120))
    for field in ("mcpServers", "mcp-servers", "mcp_servers"):
        servers = skill.field(field)
        for entry in servers.entries if isinstance(servers, Mapping) else ():
            place = FactPlace(skill.file, *document.position(entry.key.start))
            detail = entry.value.value if isinstance(entry.value, Scalar) else ""
            yield FoundFact(FactKind.MCP_SERVER, entry.key.value, place, (), detail)


def settings_facts(file: TextFile) -> Iterator[FoundFact]:
    """MCP servers and hooks in a text, set up by a command or as settings to write."""
    text = file.document.text
    if "mcp" in text:
        for match in _MCP_ADD().finditer(text):
            if match[2][0].isalnum() or match[2][0] == "@":
                yield _found(file, FactKind.MCP_SERVER, match[2], match.start(), _command_of(match[3]))
        if "mcp_servers" in text:
            for match in _TOML_SERVER().finditer(text):
                yield _found(file, FactKind.MCP_SERVER, match[1], match.start(1), "")
    if "mcpServers" in text:
        yield from _servers(file)
    if '"command"' in text or '"bash"' in text or '"powershell"' in text:
        for match in _HOOK_EVENTS().finditer(text):
            command = _COMMAND().search(text, match.end(), match.end() + _REACH)
            if command:
                yield _found(file, FactKind.HOOK, match[1], match.start(), command[1].replace('\\"', '"'))


def _found(file: TextFile, kind: FactKind, value: str, at: int, detail: str) -> FoundFact:
    return FoundFact(kind, value, FactPlace(file.relative, *file.document.position(at)), (), detail)


def _command_of(rest: str) -> str:
    return rest.strip().removeprefix("--").strip()


_DECODER = json.JSONDecoder()
_KEY = '"mcpServers"'
_MAX = 20


def _servers(file: TextFile) -> Iterator[FoundFact]:
    """The servers of each object after the key, where that is JSON."""
    text, at = file.document.text, -1
    for _ in range(_MAX):
        at = text.find(_KEY, at + 1)
        if at < 0:
            return
        start = text.find("{", at, at + 40)
        if start < 0:
            continue
        try:
            value, _end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        for name, server in value.items() if isinstance(value, dict) else ():
            place = max(text.find(json.dumps(name), start), start)
            yield _found(file, FactKind.MCP_SERVER, name, place, _command(server))


def _command(server: Any) -> str:
    if not isinstance(server, dict):
        return ""
    arguments = server.get("args")
    arguments = arguments if isinstance(arguments, list) else []
    return shortened(" ".join(map(str, [server.get("command") or server.get("url") or "", *arguments])), 200).strip()
