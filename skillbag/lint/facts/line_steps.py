"""The steps of PowerShell, batch files and AppleScript, read statement by statement with tables: nothing is run."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.line_languages import LANGUAGES, PROGRAM_ENDING, LineLanguage
from skillbag.lint.facts.line_statements import statements
from skillbag.lint.facts.paths import file_name, secret_kind
from skillbag.lint.facts.values import Act, ActKind, Origin, Step

_ADDRESS = late(
    r"(?:https?|ftp)://[^\s\"'<>|)]+"
    r"|(?<=(?i:iwr|irm)[ \t])[\"']?(?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s\"'<>|)]*"
    r"|(?<=-useb[ \t])(?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s\"'<>|)]*"
    r"|(?<![\w\\:.])\\\\[\w-]+(?:\.[\w-]+)+\\[^\s\"'<>|),]*"
)
_PATH = late(
    r"[\"']([^\"'\n]{1,200})[\"']|(?<![\w-])([~$.%]?[\w:.~$%-]*[\\/][\w\\/.:~$%*-]+|\.env\b)"
    rf"|(?<![\w\\/.$-])([\w-]{{1,80}}(?i:{PROGRAM_ENDING}|\.(?:zip|gz|tgz|tar|7z|txt|b64|dat|bin|tmp)))(?![\w\\/.-])"
)
_PROGRAM_FILE = late(
    rf"\A[ \t@]*(?:[&.][ \t]*)?[\"']?([$.~%\w:-]*(?:[\\/][\w\\/.:$%-]+)?(?i:{PROGRAM_ENDING}))(?![\w.\\/])"
)
_PROGRAM_NAME = late(
    r"(?i)(?:&|\b(?:start-process|invoke-item|import-module|start|call)|\A[ \t]*\.)[ \t]+(?:-filepath[ \t]+)?(\$\w+)"
)
"""A variable that holds the path of a program."""
_IS_PROGRAM = late(rf"(?i){PROGRAM_ENDING}\Z|(?:\A|/)[^./]+\Z")


def line_steps(text: str, name: str) -> list[Step]:
    """The steps of a text in a language that is called so."""
    language = LANGUAGES[name]
    return [
        step
        for statement in statements(text, language)
        for step in _steps((statement.start, statement.end), statement.text, language)
    ]


def _steps(span: tuple[int, int], line: str, language: LineLanguage) -> Iterator[Step]:
    target = language.sets().match(line)
    address = _ADDRESS().search(line)
    where = address[0] if address else "…"
    is_plain = len(line) == span[1] - span[0]
    taken = ((form().search(line), kind) for form, kind in language.takes)
    sources = [Origin(kind, where, span[0] + match.start() * is_plain, span[1]) for match, kind in taken if match]
    host = where.partition("://")[2].partition("/")[0]
    acts = [Act(kind, host, _shown(line), *span) for form, kind in language.does if form().search(line)]
    files = [file_name(name.rpartition("=@")[2]) for match in _PATH().finditer(line) for name in match.groups() if name]
    if language.reads().search(line):
        sources += [Origin(kind, name, *span) for name in files if (kind := secret_kind(name))]
    stored = [file_name(name) for match in language.stores().finditer(line) for name in match.groups() if name]
    folders = [file_name(name) for match in language.unpacks().finditer(line) for name in match.groups() if name]
    set_name = next((f"${name.lower()}" for name in target.groups() if name), "") if target else ""
    uses = {f"${match['name'].lower()}" for match in language.name().finditer(line)} - {set_name}
    uses |= {*_held(files)}
    filled = {f"${name.lower()}" for match in language.fills().finditer(line) for name in match.groups() if name}
    defines = [
        *filled,
        *filter(None, [set_name]),
        *(f"file:{name}" for name in stored),
        *(f"dir:{name}" for name in folders),
    ]
    yield Step(tuple(defines), frozenset(uses), tuple(sources), tuple(acts))
    programs = [file_name(match[1]) for match in _PROGRAM_FILE().finditer(line)]
    if language.starts().search(line):
        programs += (name for name in files if _IS_PROGRAM().search(name))
    programs += [match[1] for match in _PROGRAM_NAME().finditer(line)]
    programs = [name for name in programs if name not in stored]
    if programs:
        yield Step((), frozenset(_held(programs)), (), (Act(ActKind.RUNS, "", _shown(line), *span),))


def _held(files: list[str]) -> Iterator[str]:
    """Files, with the folders that they may have been unpacked into."""
    for name in files:
        yield f"file:{name}"
        folder = posixpath.dirname(name)
        while folder.strip("/"):
            yield f"dir:{folder}"
            folder = posixpath.dirname(folder)
        if not name.startswith(("$", "%", "~", "/")) and ":" not in name:
            yield "dir:."


def _shown(line: str) -> str:
    return " ".join(line.split())[:60]
