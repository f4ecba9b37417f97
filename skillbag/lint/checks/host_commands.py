"""Commands of hooks and servers: the files that they start are there, can run, and are quoted for a shell."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import MakeExecutable, TextEdit
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.host_file import HostFile, objects_in
from skillbag.lint.checks.executables import lacks_bit
from skillbag.lint.checks.path_resolution import BUILT
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SERVER_KEYS = {"vscode-servers": "servers"}
"""The key of the servers where it is not `mcpServers`."""
_SERVER_KINDS = (
    *("claude-servers", "claude-plugin", "agent-plugin-servers", "codex-plugin", "cursor-plugin", "cursor-servers"),
    *("copilot-servers", "vscode-servers", "gemini-extension", "claude-agent"),
)
_HOOK_KINDS = ("claude-hooks", "claude-settings", "claude-plugin", "claude-agent", "codex-plugin")
_IN_PLUGIN = ("claude-hooks", "claude-plugin", "claude-servers")
_FLAT_KINDS = ("copilot-hooks", "cursor-hooks")
_SETTINGS = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper", "statusLine")
"""Settings of Claude Code that are commands, or have one."""
_ROOTS = "CLAUDE_PLUGIN_ROOT|PLUGIN_ROOT|CLAUDE_PROJECT_DIR|extensionPath"
_OWN = late(rf"\$(?:\{{(?:{_ROOTS})\}}|(?:{_ROOTS})\b)/?(?P<path>[^$`*?\[{{]*)\Z")
_BARE = late(
    r"(?<![\w\"'\\=/$}])(?P<path>\$(?:\{(?:CLAUDE_)?PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)[^\s\"';|&)\\<>]*)"
    r"(?=[\s;|&)<>]|\Z)"
)
_PLAIN = late(r"\$\{?\w+\}?[\w./@+:-]*")
_LONGEST = 10_000
"""Characters of a command whose words are looked at."""
_SCRIPTS = (".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".ps1", ".cmd")
_NEAR = late(r"(?:\./)?(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.(?:sh|bash|py|[mc]?js|ts|rb|pl|ps1|cmd)\Z")
_RUNNERS = ("", "bash", "sh", "zsh", "node", "bun", "tsx", "python", "python3", "ruby", "perl", "run")
_CAUTIOUS = frozenset({"cd", "-d", "-e", "-f", "-x", "pushd"})
"""Words of a line that leaves the folder of the project, where hooks begin, or that looks before it starts a script."""


class HostCommand(NamedTuple):
    """A command that a host starts: the words as the host splits them, the keys that lead to it, and its event.

    `event` is empty for a server. `line` is what a shell reads; empty where no shell is between.
    """

    words: tuple[str, ...]
    keys: tuple[str | int, ...]
    event: str
    line: str = ""

    @property
    def is_unasked(self) -> bool:
        """Whether it runs without a question: a server may come from an address, but no line for a shell."""
        return bool(self.event) or (len(self.words) > 1 and self.words[1] in ("-c", "-lc", "/c", "-Command"))


def commands_of(file: HostFile) -> Iterator[HostCommand]:
    """The commands of the hooks, servers and settings in a file, as far as it has the form for them."""
    value = file.value if isinstance(file.value, dict) else {}
    events = value.get("hooks")
    if file.kind in (*_HOOK_KINDS, *_FLAT_KINDS) and isinstance(events, dict):
        yield from _hooks(events, is_flat=file.kind in _FLAT_KINDS)
    for key in _SETTINGS if file.kind == "claude-settings" else ():
        setting = value.get(key)
        if isinstance(setting, str):
            yield HostCommand((*_split(setting),), (key,), key, setting)
        elif isinstance(setting, dict):
            yield from _handler(setting, key, (key,))
    key = _SERVER_KEYS.get(file.kind, "mcpServers")
    # Claude Code reads a file of servers without that key, too.
    above = () if file.kind == "claude-servers" and key not in value else (key,)
    servers = (value.get(key) if above else value) if file.kind in _SERVER_KINDS else None
    for name, server in servers.items() if isinstance(servers, dict) else ():
        command = server.get("command") if isinstance(server, dict) else None
        if isinstance(command, str):
            yield HostCommand((command, *_texts(server.get("args"))), (*above, name, "command"), "")


def _hooks(events: dict[str, Any], *, is_flat: bool) -> Iterator[HostCommand]:
    """The commands of hooks: in plain lists, or in groups, as Claude Code and Codex have them."""
    for event in events:
        for number, group in objects_in(events, event):
            inner = [((), group)] if is_flat else [(("hooks", at), item) for at, item in objects_in(group, "hooks")]
            for keys, handler in inner:
                yield from _handler(handler, event, ("hooks", event, number, *keys))


def _handler(handler: dict[str, Any], event: str, keys: tuple[str | int, ...]) -> Iterator[HostCommand]:
    for key in ("command", "bash", "powershell"):
        command = handler.get(key)
        if isinstance(command, str):
            args = handler.get("args")
            words, line = ([command, *_texts(args)], "") if isinstance(args, list) else (_split(command), command)
            yield HostCommand((*words,), (*keys, key), event, line)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line if len(line) <= _LONGEST else "")
    except ValueError:
        return []


@Predicate("host-command-missing", Subject.HOST_FILE, values=("what", "path", "effect"))
def host_command_missing(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Files of the plugin or project that a hook or server starts, and that are not there."""
    for command in commands_of(file):
        for path, place in started_by(file, command):
            if tracked.target_exists(place) or is_made(file, place):
                continue
            what = f"The hook for {command.event}" if command.event else f"The server `{command.keys[1]}`"
            effect = "The hook fails each time." if command.event else "The server does not start."
            values = {"what": what, "path": short(path), "effect": effect}
            yield Match(file.path, *file.place(*command.keys), values)


def started_by(file: HostFile, command: HostCommand) -> Iterator[tuple[str, str]]:
    """The files of its own that a command starts or has started: as written, and absolute."""
    before = ""
    for word in command.words:
        match = _OWN().match(word)
        path = match["path"] if match else ""
        is_near = before in _RUNNERS["/" not in word :] and _NEAR().match(word) and _CAUTIOUS.isdisjoint(command.words)
        if file.kind == "claude-settings" and (is_near or word.startswith((".claude/", "./.claude/"))):
            path = path or word
        # Other files may be made, or be there with the user alone.
        is_started = not before or (path.endswith(_SCRIPTS) and not before.startswith((">", "2>", "&>", "-")))
        if path and is_started and ".." not in path.split("/"):
            yield word, os.path.normpath(os.path.join(file.file.root, *path.split("/")))
        before = word


@Predicate("plugin-command-relative", Subject.HOST_FILE, values=("path",))
def plugin_command_relative(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Files of a plugin that its hooks (raised) and servers start by a path looked for in the user's project."""
    root = file.file.root
    is_plugin = file.kind != "claude-servers" or tracked.is_file(os.path.join(root, ".claude-plugin", "plugin.json"))
    for command in commands_of(file) if file.kind in _IN_PLUGIN and is_plugin else ():
        for number, word in enumerate(command.words[:2] if command.event else command.words):
            inner = word.removeprefix("./")
            is_path = ("/" in word and inner.endswith(_SCRIPTS)) or (inner != word and not command.event)
            is_own = is_path and word[0] not in "$/~-@" and ".." not in word and ":" not in word
            place = os.path.normpath(os.path.join(root, *inner.split("/"))) if is_own else root
            if tracked.is_file(place) or (place != root and not command.event and is_made(file, place)):
                keys = command.keys if command.event or not number else (*command.keys[:-1], "args", number - 1)
                node = None if command.event else file.node(*keys)
                first = node.start + 1 if node and getattr(node, "value", "") == word else 0
                edit = TextEdit(file.path, first, first + len(word) - len(inner), "${CLAUDE_PLUGIN_ROOT}/")
                values, edits = {"path": short(word)}, (edit,) if first else ()
                yield Match(file.path, *file.place(*keys), values, edits, raised=bool(command.event))


def is_made(file: HostFile, place: str) -> bool:
    """Whether a file is made after a clone: it lies in such a folder, or git ignores it."""
    inner = os.path.relpath(place, file.file.root).split(os.sep)
    return not BUILT.isdisjoint(inner) or place in git.ignored([file.file.root, place])


@Predicate("host-command-not-executable", Subject.HOST_FILE, values=("path",))
def host_command_not_executable(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Scripts that a hook or server starts directly, without the executable bit."""
    for command in commands_of(file):
        for path, place in started_by(file, command):
            if path == command.words[0] and tracked.is_file(place) and lacks_bit(place, file.root):
                edits = (MakeExecutable(place),)
                yield Match(file.path, *file.place(*command.keys), {"path": short(path)}, edits)


@Predicate("host-variable-bare", Subject.HOST_FILE, values=("path",))
def host_variable_bare(file: HostFile, _: NoOptions) -> Iterator[Match]:
    """Paths below the folder of a plugin that a shell splits where the folder's name has a blank."""
    text = getattr(file.document, "text", "")
    for command in commands_of(file):
        place = file.scalar(*command.keys) if command.line else None
        if place is None or not text[place[0] : place[1]].startswith('"'):
            continue
        first = place[0] + 1
        spans = [match.span("path") for match in _BARE().finditer(text[first : place[1] - 1])]
        found = [(first + start, first + end) for start, end in spans]
        if found:
            words = [text[start:end] for start, end in found]
            # Quotes around a glob would change what it means, and so would some within others.
            line = text[first : place[1] - 1]
            is_plain = all(map(_PLAIN().fullmatch, words)) and "'" not in line and '"' not in line
            edits = [TextEdit(file.path, start, end, f'\\"{text[start:end]}\\"') for start, end in found if is_plain]
            yield Match(file.path, *found[0], {"path": short(text[slice(*found[0])])}, tuple(edits))
