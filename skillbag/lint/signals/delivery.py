"""Signs that a text leads its reader to run a file of unknown origin: locked archives, paste pages, terminal advice."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import COMPRESSED
from skillbag.lint.signals.addresses import DOWNLOADS, Address, AddressTrait, addresses
from skillbag.lint.signals.nearness import around
from skillbag.lint.signals.passwords import Password, passwords
from skillbag.lint.signals.phrases import CommandForm, FormTable

_COMMAND_WORDS = r"(?:command|line|code|snippet|script|one-?liner|text|it|this|below|above|following|instruction)s?"
_TERMINALS = (
    r"(?:terminal|powershell|command\s+(?:prompt|line)|console|shell|cmd(?:\.exe)?|iterm2?|run\s+(?:dialog|box|window)"
    r"|win\s*\+\s*r)\b"
)
TERMINAL_PASTE = FormTable(
    CommandForm(
        (
            *("nd paste", "nd Paste", "aste it", "aste in", "aste this", "aste the", "asting ", "ASTE "),
            *(f"opy {what}" for what in ("this command", "and run", "and execute", "& paste")),
            *(f"opy the {what}" for what in ("command", "install", "code", "line", "one", "script", "following")),
        ),
        late(
            rf"\bcop(?:y|ying)\b[^.!?\n]{{0,80}}?\b{_COMMAND_WORDS}\b.{{0,120}}?"
            rf"\b(?:past(?:e|ing)|run|enter|execute|insert)\b.{{0,60}}?\b{_TERMINALS}"
            rf"|\bpast(?:e|ing)\b[^.!?\n]{{0,60}}?\b(?:in(?:to)?|inside|at)\b[^.!?\n]{{0,24}}?\b{_TERMINALS}"
            rf"|\bopen\b[^.!?\n]{{0,24}}?\b{_TERMINALS}.{{0,80}}?\bpast(?:e|ing)\b",
            re.IGNORECASE | re.DOTALL,
        ),
        before=320,
        after=200,
        beside=(("terminal", "powershell", "prompt", "command", "console", "shell", "cmd", "iterm", "win", "run "),),
    )
)
"""Advice to copy a command into a terminal."""
COPY_OR_RUN = late(
    r"\b(?:cop(?:y|ying|ied)|runs?|execut\w+|past(?:e|ing)|install\w*|terminal|powershell|commands?|instructions?"
    r"|set-?up|set\s+up|download\w*|curl|wget|bash|follow|visit|scripts?|open)\b",
    re.IGNORECASE,
)
NEEDED = late(
    r"\b(?:require[sd]?|needed|before\s+anything\s+else|(?:has|have|needs?)\s+to\s+(?:first\s+)?(?:install|download|run)|must\s+(?:first\s+)?(?:be|install|download|have|run)|mandatory|prerequisites?|necessary"
    r"|before\s+(?:using|you|proceeding|starting|continuing|use|running|this)|essential|depends\s+on|nothing\s+works"
    r"|(?:will|does|can)\s*(?:not|n['’]t)\s+(?:work|function|run|operate|start|be\s+used)"
    r"|won['’]t\s+(?:work|function|run))\b",
    re.IGNORECASE,
)
RUN_FILE = late(
    r"\b(?:run|launch|execute|start|open|double-?click|running)\b[^.!?\n]{0,40}?\b(?:executable|installer|file|it|program"
    r"|application|app|setup|exe|binary|tool|utility|agent|software|driver|service|before|\w{1,40}\.exe)\b"
    r"|\b(?:keep|leave)\s+\w+\s+(?:running|open)\b|\bmust\s+be\s+(?:installed|running|started|active)\b",
    re.IGNORECASE,
)


def downloads(text: str, start: int = 0, end: int | None = None) -> Iterator[Address]:
    """The addresses in a part of a text that give an archive, a binary or another file to open."""
    return (found for found in addresses(text, start, end) if found.kind & DOWNLOADS)


_READABLE = (
    *(".yaml", ".yml", ".json", ".toml", ".xml", ".sh", ".ps1", ".py", ".js", ".mjs", ".ts", ".css", ".html", ".sql"),
    *(".md", ".txt", ".csv", ".pdf", ".whl", ".conf", ".pem", ".asc", ".sig", ".sha256", ".deb", ".rpm"),
    *COMPRESSED,
)
"""Files that no password locks."""
_LOGIN = late(r"(?i)\b(?:user(?:[ _-]?name)?|log[ _-]?ins?|sign[ _-]?in|account|admin|e-?mail|database|db|root|sudo)\b")


def locked_archives(text: str, start: int, end: int) -> Iterator[tuple[Address, Password]]:
    """The addresses of files in a part of a text, each with a password that stands with it."""
    keys = sorted(passwords(text, start, end))
    for file in downloads(text, start, end) if keys else ():
        if key := password_of(text, file, keys):
            yield file, key


def password_of(text: str, file: Address, keys: Sequence[Password]) -> Password | None:
    """The first of the sorted `keys` that stands with a file.

    It does within six lines if it is about unpacking, else in the same or the next line, and not beside a login.
    """
    if file.path.partition("?")[0].lower().endswith(_READABLE):
        return None
    (first, last), (near, far) = (around(text, file.start, file.end, lines) for lines in (_LINES, 1))
    for key in keys[bisect_left(keys, (first,)) :]:
        if key.start > last:
            break
        if key.end <= last and (key.is_opening or (near <= key.start and key.end <= far and not _is_login(text, key))):
            return key
    return None


_LINES = 6
"""Lines between a file and the password that opens it."""


def _is_login(text: str, key: Password) -> bool:
    first, last = around(text, key.start, key.end, 1)
    return _LOGIN().search(text, max(first, key.start - 200), min(last, key.end + 200)) is not None


def has_locked_archive(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has the address of a file to open and a password for it."""
    return any(True for _ in locked_archives(text, start, end))


def has_paste_page(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has the address of a page that anybody fills."""
    return any(found.kind & AddressTrait.PASTE for found in addresses(text, start, end))
