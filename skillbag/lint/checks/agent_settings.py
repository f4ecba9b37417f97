"""Scripts that change an agent's configuration, and settings that run what they fetch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short
from skillbag.lint.facts.roles import is_meant, is_test
from skillbag.lint.facts.stated import stated
from skillbag.lint.signals.agent_files import CONFIGURATION, MEMORY, AgentFile, agent_files
from skillbag.lint.signals.fences import some
from skillbag.lint.signals.hosts import answers_for
from skillbag.lint.signals.tongues import HIDING, IGNORING

MEMORIES = (b"SOUL.", b"MEMORY.", b"IDENTI", b"HEARTB", b"AGENTS.", b"CLAUDE.", b"GEMINI.")
FILES = (
    *(b"settings.", b"mcp.j", b"hooks.j", b"mcp_c", b"config.to"),
    *(b".claude.j", b"claude_d", b"openclaw.j", b"clawdbot.j"),
)
COMMANDS = (b'"hooks"', b"mcpS", b"mcp_s", b"\nhooks:")
SETTINGS = (b"enableAllP", b"ANTHROPIC_B")
INSTALLS = (b'"download"', b"kind: download")
REACH = 4_000
"""How far after one of `COMMANDS` its commands are looked for."""
_COMMAND = late(
    r"[\"']?\bcommand[\"']?[ \t]*[:=][ \t]*"
    r"(?P<command>\"(?:[^\"\\\n]|\\.){1,2000}+\"|'[^'\n]{1,2000}+'|[^\"'\s\[{][^\n]{0,600}+)"
    r"(?P<args>\s*,?\s*[\"']?args[\"']?[ \t]*[:=][ \t]*\[[^\]]{1,1000}+\])?"
)
_ALL_SERVERS = late(r"enableAllProjectMcpServers[\"']?[ \t]*[:=,][ \t]*[\"']?(?:true|True|1)\b")
_BASE = late(r"ANTHROPIC_BASE_URL[\"'\])]*[ \t]*[:=,][ \t]*[\"']?https?://(?P<host>[\w.-]{1,200})")
_KNOWN = late(
    r"(?:[\w-]+\.)*anthropic\.com|localhost|127\.[\d.]+|0\.0\.0\.0|10\.[\d.]+|192\.168\.[\d.]+|host\.docker\.internal"
    r"|(?:[\w-]+\.)*example\.(?:com|org|net)|.*your[-_.].*|(?:my|custom|some|the)[-_.].*|\.*|[\w-]+",
    re.IGNORECASE,
)
_MAX = 200


@Predicate("agent-configuration", Subject.TEXT, values=("what",), literals=(*FILES, *COMMANDS, *SETTINGS, *INSTALLS))
def agent_configuration(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Scripts that write such a file, commands of hooks and servers that run what they fetch, and foreign addresses."""
    path = text.document.path
    if text.language not in ("markdown", "json", "yaml"):
        for file in written(text, FILES, CONFIGURATION):
            if not (is_comment(text, file.start) or is_test(text) or _is_stated(text, file)):
                yield match_at(path, file, {"what": f"Writes `{file.path[-80:]}`, the configuration of an agent"})
    yield from _dangerous_commands(text)
    yield from _shipped_hooks(text)
    yield from _installs(text)
    for at in text.places.of(SETTINGS)[:_MAX]:
        if (match := _ALL_SERVERS().match(text.document.text, at)) and is_meant(text, *match.span()):
            yield Match(path, *match.span(), {"what": "Approves all servers of every project"})
        match = _BASE().match(text.document.text, at)
        is_foreign = match and not (_KNOWN().fullmatch(match["host"]) or answers_for(match["host"], "/"))
        if match and is_foreign and is_meant(text, *match.span()):
            yield Match(path, *match.span(), {"what": f"Sends the agent's conversations to `{match['host'][:80]}`"})


def written(text: TextFile, literals: tuple[bytes, ...], kind: str) -> Iterator[AgentFile]:
    """The files of this kind that a text writes."""
    for file in agent_files(
        text.document.text, some(text.places.of(literals), 10_000), prose=text.language == "markdown"
    ):
        if file.written and file.kind == kind:
            yield file


def _is_stated(text: TextFile, file: AgentFile) -> bool:
    """Whether SKILL.md names a file that a script writes."""
    return file.path.rpartition("/")[2] in stated(text)


def is_comment(text: TextFile, start: int) -> bool:
    """Whether the offset is in a comment of a script."""
    body = text.document.text
    first = body.rfind("\n", max(0, start - 400), start) + 1
    return text.language != "markdown" and body[first : first + 40].lstrip().startswith(("#", "//", "*", "REM "))


def _dangerous_commands(text: TextFile) -> Iterator[Match]:
    from skillbag.lint.checks.dangers import danger_of

    body, end = text.document.text, -1
    for at in text.places.of(COMMANDS)[:_MAX]:
        for match in _COMMAND().finditer(body, max(at, end), at + REACH) if "command" in body else ():
            end = match.end()
            danger = danger_of(_unquoted(match["command"]) + _unquoted(match["args"] or ""))
            if danger and danger.severe and is_meant(text, *match.span()):
                command = short(" ".join(match["command"].strip("\"'").split()))
                what = f"Gives an agent a hook or server that {danger.what}: `{command}`"
                yield Match(text.document.path, *match.span(), {"what": what}, raised=True)


_EACH_TOOL = late(
    r"\"(?P<event>PreToolUse|PostToolUse|UserPromptSubmit)\"\s*:\s*\[\s*\{(?:\s*\"matcher\"\s*:\s*\"(?:\*|\.\*)?\"\s*,)?\s*"
    r"\"hooks\"\s*:\s*\[\s*\{[^{}\]]{0,300}?\"command\"\s*:\s*\"(?P<command>(?:[^\"\\\n]|\\.){1,500}+)\""
)


def _shipped_hooks(text: TextFile) -> Iterator[Match]:
    """Hooks for all tools in settings that a skill brings along: they go on whether or not the skill is used."""
    if (
        text.skill is None
        or not text.relative.endswith((".claude/settings.json", ".claude/settings.local.json"))
        or not text.places.of(COMMANDS)
    ):
        return
    for match in islice(_EACH_TOOL().finditer(text.document.text), _MAX):
        what = f"Brings a hook that runs at each {match['event']}: `{short(match['command'])}`"
        yield Match(text.document.path, *match.span(), {"what": what})


_FROM = late(
    r"\burl[\"']?[ \t]*:[ \t]*[\"']?(?P<address>(?P<scheme>https?|ftp)://(?P<host>[\w.-]{1,200})(?P<path>[^\s\"',}]{0,400}))"
)
_CODE_HOSTS = ("github.com", "githubusercontent.com", "gitlab.com", "codeberg.org", "bitbucket.org")


def _installs(text: TextFile) -> Iterator[Match]:
    """Programs that the front matter has the host download: unencrypted, or from a place of nobody known."""
    body, last = text.document.text, -1
    for at in text.places.of(INSTALLS)[:_MAX] if text.language == "markdown" else ():
        for match in _FROM().finditer(body, max(last, at - 400, 0), min(at + 600, text.body)):
            last, host = match.end(), match["host"].lower()
            is_known = host.endswith(_CODE_HOSTS) or answers_for(host, match["path"])
            if not (match["scheme"] == "https" and is_known):
                what = (
                    f"Has the host install a program from `{match['scheme']}://{host[:80]}`, for which nobody answers"
                )
                yield Match(text.document.path, *match.span("address"), {"what": what})


def _unquoted(words: str) -> str:
    """The words of a command as a shell reads them, from a quoted text or a list of such."""
    if words.startswith('"'):
        words = words[1:-1]
    return re.sub(r"[\"']\s*,\s*[\"']", " ", words.replace('\\"', '"'))


_WORDS = (
    *("gnore", "isregard", "orget", " the user", " your user", "https://", "http://", "eed to", "eed not", "no longer"),
    *("usuari", "usuár", "utilis", "utiliz", "utzer", "nwender", "пользоват", "用户", "使用者"),
)
"""Nearly every text that turns an agent has one of these."""
_MAX_BETWEEN = 500
"""Phrases of each kind that are judged: one instruction is enough."""


@Predicate("memory-written", Subject.TEXT, values=("file",), literals=MEMORIES)
def memory_written(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Scripts that write such a file, and texts that also turn the agent against its user."""
    # Prose that writes such a file is common; only together with other phrases is it a fault.
    files = [file for file in written(text, MEMORIES, MEMORY) if not is_comment(text, file.start)]
    raised = bool(files) and _turns_agent(text)
    if text.language == "markdown" and not raised:
        return
    for file in files:
        is_quiet = text.language in ("markdown", "json", "yaml") or is_test(text) or _is_stated(text, file)
        if raised or not is_quiet:
            yield match_at(text.document.path, file, {"file": file.path[-80:]})._replace(raised=raised)


# Asked before and after the files are looked for.
@lru_cache(maxsize=1)
def _turns_agent(text: TextFile) -> bool:
    """Whether a text also tells the agent to drop its rules, to hide something, or to follow a fetched page."""
    if text.language not in ("markdown", "text"):
        return False
    if not any(word in text.document.text for word in _WORDS):
        return False
    from skillbag.lint.checks import remote_sources
    from skillbag.lint.checks.instruction import is_instruction

    body, phrases = text.document.text, (*HIDING.rows, *IGNORING.rows)
    spans = chain(
        *(
            islice((match.span() for match in phrase.form().finditer(body)), _MAX_BETWEEN)
            for phrase in phrases
            if any(sign in body for sign in phrase.signs)
        ),
        islice(((page.start, page.end) for page in remote_sources.pages(body, 0, len(body))), _MAX_BETWEEN),
    )
    return any(is_instruction(text, *span) for span in spans)
