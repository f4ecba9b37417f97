"""Quick looks at the names of files that steer an agent: whether a text can write one at all.

The looks err on the side of too much, and need no expression: see `before_turning`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_turning import MANY

MEMORY = (b"SOUL.", b"MEMORY.", b"IDENTI", b"HEARTB", b"AGENTS.", b"CLAUDE.", b"GEMINI.")
_ALONE = (b".claude.j", b"claude_d", b"openclaw.j", b"clawdbot.j")
_IN_FOLDERS = (b"settings.", b"mcp.j", b"hooks.j", b"mcp_c", b"config.to")
CONFIGURATION = (*_IN_FOLDERS, *_ALONE)
COMMANDS = (b'"hooks"', b"mcpS", b"mcp_s", b"\nhooks:")
SETTINGS = (b"enableAllP", b"ANTHROPIC_B")
REACH = 4_000
"""How far after one of `COMMANDS` its commands are looked for."""
_FOLDERS = (
    *(".claude", ".codex", ".gemini", ".qwen", ".cursor", ".openclaw", ".clawdbot", ".moltbot", ".windsurf"),
    *(".codeium", ".vscode"),
)
_WRITES = (
    *(">", "tee", "-o", "--output", "cp", "mv", "ln", "install", "sed", "file", "content", "write", "open(", "="),
    *(f"{quote}{mode}" for quote in ("'", '"') for mode in "wax"),
)
_WRITING = ("append", "add", "write", "save", "insert", "store", "record", "put")


def may_write_memory(text: TextFile, _: object = None) -> bool:
    """Whether a script may write an agent's memory, or a text may do so and turn the agent as well."""
    if text.language in ("json", "yaml"):
        return False
    if not any(_is_written(text, at) for at in text.places.of(MEMORY)):
        return False
    return text.language != "markdown" or _may_turn(text.document.text)


def may_configure(text: TextFile, _: object = None) -> bool:
    """Whether a text may write an agent's configuration, or have a setting or command that harms its user."""
    if any(setting in text.places for setting in SETTINGS):
        return True
    body = text.document.text
    if text.language not in ("markdown", "json", "yaml"):
        if any(_is_written(text, at) for at in text.places.of(_ALONE)):
            return True
        for at in text.places.of(_IN_FOLDERS):
            before = body[max(0, at - 60) : at]
            if (before.endswith(".") or any(name in before for name in _FOLDERS)) and _is_written(text, at):
                return True
    return any(_may_harm(body[at : at + REACH]) for at in text.places.of(COMMANDS)[:200])


def _may_harm(settings: str) -> bool:
    if "command" not in settings:
        return False
    from skillbag.lint.checks.before_dangers import may_be_dangerous

    return may_be_dangerous(settings.casefold())


def _is_written(text: TextFile, at: int) -> bool:
    """Whether the line of a name has a word that writes, or assigns it to a variable."""
    body = text.document.text
    line = body[max(body.rfind("\n", max(0, at - 400), at), at - 400, 0) : at + 100].casefold()
    return any(word in line for word in (_WRITING if text.language == "markdown" else ())) or any(
        word in line for word in _WRITES
    )


def _may_turn(body: str) -> bool:
    from skillbag.lint.checks import before_hiding, before_turning

    return (
        any(look(body, at) for literals, look in before_turning.LOOKS for at in _finds(body, literals))
        or any(look(body, at) for literals, look in before_hiding.LOOKS for at in _finds(body, literals))
        or any(_follows(body[max(0, at - 460) : at + 460].casefold()) for at in _finds(body, (b"http",)))
    )


def _follows(near: str) -> bool:
    return any(
        word in near
        for word in ("follow", "obey", "execut", "apply", "carry", "do what", "do as", "act on", "treat", "load")
    )


def _finds(body: str, literals: Iterable[bytes]) -> Iterator[int]:
    """The offsets of literals in a text, at most many of each."""
    for literal in literals:
        word, at = literal.decode(), -1
        for _ in range(MANY):
            at = body.find(word, at + 1)
            if at < 0:
                break
            yield at
