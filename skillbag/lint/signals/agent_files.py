"""Files in a text that steer an agent: its configuration, hooks and servers, its identity and its memory.

The names are those of Claude Code, Codex, Gemini CLI, Cursor, VS Code, Windsurf and OpenClaw.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

MEMORY, CONFIGURATION = "memory", "configuration"


class AgentFile(NamedTuple):
    """A mention of such a file: its span (in code points), its kind, and its path as written.

    `written`: a command, call or sentence beside it writes it, or writes the variable that it is assigned to.
    """

    start: int
    end: int
    kind: str
    path: str
    written: bool


MEMORIES = ("SOUL.md", "MEMORY.md", "IDENTITY.md", "HEARTBEAT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
_SETTINGS = (
    *("settings.json", "settings.local.json", ".claude.json", "mcp.json", "hooks.json", "claude_desktop_config.json"),
    *("openclaw.json", "clawdbot.json", "mcp_config.json", "config.toml"),
)
ALONE = frozenset(("openclaw.json", "clawdbot.json", "claude_desktop_config.json", ".claude.json"))
_FOLDER = late(
    r"\.(?:claude|codex|gemini|qwen|cursor|openclaw|clawdbot|moltbot|windsurf|codeium|vscode)\b[\w./\\\"', )]{0,40}$"
)
_PATH = late(r"[\w./\\~${}%:@-]*\Z")
_NAME = late("|".join(map(re.escape, sorted((*MEMORIES, *_SETTINGS), key=len, reverse=True))))
_WRITES_BEFORE = late(
    r"""(?: (?<![=\d&-])>>?[ \t]* | \btee[ \t]+(?:-a[ \t]+)? | (?<![\w-])(?:-o|-O|--output)[ \t=]+
      | (?<![\w./-])(?:cp|mv|ln|install)[ \t][^\n;|&]*[ \t]
      | (?<![\w./-])sed[ \t]+-i[^\n;|&]*[ \t]
      | \b(?:write|append|copy)File(?:Sync)?\([^\n;]{0,120}
      | \b(?:Set-Content|Add-Content|Out-File)\b[^\n;|]{0,120} )
      ["'({]*(?:[\w.]*\((?:[^()\n]{0,80},)?[ \t]*["']?)?\Z""",
    re.VERBOSE,
)
_WRITES_AFTER = late(
    r"""["')\]} \t]{0,6} (?: ,[ \t]*(?:mode[ \t]*=[ \t]*)?["'][wax]b?\+?["']
      | (?:\.(?:expanduser|resolve|absolute)\(\)){0,2} \.(?:write_text\(|write_bytes\(|open\(["'][wa]) )""",
    re.VERBOSE,
)
_LAST_ARGUMENT = late(r"[\"'})]*[ \t]*(?:\r?$|[;&|<#])", re.MULTILINE)
_WRITING = late(
    r"\b(?:append|add|write|save|insert|store|record|put)\b[^.!?\n]{0,120}?\b(?:to|in|into|at\s+the\s+end\s+of)\s+"
    r"(?:the\s+|your\s+|its\s+|file\s+){0,3}[`*_\"']*\Z",
    re.IGNORECASE,
)
ASSIGNED = late(
    r"^[ \t]*(?:(?:export|local|readonly|const|let|var)[ \t]+|\$)?(\w{1,60})(?:[ \t]*:[ \t]*\w+)?[ \t]*=(?!=)"
)
_MAX_VARIABLES = 20


def agent_files(text: str, offsets: Iterable[int], *, prose: bool = False) -> Iterator[AgentFile]:
    """The mentions of such files in `text`, in order; `offsets` are where the names begin.

    In `prose`, a sentence such as "Append it to SOUL.md" counts as writing.
    """
    end, variables = -1, 0
    for at in offsets:
        name = _NAME().match(text, at)
        if name is None or at < end:
            continue
        end = name.end()
        first = text.rfind("\n", max(0, at - 400), at) + 1 or max(0, at - 400)
        path = _PATH().search(text, first, at)
        start = path.start() if path else at
        kind = MEMORY if name[0] in MEMORIES else CONFIGURATION
        if text[end : end + 1].isalnum() or not _is_agents(text, first, at, name[0]):
            continue
        written = _is_written(text, first, start, end) or (prose and _is_instructed(text, first, start))
        if not written and variables < _MAX_VARIABLES and (assigned := ASSIGNED().match(text[first:at])):
            variables += 1
            written = writes_variable(text, assigned[1], end)
        yield AgentFile(start, end, kind, text[start:end], written)


def _is_agents(text: str, first: int, at: int, name: str) -> bool:
    """Whether the file is an agent's: many programs have a `settings.json`."""
    if name in MEMORIES:
        return at == first or not (text[at - 1].isalnum() or text[at - 1] == "_")
    if name in ALONE or (name == "mcp.json" and text[at - 1 : at] == "."):
        return True
    return _FOLDER().search(text[max(first, at - 60) : at]) is not None


def _is_written(text: str, first: int, start: int, end: int) -> bool:
    before = text[max(first, start - 240) : start]
    if _WRITES_AFTER().match(text, end):
        return True
    match = _WRITES_BEFORE().search(before)
    if match is None:
        return False
    # What is copied is only read; what something is copied to is the last argument.
    is_copy = match[0].lstrip().startswith(("cp", "mv", "ln", "install"))
    return not is_copy or _LAST_ARGUMENT().match(text, end) is not None


def _is_instructed(text: str, first: int, start: int) -> bool:
    return _WRITING().search(text[max(first, start - 240) : start]) is not None


def writes_variable(text: str, name: str, start: int) -> bool:
    """Whether the text after `start` writes the file that a variable names."""
    shell = rf"[\"']?\$\{{?{name}\b\}}?[\"']?"
    pattern = re.compile(
        rf"(?:(?<![\d&=-])>>?[ \t]*|\btee[ \t]+(?:-a[ \t]+)?){shell}"
        rf"|(?<![\w./-])(?:cp|mv|sed[ \t]+-i)[ \t][^\n;|&]{{0,200}}[ \t]{shell}[ \t]*\r?(?:$|[;&|])"
        rf"|\bopen\([ \t]*{name}[ \t]*,[ \t]*(?:mode[ \t]*=[ \t]*)?[\"'][wax]"
        rf"|\b{name}\.(?:write_text\(|write_bytes\(|open\([ \t]*[\"'][wa])"
        rf"|\b(?:write|append)File(?:Sync)?\([ \t]*{name}\b",
        re.MULTILINE,
    )
    return pattern.search(text, start, start + 100_000) is not None
