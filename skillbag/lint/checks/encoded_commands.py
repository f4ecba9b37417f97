"""Encoded texts that hold commands or instructions; what they decode to is judged by the rules for plain texts."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from functools import cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.literals import Literals
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.lazy_predicate import known_predicate
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, Unjudged
from skillbag.lint.facts.literals import DOWNLOADS, ENVIRONMENT
from skillbag.lint.facts.roles import is_taught, line_at, without_comments
from skillbag.lint.facts.units import DECODED
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.signals.encoded import LITERALS, Encoded, encoded_texts
from skillbag.lint.signals.fences import fences_of, span_at
from skillbag.lint.signals.programs import MADE_EXECUTABLE

_COMMAND = late(
    r"""(?<![\w.-])(?:
            (?:ba|z|da|k)?sh[ ]+(?:-\w+[ ]+){0,2}?-(?:\w*c|i)\b | (?:python[\d.]*|perl|ruby|node|php)[ ]+-[ecr]\b
          | (?:curl|wget)(?:\.exe)?[ ]+[^\n|;]{0,200}?(?:https?://|\$|[\w-]{1,60}\.[\w.-]{1,60}/|\d+(?:\.\d+){3})
          | (?i:powershell|pwsh)(?:\.exe)?[ ]+-\w | (?i:iex|invoke-(?:expression|webrequest|restmethod))\b(?=\s*\S)
          | (?i:iwr|irm)[ ]+(?:-\w+[ ]+){0,3}["']?https? | nc(?:at)?[ ]+(?:-\w+[ ]+){0,3}-[ce]\b | certutil[ ]+-urlcache
          | bitsadmin[ ]+/ | mshta[ ]+(?:https?|vbscript|javascript) | """
    + MADE_EXECUTABLE
    + r"""[ ]
          | osascript[ ]+-e | os\.(?:system|popen|exec\w+)\( | subprocess\.(?:run|call|Popen|check_\w+|getoutput)\(
          | pty\.spawn\(
          | exec\([ ]*(?:[\w.]+\(|['"]|[a-z]\w*\)) | eval\([ ]*[\w.]+\( | child_process | execSync\(
          | Runtime\.getRuntime | __import__\([ ]*['"](?:os|subprocess|socket|urllib|requests)
          | socket\.socket\( | downloadstring\( )
      | /dev/(?:tcp|udp)/""",
    re.VERBOSE,
)
"""An interpreter with code, a download, a connection of a shell, or code that starts processes."""

JUDGES = (
    *("download-run", "encoded-run", "decoy-address", "obfuscated", "loader-attack", "load-command"),
    *("raw-address", "locked-archive", "paste-page", "required-unknown-binary", "collector-host", "dns-exfiltration"),
    *("secret-file-sent", "facts", "wallet-key-sent", "conversation-leak", "input-captured"),
    *("reverse-shell", "persistence", "destructive-command", "defence-evasion", "permission-bypass"),
    *("agent-configuration", "memory-written", "instruction-override", "concealment", "fake-system-tag"),
    *("hidden-command", "remote-instructions", "package-source", "coin-miner", "unasked-spread"),
    *("powershell-hiding", "stores-collected"),
)
"""The predicates that judge a decoded text: those of all rules about malice in texts, but for a few that tests name."""
FLOWS = (
    {"reads": "environment", "flows-to": {"sends": "any", "resolves": "any"}},
    {
        "reads": "download",
        "hosts": "unknown",
        "flows-to": {"runs": "any"},
        "in": ["python", "javascript", "code"],
        "at": "act",
    },
)
"""What the judge `facts` looks for: the conditions of the rules `environment-sent` and `fetched-code-executed`."""
_SHOWN = 60


@Predicate("decoded-command", Subject.TEXT, values=("kind", "shown"), literals=LITERALS)
def decoded_command(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Encoded texts that decode to a command, or to a text with a finding of its own."""
    for found in encoded_texts(text.document.text):
        if is_payload(found.decoded):
            values = {"kind": found.kind, "shown": _shown(found.decoded)}
            seen = (
                text.document.text.startswith(_CUT, found.end)
                or found.decoded.count("(") > found.decoded.count(")")
                or _is_explained(text, found)
                or _is_sample(text, found)
            )
            raised = not (seen or is_taught(text, found.start, found.end, found.decoded))
            yield Match(text.document.path, found.start, found.end, values, raised=raised)


_CUT = ("...", "…")
_NEAR = 400
_LINE = 2_000


def _is_explained(text: TextFile, found: Encoded) -> bool:
    """Whether the text near by says in plain words what an encoded one is."""
    body = text.document.text
    # Where the same text stands before, its meaning stands there.
    start = body.find(body[found.start : found.end], max(0, found.start - _LINE))
    near = body[max(0, start - _NEAR) : start] + " " + body[found.end :][:_NEAR]
    command = _COMMAND().search(found.decoded)
    words = "".join(found.decoded[command.start() if command else 0 :].split())[:_SHOWN]
    return len(words) >= _LEAST and words in "".join(near.split())


def _is_sample(text: TextFile, found: Encoded) -> bool:
    """Whether a row of a table shows encoded words, or a block of code those for an agent: nothing runs there."""
    if text.language != "markdown":
        return False
    in_row = line_at(text.document, found.start).head.lstrip().startswith("|")
    return in_row or (not _is_command(found.decoded) and bool(span_at(fences_of(text), found.start)))


_LEAST = 12
_MAX_HARMLESS = 80
"""Longest decoded text that is called harmless because no rule finds anything in it."""
_WORD = late(r"(?<![\w+/])(?=[a-z]*[A-Z0-9])(?=[A-Z0-9]*[a-z])[A-Za-z0-9+/]{8,60}={0,2}(?![\w+/=])")
_QUOTED = late(r"[ \t\\]*[\"'](?:\.{3}|…|[A-Z0-9]+_[A-Z0-9_]+|PAYLOAD|<[^\"'<>\n]{1,40}>)\\?[\"']")
"""A text that is left out, in its place."""
_REQUESTED = late(r"\$_(?:GET|POST|REQUEST|COOKIE)\b")
"""What a page is sent: a sample of a web shell, which holds no hidden text."""


def is_shown(text: TextFile, start: int, end: int) -> bool:
    """Whether what a command decodes is in sight: left out, in plain words, encoded before, or short and harmless."""
    first, last = text.document.bounds(start)[0], text.document.bounds(end)[1]
    body = text.document.text
    if _QUOTED().search(body, start, end) or _QUOTED().match(body, end, last):
        return True
    line = without_comments(body[max(first, start - _LINE) : min(last, end + _LINE)])
    if text.language == "markdown" and _REQUESTED().search(line):
        return True
    before = body[max(0, first - _LINE) : first]
    if any(re.search(rf"\b{made[1] or made[2]}\b", line) for made in _ENCODED().finditer(before)):
        return True
    encoded = list(encoded_texts(body, max(first, start - _LINE), min(last, end + _LINE)))
    if encoded:
        return all(
            _is_explained(text, found) or _is_harmless(found.decoded) or is_taught(text, start, end, found.decoded)
            for found in encoded
        )
    words = [word for word in map(_plain, _WORD().findall(line)) if word]
    return bool(words) and all(map(_is_harmless, words))


_ENCODED = late(
    r"(?<![\w.$])(\w{1,40})[ \t]*=[ \t]*(?:\w+\.)?(?:b64encode|btoa)\([^\n]{1,200}"
    r"|(?<![\w.$])(\w{1,40})=\"?\$\([^\n]{1,200}\|[ \t]*base64\b(?![ \t]+-+[dD])"
)
"""A variable that gets an encoded text: what a later line decodes was in plain words before."""


def _is_harmless(decoded: str) -> bool:
    return len(decoded) <= _MAX_HARMLESS and not is_payload(decoded)


def _plain(word: str) -> str:
    """What a short base64 text says; empty where it is no text."""
    try:
        decoded = base64.b64decode(word, validate=True).decode("ascii")
    except ValueError:
        return ""
    return decoded if decoded.isprintable() else ""


def is_payload(decoded: str) -> bool:
    """Whether a decoded text is a command, or has a finding of its own."""
    return _is_command(decoded) or any(_judged(decoded))


_STEMS = (
    *(" -c", " -i", " -e", " -r", " -nop", "curl", "wget", "shell", "pwsh", "iex", "invoke-", "iwr", "irm", "certutil"),
    *("bitsadmin", "mshta", "chmod", "osascript", "os.", "subprocess", "pty.", "exec", "eval", "child_", "runtime"),
    *("__import__", "socket", "downloadstring", "/dev/"),
)
"""Words of which each match of `_COMMAND` has one."""


def _is_command(decoded: str) -> bool:
    folded = decoded.lower()
    return any(stem in folded for stem in _STEMS) and _COMMAND().search(decoded) is not None


def _judged(decoded: str) -> Iterator[Match | Unjudged]:
    """The findings of other predicates in a decoded text."""
    raw = decoded.encode()
    text = TextFile(Document("decoded", raw, decoded), DECODED, "text")
    literals, wanted = _judges()
    places = literals.search(raw)
    names = {name for literal in places.found for name in wanted[literal]}
    text.places = places
    for name in JUDGES:
        if name in names:
            predicate = known_predicate(name)
            for match in predicate.check(text, predicate.options(*_given(name))):
                if isinstance(match, Unjudged) or match.role not in (PlaceRole.SHOWN, PlaceRole.DATA):
                    yield match


def _given(name: str) -> tuple[object, ...]:
    return ({"any": FLOWS},) if name == "facts" else ()


@cache
def _judges() -> tuple[Literals, dict[bytes, list[str]]]:
    """The literals of all judges, and their names by literal."""
    wanted: dict[bytes, list[str]] = {}
    for name in JUDGES:
        for literal in known_predicate(name).literals or ((*ENVIRONMENT, *DOWNLOADS) if name == "facts" else ()):
            wanted.setdefault(literal, []).append(name)
    return Literals(wanted), wanted


def _shown(decoded: str) -> str:
    """The beginning of a decoded text in one line, masked."""
    from skillbag.kernel.secrets.detection import mask

    words = " ".join(mask(decoded[:4_000]).split())
    command = _COMMAND().search(words) if _is_command(words) else None
    start = max(0, command.start() - 10) if command and command.end() > _SHOWN else 0
    cut = words[start : start + _SHOWN].replace("`", "'")
    return f"{'…' * bool(start)}{cut}{'…' * (len(words) > start + _SHOWN)}"
