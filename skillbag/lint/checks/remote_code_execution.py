"""Commands that pass a download or decoded text to an interpreter, unread."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_commands import is_saved_and_run
from skillbag.lint.checks.encoded_commands import is_shown
from skillbag.lint.checks.intent import is_meant
from skillbag.lint.checks.later_runs import run_later
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import lines_of, some, windows
from skillbag.lint.checks.second_signs import is_taught
from skillbag.lint.signals.addresses import ODD, kind_of
from skillbag.lint.signals.programs import MADE_EXECUTABLE

_MAX_COMMANDS = 10_000
"""Commands of a text of which it is judged whether they are meant."""
_MAX_DECODED = 1_000
"""Decoded texts whose use in the next 3,000 characters is looked for."""
_REACH = 500
"""How far before a pipe its command is searched for, in code points."""

_PIPE = late(
    r"""\|[ \t]*(?:\\?\r?\n[ \t>]*)? (?:xargs[ \t]+(?:-\S+[ \t]+){0,3})?
        (?:sudo[ \t]+(?:-\S+[ \t]+){0,3})? (?:env[ \t]+)? (?:\w+=\S*[ \t]+){0,3} (?:/[\w./-]{0,40}/)?
        (?: (?:ba|z|da|k|fi)?sh (?![\w-]|\.\w)
          | (?i:iex|invoke-expression) (?![\w-])
          | (?:python[\d.]*|perl|ruby|node|php) (?=[ \t]*(?:-[ \t]*)?(?:$|[;&|)"'`\r])) )""",
    re.VERBOSE | re.MULTILINE,
)
_SUBSTITUTED = late(
    r"(?<![\w./-])(?:/(?:usr/)?(?:local/)?bin/(?:env[ \t]+)?)?"
    r"(?:(?:ba|z|da|k)?sh(?:[ \t]+-\w+){0,3}|(?:python[\d.]*|perl|ruby|node|php)[ \t]+-\w|eval|source|\.)"
    r"[ \t]+(?:<<<[ \t]*)?[\"']?(?:<\(|\$\(|`(?=[^`\n]{1,400}`))[ \t]*([^)`\n]{0,400})"
)
_BREAK = late(r"(?<!\\)(?<!\\\r)\n|;|&&|\|\|")

_FETCH = late(r"(?<![\w.-])(?:curl|wget|(?i:iwr|irm|invoke-webrequest|invoke-restmethod))(?:\.exe)?[ \t]")
# Saved, made executable and started in one line: nobody reads it in between.
_SAVED = late(
    r"""(?<![\w.-])(?:curl|wget)(?=[ \t])[^\n;&|]{0,300}?[ \t](?:-\w*[oO]|--output(?:-document)?)[ \t=]*
        ["']?(?P<file>[^\s"';&|]{1,100})["']?(?:[ \t][^\n;&|]{0,300})?[ \t]*(?:;|&&)[ \t]*
        (?: (?:sudo[ \t]+)?"""
    + MADE_EXECUTABLE
    + r"""[ \t]+["']?(?P=file)["']?[ \t]*(?:;|&&)[ \t]*
              (?:sudo[ \t]+)?
          | (?:sudo[ \t]+)?(?:(?:ba|z|da)?sh|python3?|node|perl)[ \t]+)
        ["']?(?:\./)?(?P=file)(?![\w.-])""",
    re.VERBOSE,
)
_FETCH_CALL = late(
    r"""\b(?i:iex|invoke-expression)[ \t]*\(++ [^\n]{0,120}?
          (?i:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b [^\n]{0,300}
      | (?<![\w.]) (?:exec|eval)\([ \t]* [\w.( ]{0,40}? (?:requests\.get|urlopen|httpx\.get|fetch)\( [^\n]{0,300}""",
    re.VERBOSE,
)
_FETCHED = late(
    r"(?i:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)|requests\.get|urlopen|httpx\.get|fetch\("
)
"""What each match of `_FETCH_CALL` contains."""
_ADDRESS = late(
    r"https?://[^\s\"'`)|<>]+|\$\{?\w+|(?<![\w./@-])(?:(?:[a-z0-9-]+\.)+[a-z]{2,}/|(?:\d{1,3}\.){3}\d{1,3}\b)[^\s\"'`)|]*"
    r"|(?<![\w./@=-])(?:[a-z0-9-]+\.)+(?!(?:sh|py|js|rb|pl|ps1|txt|json|gz|tgz|zip|log|md|ya?ml|html?|tmp|out)\b)[a-z]{2,}(?![\w.-])"
)

_DECODE = late(
    r"""\bbase64[ \t]+(?:-\w+[ \t]+){0,2}?(?:-d\w?|-D|--d\w*)(?![\w-])
      | \bopenssl[ \t]+(?:enc|base64)\b[^|\n]{0,80}-d\b | \bxxd[ \t]+(?:-\w+[ \t]+){0,2}-\w*r
      | \bcertutil(?:\.exe)?[ \t]+-decode | \|[ \t]*rev\b | \|[ \t]*(?:gunzip|zcat|gzip[ \t]+-\w*d)\b
      | \|[ \t]*tr[ \t]+["']?[Aa]-[Zz]A?-?[Zz]?["']?[ \t]+["']?[Nn]-[Zz]""",
    re.VERBOSE,
)
_DECODE_CALL = late(
    r"""(?<![\w.]) (?: (?:window\.|globalThis\.|builtins\.)? (?:exec|eval|Function) [ \t]* \(
                     | os\.(?:system|popen)\( | subprocess\.\w+\( )
          (?: (?!input=) [^\n] ){0,80}?
          \b(?: b(?:64|32|85)decode | a85decode | unhexlify | fromhex | decompress | marshal\.loads | atob
              | base64_decode | (?:strict_|urlsafe_)?decode64 | decode_base64 ) [ \t]*\(
      | (?<![\w.]) (?:eval|Function) [ \t]* \( [^\n]{0,20}? Buffer\.from\( [^\n]{0,400}? ["'](?:base64|hex)["']
      | (?<![\w.]) eval [ ]+ decode_base64\b
      | (?i:powershell|pwsh)(?:\.exe)? [^\n|]{0,80}? [ ]-(?i:e|ec|enc\w{0,12})[ \t]+["']?[A-Za-z0-9+/]{40}
      | \b(?i:iex|invoke-expression)\b [^\n]{0,200}? FromBase64String""",
    re.VERBOSE,
)


_DECODED = late(
    r"b(?:64|32|85)decode|a85decode|unhexlify|fromhex|decompress|marshal\.loads|atob|base64_decode|decode64"
    r"|decode_base64|[\"'](?:base64|hex)[\"']|(?i:powershell|pwsh)|FromBase64String"
)
"""What each match of `_DECODE_CALL` contains."""
_LONG_LINE = 2_000
_CALL_BEFORE, _CALL_AFTER = 500, 600
"""In longer lines, calls are searched this near to what they contain, in code points."""


class _PipedCommand(NamedTuple):
    """A command together with the interpreter that runs its output; `words` are the command's."""

    start: int
    end: int
    words: str


class Trust(NamedTuple):
    """`trusted-hosts`: prefixes of addresses, without `https://`, whose installers are not reported."""

    trusted_hosts: tuple[str, ...] = ()


_FETCHES = (b"curl", b"wget", b"iwr ", b"irm ", b"nvoke-", b"iex", b"IEX", b"exec(", b"eval(")
DECODES = (
    *(b"base64", b"64decode", b"32decode", b"85decode", b"unhexlify", b"fromhex", b"decompress(", b"marshal.loads"),
    *(b"atob(", b"decode64", b"Buffer.from(", b"FromBase64", b"xxd", b"openssl", b"owershell", b"pwsh", b"| rev |"),
    *(b"decode_base64", b"certutil", b"| gunzip", b"| zcat", b"| gzip", b"|rev|", b"|gunzip", b"| tr '", b'| tr "'),
)


@Predicate(
    "download-run",
    Subject.TEXT,
    values=("host",),
    options=Trust,
    literals=_FETCHES,
    needs="before_commands.download_run",
)
def download_run(text: TextFile, options: Trust) -> Iterator[Match]:
    """Downloads that are piped into an interpreter, or saved and started in the same line."""
    commands = _piped_commands(text, _FETCHES, _FETCH(), _FETCH_CALL(), _FETCHED())
    for command in islice(commands, _MAX_COMMANDS):
        addresses = [match[0] for match in _ADDRESS().finditer(command.words)]
        if not addresses or all(_trusted(address, options.trusted_hosts) for address in addresses):
            continue
        if is_meant(text, command.start, command.end):
            odd = any(map(_is_odd, addresses)) or _in_call(text.document.text, command.start)
            raised = odd and not is_taught(text, command.start, command.end)
            yield Match(text.document.path, *command[:2], {"host": _host(addresses[-1])}, raised=raised)


@Predicate("encoded-run", Subject.TEXT, literals=DECODES, needs="before_commands.encoded_run")
def encoded_run(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Text that is decoded and then run; weaker where a reader sees what it is, and it does no harm."""
    for start, end in islice(decoding(text), _MAX_COMMANDS):
        if text.language == "markdown" and text.document.text.endswith("<script>", 0, start):
            # A tag and its content in one line: a sample of a page, which no agent runs.
            continue
        if is_meant(text, start, end):
            raised = not (is_taught(text, start, end) or is_shown(text, start, end))
            yield Match(text.document.path, start, end, raised=raised)


@Predicate("decoy-address", Subject.TEXT, values=("host",), literals=DECODES, needs="before_commands.encoded_run")
def decoy_address(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Addresses that a line only prints, beside a text that it decodes and runs."""
    last = -1
    for start, _end in decoding(text):
        line = text.document.bounds(start)
        if line[0] == last:
            continue
        last = line[0]
        for match in _PRINTED().finditer(text.document.text, max(line[0], start - 1_000), min(line[1], start + 1_000)):
            address = match.span("address")
            yield Match(text.document.path, *address, {"host": _host(match["address"])})


_PRINTED = late(
    r"\b(?:echo|printf|Write-(?:Host|Output)|print|console\.log)\b[ \t(]*[\"'][^\"'\n|]{0,200}?(?P<address>https?://[^\s\"'<>]+)"
)


# Two rules ask for it in a row.
@lru_cache(maxsize=1)
def decoding(text: TextFile) -> list[tuple[int, int]]:
    """The bounds of the commands and calls that decode and run a text, in one step or in two, in order."""
    commands = _piped_commands(text, DECODES, _DECODE(), _DECODE_CALL(), _DECODED())
    found = {command.start: command.end for command in commands}
    for start, end in run_later(text.document.text, some(text.places.of(DECODES), _MAX_DECODED)):
        found.setdefault(start, end)
    return sorted(found.items())


def _piped_commands(
    text: TextFile,
    literals: Iterable[bytes],
    command: re.Pattern[str],
    call: re.Pattern[str],
    called: re.Pattern[str],
) -> Iterator[_PipedCommand]:
    body = text.document.text
    starts: list[int] = []
    # Each command, call and substitution is within one line, and has a literal there.
    for line in lines_of(body, text.places.of(literals)):
        if not _may_run(body, *line):
            continue
        for match in _calls(body, line, call, called):
            yield _PipedCommand(*match.span(), match[0])
        if literals is _FETCHES:
            yield from (_PipedCommand(*match.span(), match[0]) for match in _SAVED().finditer(body, *line))
        for match in _SUBSTITUTED().finditer(body, *line):
            if command.search(match[1] + " "):
                yield _PipedCommand(*match.span(), match[1])
        starts += [match.start() for match in command.finditer(body, *line)]
    for pipe in _pipes(body, starts):
        start = _command_before(body, pipe.start(), starts)
        if start is not None:
            yield _PipedCommand(start, pipe.end(), body[start : pipe.start()])


_RUNNING = ("exec", "eval", "function", "system", "popen", "subprocess", "powershell", "pwsh", "iex", "-expression")


def _may_run(text: str, start: int, end: int) -> bool:
    """Whether a line has a pipe near it, a substitution or a call: most commands only download or decode."""
    if "|" in text[start : end + _REACH] or text.find("$(", start, end) >= 0 or text.find("<(", start, end) >= 0:
        return True
    line = text[start:end].lower()
    return any(word in line for word in _RUNNING) or is_saved_and_run(line)


def _calls(text: str, line: tuple[int, int], call: re.Pattern[str], called: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """The matches of `call` in a line; each contains one of `called`."""
    offsets = (match.start() for match in called.finditer(text, *line))
    spans = [line]
    if line[1] - line[0] > _LONG_LINE:
        spans = [
            (max(start, line[0]), min(end, line[1])) for start, end in windows(text, offsets, _CALL_BEFORE, _CALL_AFTER)
        ]
    for span in spans:
        yield from call.finditer(text, *span)


def _pipes(text: str, starts: list[int]) -> Iterator[re.Match[str]]:
    """The pipes into an interpreter that are near enough to one of the commands at `starts`."""
    end = 0
    for start, limit in windows(text, starts, 0, _REACH + 1):
        at = text.find("|", max(start, end), limit)
        while at >= 0:
            match = _PIPE().match(text, at)
            if match:
                end = match.end()
                yield match
            at = text.find("|", max(at + 1, end), limit)


def _command_before(text: str, pipe: int, starts: list[int]) -> int | None:
    """The one of the commands at `starts` that begins the pipeline of a pipe."""
    found, number = None, bisect_left(starts, pipe) - 1
    while number >= 0 and starts[number] >= pipe - _REACH:
        if _BREAK().search(text, starts[number], pipe if found is None else found):
            break
        found = starts[number]
        number -= 1
    return found


def _trusted(address: str, hosts: tuple[str, ...]) -> bool:
    scheme, _, rest = address.rpartition("://")
    # A name without a dot is of the local network, or a stand-in.
    if re.match(r"(?:[a-z_-]++|127\.0\.0\.1|\[::1\])(?![\w.])", rest):
        return True
    # The pages of some hosts omit the scheme: `irm bun.sh/install.ps1`.
    return scheme in ("https", "") and any(rest == host or rest.startswith(host.rstrip("/") + "/") for host in hosts)


def _is_odd(address: str) -> bool:
    """Whether an address is a raw public one, a shortener, or a place where anybody leaves a text or file."""
    rest = address.rpartition("://")[2].rpartition("@")[2].lower()
    host, slash, path = rest.partition("/")
    return bool(kind_of(host.partition(":")[0], slash + path) & ODD)


_CALLING = late(
    r"(?:os\.(?:system|popen|exec\w+)|subprocess\.\w+|Popen|check_output|check_call|execSync|exec|spawn(?:Sync)?|system"
    r"|shell_exec|passthru|proc_open|popen|execa(?:Command)?|Command)"
    r"[ \t]*\((?:[^()\n]|\r?\n){0,80}[\"'`][^\"'`\n]{0,120}$"
)


def _in_call(text: str, start: int) -> bool:
    """Whether a command is the string of a call that starts a process."""
    return _CALLING().search(text[max(0, start - 260) : start]) is not None


def _host(address: str) -> str:
    if address.startswith("$"):
        return "an address that is only known at run time"
    return f"`{address.rpartition('://')[2].partition('/')[0].rpartition('@')[2][:80]}`"
