"""The statements of PowerShell, batch files and AppleScript: one a line, with what stands for texts put in."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.line_languages import LineLanguage

_LONGEST = 20_000
_COMMENT = late(r"(?i)[ \t]*(?:#|@?rem\b|::)")
_ALIAS = late(r"(?i)\b(?:set|new)-alias[ \t]+(?:-name[ \t]+)?(\w+)[ \t]+(?:-value[ \t]+)?([\w-]+)")
_WORD = late(r"(?<![\w$.-])\w+(?![\w-])")
_CONSTANT = late(
    r"(?i)[ \t]*(?:\$(\w+)[ \t]*=[ \t]*[\"']?((?:\$env:\w+)?[^\s\"'$()@{}+,]+)[\"']?"
    r"|@?set[ \t]+\"?(\w+)=((?:%\w+%)?[^\s\"%]+)\"?)[ \t]*\r?\n?\Z"
)
"""A variable that gets one word."""
_NAME = late(r"\$\{?(\w+)\}?(?!:)|%(\w+)%")
_JOINED_PATH = late(
    r"(?i)\(?\bjoin-path[ \t]+(?:-path[ \t]+)?([$%~\w:.\\/]+)[ \t]+(?:-childpath[ \t]+)?[\"']?([\w.\\/-]+)[\"']?\)?"
)
_JOINED = late(r"(?<=\w)['\"][ \t]*\+[ \t]*['\"](?=[\w.:/-])|`(?=\w)")
"""Between the parts of a text that is put together, or within a word."""
_INNER = late(
    r"(?i)(\b(?:cmd|powershell|pwsh)(?:\.exe)?\b[^\"\n;|&]{0,80}[ \t](?:/[ck]|-c(?:ommand)?)[ \t]+)\"([^\"\n]*)\""
)
"""Statements that another shell gets in quotes."""
_SIGN = late(r"\"(?:[^\"`\n]|`.)*\"?|'[^'\n]*'?|&&|\|\||[ \t]&[ \t]|[;{}()]")
_OPENS_BLOCK = late(r"(?i)(?:\b(?:try|else|do|finally|process|begin|end)|\))\Z")
_CLOSING = {"}": "{", ")": "("}


class LineStatement(NamedTuple):
    """A statement with its bounds: its aliases, and variables that have one word, are what they stand for."""

    text: str
    start: int
    end: int


def statements(text: str, language: LineLanguage) -> Iterator[LineStatement]:
    """The statements of a text, in order."""
    if not language.joins:
        for start, line in _lines(text):
            yield LineStatement(line.rstrip(), start, start + len(line.rstrip()))
        return
    aliases = {match[1].lower(): match[2] for match in _ALIAS().finditer(text)}
    words = dict[str, str]()
    for start, line in _lines(text):
        if _COMMENT().match(line):
            continue
        for at, code in _parts(_INNER().sub(r"\1;\2;", line)):
            if not (code := code.rstrip()):
                continue
            plain = _JOINED_PATH().sub(r"\1\\\2", _JOINED().sub("", code))
            known = _put_in(_without_aliases(plain, aliases), words, language)
            yield LineStatement(known, start + at, start + at + len(code))
            _keep(plain, words, language)


def _put_in(statement: str, words: dict[str, str], language: LineLanguage) -> str:
    """A statement with the words that its variables have, but for the one that it sets."""
    if not words:
        return statement
    target = language.sets().match(statement)
    at = target.end() if target else 0
    return statement[:at] + _NAME().sub(lambda name: words.get((name[1] or name[2]).lower(), name[0]), statement[at:])


def _keep(statement: str, words: dict[str, str], language: LineLanguage) -> None:
    if constant := _CONSTANT().match(statement):
        words[(constant[1] or constant[3]).lower()] = constant[2] or constant[4]
    elif target := language.sets().match(statement):
        words.pop(next(name for name in target.groups() if name).lower(), None)


def _without_aliases(line: str, aliases: dict[str, str]) -> str:
    """A line with the programs that aliases stand for."""
    if not aliases or _ALIAS().search(line):
        return line
    return _WORD().sub(lambda word: aliases.get(word[0].lower(), word[0]), line)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines, those that go on in the next put together."""
    start, kept = 0, ""
    at = 0
    for line in text.splitlines(keepends=True):
        kept += line
        at += len(line)
        is_open = "@{" in kept and kept.count("{") > kept.count("}") and len(kept) < _LONGEST
        if line.rstrip().endswith(("`", "|", "¬", "^")) or is_open:
            continue
        yield start, kept[:_LONGEST]
        start, kept = at, ""
    if kept:
        yield start, kept[:_LONGEST]


def _parts(line: str) -> Iterator[tuple[int, str]]:
    """The statements of a line: between semicolons and in blocks, not in quotes, calls and blocks that calls get."""
    start, opened = 0, list[str]()
    for match in _SIGN().finditer(line):
        sign = match[0].strip()
        # What stands before the sign; blanks beyond are none of a program.
        before = line[max(start, match.start() - 40) : match.start()].rstrip()
        if sign[:1] in ("'", '"'):
            continue
        if sign in _CLOSING and opened:
            if opened[-1] == _CLOSING[sign]:
                opened.pop()
            continue
        if sign == "(" or (sign == "{" and (opened or not _OPENS_BLOCK().search(before))):
            opened.append(sign)
        elif not opened and not (sign == "&" and before[-1:] in "=|({;&,"):
            yield start, line[start : match.start()]
            start = match.end()
    yield start, line[start:]
