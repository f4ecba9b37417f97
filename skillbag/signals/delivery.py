"""Signs that a text leads its reader to run a file of unknown origin: locked archives, paste pages, terminal advice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.signals.addresses import DOWNLOADS, Address, Kind, addresses

_NO_VALUE = (
    r"https?:|\$|<|\{|%|manager|field|input|getpass|os\.|args|env|x{3,}|\*{3,}|\.{3}"
    r"|(?:your|the|none|null|true|false|required|protected|is|for|and|or|optional|str|string|from|to|if|in|when)\b"
)
_VALUE = rf"(?P<value>(?!{_NO_VALUE})" + r"[^\s\"'`*<>|(){}\[\],;$]{1,40})"
_WORD = (
    r"(?:(?:pass(?:word|code|phrase|wd|wort)?|pwd|psw|passwd|kennwort|парол\w+|contraseña|clave|mot\s+de\s+passe|senha"
    r"|palavra-?passe|wachtwoord|lösenord|hasło|parola|şifre|mật\s+khẩu)(?![\w-])"
    r"|密[码碼]|解[压壓](?:密?[码碼])|口令|パスワード|비밀번호|암호)"
)
_MARK = r"[\"'`*_“”«»:：=\-–—>→|(\[ \t]"
_GIVEN = r"(?=[ \t]*+[:\"'`*“«(<]|[ \t]++\w{0,20}\d)"
"""After "is": a value in quotes or with a digit. The password "is read" and "is required", too."""
_PASSWORD = late(
    rf"(?<![a-zA-Z0-9_$.\-/]){_WORD}(?:[ \t]+(?:of|for|to)[ \t]+(?:the|this|it)\b(?:[ \t]+(?!is\b)\w{{1,20}}){{0,2}}"
    r"|[ \t]+(?:от|для|к|del|de|du|des|da|do|für|zum|zur|dla|van)[ \t]+(?:\w{1,12}[ \t]+)?\w{1,20})?"
    rf"(?:[ \t*_`\"']*+(?:(?:is|ist|lautet|es|est|è|é|это)\b{_GIVEN}|[:：=–—→|是为為]|-[ \t])"
    rf"(?:{_MARK}|<\w{{1,10}}>|\r?\n[ \t>]*+)*+|[ \t]++[\"'`*“«(\[]++|[ \t]++(?=\d)){_VALUE}",
    re.IGNORECASE,
)
"""The word for a password and its value."""
_UNLOCK = late(
    r"\b(?:unlock|decrypt|unpack|extract|unzip|decompress|unrar|uncompress|entsperr|распак|разархив|descomprim|décompress)"
    r"\w*+[^.!?\n`\"]{0,40}?\b(?:with|using|via|by|mit|avec|con|com|с)(?:[ \t]*+[:：][ \t]*+|[ \t]++)(?:the[ \t]+)?"
    rf"(?:{_WORD}|code|key|pin|word|phrase|token)?(?:[ \t]+is\b)?{_MARK}*+{_VALUE}",
    re.IGNORECASE,
)
"""How to open an archive, with a value."""
_KEY = late(
    r"(?<![\w$.\-/])(?:(?:un)?lock[ \t]+|archive[ \t]+|zip[ \t]+|rar[ \t]+|access[ \t]+|extraction[ \t]+)?"
    rf"(?:code|key|pin|phrase|secret)[*_`\"']*+[ \t]*+(?:is\b{_GIVEN}|[:：=→|]){_MARK}*+{_VALUE}",
    re.IGNORECASE,
)
"""Another word for a password and a value: a password only beside words about unpacking."""
_OPENING = late(
    r"\b(?:extract|unzip|unpack|unlock|decompress|decrypt|unrar|archive|rar\b|7-?zip|winrar|\w*zipped)", re.IGNORECASE
)
_PICTURED = late(
    r"\b(?:picture|screenshot|image|photo|qr[ -]code|video)s?\b[^.!?\n]{0,40}?\b(?:shows?|has|holds|contains|gives)\b"
    r"[^.!?\n]{0,20}?\b(?:password|passcode|passphrase)\b"
    r"|\b(?:password|passcode|passphrase)\b[^.!?\n,]{0,20}?\b(?:is|shown|given|hidden|written)[ \t]+(?:in|on|by)\b"
    r"[^.!?\n]{0,20}?\b(?:picture|screenshot|image|photo|qr[ -]code|video)\b",
    re.IGNORECASE,
)
"""A password that no program reads."""
_OPTION = late(
    r"\bunzip[ \t][^\n|;&]{0,60}?-P[ \t]*(?:[^\s$<\"'-]\S*|[\"'][^$\"'\n]+[\"'])"
    r"|\b(?:7z\w?|7zz|7zip|unrar|rar)[ \t]+[xe][ \t][^\n|;&]{0,60}?-p[^\s$<-]"
    r"|\bbsdtar[ \t][^\n|;&]{0,60}?--passphrase[ \t=]+[^\s$<-]"
)
"""Programs that unpack, with a password."""
_TOOLS = (
    "tar unzip 7z 7za 7zip 7-zip gunzip gzip bsdtar ditto winrar unrar xz zstd dtrx python python3 pip npm jq sed awk"
    " grep cp powershell expand-archive a an this it any either file-roller archive finder tools tool libarchive zlib"
)
_PROGRAMS = frozenset(_TOOLS.split())
"""What one unpacks with, and is no password."""

_COMMAND_WORDS = r"(?:command|line|code|snippet|script|one-?liner|text|it|this|below|above|following|instruction)s?"
_TERMINALS = (
    r"(?:terminal|powershell|command\s+(?:prompt|line)|console|shell|cmd(?:\.exe)?|iterm2?|run\s+(?:dialog|box|window)"
    r"|win\s*\+\s*r)\b"
)
TERMINAL_PASTE = late(
    rf"\bcop(?:y|ying)\b[^.!?\n]{{0,80}}?\b{_COMMAND_WORDS}\b.{{0,120}}?"
    rf"\b(?:past(?:e|ing)|run|enter|execute|insert)\b.{{0,60}}?\b{_TERMINALS}"
    rf"|\bpast(?:e|ing)\b[^.!?\n]{{0,60}}?\b(?:in(?:to)?|inside|at)\b[^.!?\n]{{0,24}}?\b{_TERMINALS}"
    rf"|\bopen\b[^.!?\n]{{0,24}}?\b{_TERMINALS}.{{0,80}}?\bpast(?:e|ing)\b",
    re.IGNORECASE | re.DOTALL,
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


def passwords(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The bounds of passwords for archives in a part of a text, with the words before them, in no order.

    Names of programs that unpack, variables and placeholders are no passwords.
    """
    for pattern in (_OPTION(), _PASSWORD(), _UNLOCK(), _PICTURED()):
        for match in pattern.finditer(text, start, end):
            if _is_value(match.groupdict().get("value")):
                yield match.span()
    for match in _KEY().finditer(text, start, end):
        first, last = max(start, match.start() - 120), min(end, match.end() + 80)
        if _is_value(match["value"]) and _OPENING().search(text, first, last):
            yield match.span()


def _is_value(value: str | None) -> bool:
    if value is None:
        return True
    word = value.rstrip(".:!?_*").lower()
    return bool(word) and word not in _PROGRAMS and "/" not in word and not word.startswith("-")


def has_locked_archive(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has the address of a file to open and a password for it."""
    return any(True for _ in downloads(text, start, end)) and any(True for _ in passwords(text, start, end))


def has_paste_page(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has the address of a page that anybody fills."""
    return any(found.kind & Kind.PASTE for found in addresses(text, start, end))
