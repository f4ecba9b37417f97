"""The steps of PowerShell and AppleScript, read line by line with tables of expressions: nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.paths import file_name, secret_kind
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind, Step

_LONGEST = 20_000
_POWERSHELL_NAME = late(r"(?:\$|(?<=[ \t])@)(?:global:|script:)?(?!env:|_\b|true\b|null\b|false\b)(\w+)", re.IGNORECASE)
_POWERSHELL_SET = late(r"\s*(?:\[[^\]]{1,40}\][ \t]*)?\$(?:global:|script:)?(\w+)[ \t]*\+?=", re.IGNORECASE)
_APPLE_NAME = late(r"\b[A-Za-z_]\w*\b")
_APPLE_SET = late(r"\s*set[ \t]+(\w+)[ \t]+to\b", re.IGNORECASE)
_ADDRESS = late(
    r"(?:https?|ftp)://[^\s\"'<>|)]+"
    r"|(?<=(?i:iwr|irm)[ \t])[\"']?(?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s\"'<>|)]*"
    r"|(?<=-useb[ \t])(?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s\"'<>|)]*"
)
_PATH = late(r"[\"']([^\"'\n]{1,200})[\"']|(?<![\w-])([~$.]?[\w:.~$-]*[\\/][\w\\/.:~$*-]+|\.env\b)")
_PROGRAM_FILE = late(
    r"(?:\A|[;&|{(])[ \t]*(?:&[ \t]*)?[\"']?([$.~\w:-]*[\\/][\w\\/.:$-]+\.(?:exe|bat|cmd|ps1|msi|scr|dll))",
    re.IGNORECASE,
)


_PROGRAM_NAME = late(r"(?i)(?:&|\bstart-process|\binvoke-item|\A[ \t]*\.)[ \t]+(?:-filepath[ \t]+)?(\$\w+)")
"""A variable that holds the path of a program."""


class _Language(NamedTuple):
    """How a language names variables and sets them, and what its words take and do."""

    name: Callable[[], re.Pattern[str]]
    sets: Callable[[], re.Pattern[str]]
    takes: tuple[tuple[Callable[[], re.Pattern[str]], OriginKind], ...]
    does: tuple[tuple[Callable[[], re.Pattern[str]], ActKind], ...]
    reads: Callable[[], re.Pattern[str]]
    stores: Callable[[], re.Pattern[str]]
    starts: Callable[[], re.Pattern[str]]


def _late(expression: str) -> Callable[[], re.Pattern[str]]:
    return late(expression, re.IGNORECASE)


POWERSHELL = _Language(
    _POWERSHELL_NAME,
    _POWERSHELL_SET,
    (
        (
            _late(r"\b(?:get-childitem|gci|dir|ls|get-item)[ \t]+(?:-path[ \t]+)?env:|getenvironmentvariables\("),
            OriginKind.ENVIRONMENT,
        ),
        (
            _late(
                r"\bdownload(?:string|data|file)\(|\bget(?:string|bytearray|stream)async\(|\b(?:invoke-webrequest|invoke-restmethod|iwr|irm|start-bitstransfer|curl|wget)\b"
            ),
            OriginKind.DOWNLOAD,
        ),
        (_late(r"(?:powershell|pwsh)(?:\.exe)?\b.*\s-(?:e|ec|enc\w*)\s"), OriginKind.DECODED),
        (_late(r"frombase64string\(|\bconvertto-securestring\b.*-key\b|\[convert\]::frombase"), OriginKind.DECODED),
        (_late(r"\bget-clipboard\b|\[windows\.forms\.clipboard\]"), OriginKind.CLIPBOARD),
        (_late(r"copyfromscreen\("), OriginKind.SCREEN),
        (_late(r"\bget-credential\b|-assecurestring\b"), OriginKind.PASSWORD),
    ),
    (
        (
            _late(
                r"(?:powershell|pwsh)(?:\.exe)?\b.*\s-(?:e|ec|enc\w*)\s|\biex\b|\binvoke-expression\b|\[scriptblock\]::create\(|\binvokescript\(|\[reflection\.assembly\]::load\("
            ),
            ActKind.RUNS,
        ),
        (
            _late(
                r"(?:invoke-webrequest|invoke-restmethod|\biwr\b|\birm\b|\bcurl\b).*"
                r"(?:-(?:body|infile|form|method[ \t:]+[\"']?(?:post|put))|[ \t]@\w)"
            ),
            ActKind.SENDS,
        ),
        (
            _late(r"\.upload(?:string|file|data|values)(?:async|taskasync)?\(|\bsend-mailmessage\b|\.postasync\("),
            ActKind.SENDS,
        ),
        (_late(r"\bresolve-dnsname\b|\[net\.dns\]::|\bnslookup\b"), ActKind.RESOLVES),
    ),
    _late(
        r"\b(?:get-content|gc|cat|type|compress-archive|copy-item|cp)\b|::read(?:alltext|allbytes|alllines)\(|-infile\b|uploadfile\("
    ),
    _late(r"-(?:outfile|destination(?:path)?)[ \t]+[\"']?([^\s\"']+)|downloadfile\([^,]+,[ \t]*[\"']?([^\s\"')]+)"),
    _late(r"\b(?:start-process|invoke-item|ii|start|msiexec)\b|\A[ \t]*&"),
)
APPLESCRIPT = _Language(
    _APPLE_NAME,
    _APPLE_SET,
    (
        (_late(r"\bdisplay[ \t]+dialog\b.*\bhidden[ \t]+answer\b"), OriginKind.PASSWORD),
        (_late(r"\bthe[ \t]+clipboard\b"), OriginKind.CLIPBOARD),
        (_late(r"\bdo[ \t]+shell[ \t]+script\b.*\bcurl\b"), OriginKind.DOWNLOAD),
    ),
    (
        (_late(r"\bdo[ \t]+shell[ \t]+script\b.*\b(?:curl|wget|nc)\b"), ActKind.SENDS),
        (_late(r"\brun[ \t]+script\b"), ActKind.RUNS),
    ),
    _late(r"\bread\b|\bdo[ \t]+shell[ \t]+script\b"),
    _late(r"(?!)"),
    _late(r"(?!)"),
)


def line_steps(text: str, language: _Language) -> list[Step]:
    """The steps of a text in one of these languages."""
    aliases = {match[1].lower(): match[2] for match in _ALIAS().finditer(text)}
    lines = ((start, line[:_LONGEST]) for start, line in _lines(text))
    return [step for start, line in lines for step in _steps(start, _without_aliases(line, aliases), language)]


_ALIAS = late(r"(?i)\b(?:set|new)-alias[ \t]+(?:-name[ \t]+)?(\w+)[ \t]+(?:-value[ \t]+)?([\w-]+)")


def _without_aliases(line: str, aliases: dict[str, str]) -> str:
    """A line with the programs that aliases stand for."""
    if not aliases or _ALIAS().search(line):
        return line
    return _WORD().sub(lambda word: aliases.get(word[0].lower(), word[0]), line)


_WORD = late(r"(?<![\w$.-])\w+(?![\w-])")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The statements, lines that go on in the next put together."""
    start, kept = 0, ""
    at = 0
    for line in text.splitlines(keepends=True):
        kept += line
        at += len(line)
        is_open = "@{" in kept and kept.count("{") > kept.count("}") and len(kept) < _LONGEST
        if line.rstrip().endswith(("`", "|", "¬")) or is_open:
            continue
        yield start, kept
        start, kept = at, ""
    if kept:
        yield start, kept


def _steps(start: int, line: str, language: _Language) -> Iterator[Step]:
    span = (start, start + len(line.rstrip()))
    target = language.sets().match(line)
    address = _ADDRESS().search(line)
    what = address[0] if address else "…"
    taken = ((form().search(line), kind) for form, kind in language.takes)
    sources = [Origin(kind, what, start + match.start(), span[1]) for match, kind in taken if match]
    host = address[0].partition("://")[2].partition("/")[0] if address else ""
    acts = [Act(kind, host, _shown(line), *span) for form, kind in language.does if form().search(line)]
    files = [file_name(match[1] or match[2]) for match in _PATH().finditer(line)]
    if language.reads().search(line):
        sources += [Origin(kind, name, *span) for name in files if (kind := secret_kind(name))]
    stored = [file_name(name) for match in language.stores().finditer(line) for name in match.groups() if name]
    uses = {f"${name.lower()}" for name in language.name().findall(line)}
    uses -= {f"${target[1].lower()}"} if target else set()
    uses |= {f"file:{name}" for name in files}
    defines = ([f"${target[1].lower()}"] if target else []) + [f"file:{name}" for name in stored]
    yield Step(tuple(defines), frozenset(uses), tuple(sources), tuple(acts))
    programs = [file_name(match[1]) for match in _PROGRAM_FILE().finditer(line)]
    if language.starts().search(line):
        programs += files
    programs += [match[1] for match in _PROGRAM_NAME().finditer(line)]
    programs = [name for name in programs if name not in stored]
    if programs:
        yield Step(
            (), frozenset(f"file:{name}" for name in programs), (), (Act(ActKind.RUNS, "", _shown(line), *span),)
        )


def _shown(line: str) -> str:
    return " ".join(line.split())[:60]


LANGUAGES = {"powershell": POWERSHELL, "applescript": APPLESCRIPT}
