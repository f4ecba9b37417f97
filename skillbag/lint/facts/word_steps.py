"""Code that no reader knows, or that does not parse: what its words take and send counts together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from shlex import quote

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.paths import secret_kind
from skillbag.lint.facts.shell_steps import given_steps
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.values import BESIDE, Act, ActKind, Origin, OriginKind, Step
from skillbag.lint.signals.secret_paths import LITERALS, secret_paths
from skillbag.lint.signals.sending import sendings

_MAX = 50
_ENVIRONMENT = late(
    r"""\bENV\.(?:each|to_h|select|map|filter|inspect)\b | \$_ENV\b(?!\[) | \bgetenv\(\)
      | \bjson\.dumps\([ \t]*(?:dict\()?os\.environ | \bfor\b[^\n]{0,60}\bin\b[^\n]{0,20}os\.environ\b(?!\.get\b|\[)
      | \bJSON\.stringify\([ \t]*process\.env(?![.\[])""",
    re.VERBOSE,
)


def word_steps(text: str, *, is_read: bool = False) -> list[Step]:
    """One step with all that the words of a text take and send, and one for each line that runs what it decodes.

    `is_read`: its statements are read as well, so that what is only in the same file is a hint.
    """
    found = [*_run_lines(text), *_started(text)]
    sources = [each for each, is_named in secret_files(text) if is_named]
    if not is_read:
        sources += [
            Origin(OriginKind.ENVIRONMENT, match[0].strip(), *match.span()) for match in _ENVIRONMENT().finditer(text)
        ]
    if not sources:
        return found
    beside = BESIDE if is_read else ""
    acts = tuple(Act(ActKind.SENDS, "", each.means + beside, each.start, each.end) for each in sendings(text))
    return [*found, Step((), frozenset(), (*sources[:_MAX],), acts[:_MAX])] if acts else found


_RUN_TEXT = late(
    r"""(?<![\w.-]) (?:exec|eval|system|passthru|shell_exec|assert|instance_eval|Function) [ \t(]+ [^\n]{0,80}?
          (?: (?P<decoded>\b(?:b(?:64|32|85)decode|unhexlify|fromhex|decompress|atob|base64_decode|gzinflate|str_rot13
                |(?:strict_|urlsafe_)?decode64|decode_base64|unpack)[ \t]*\(|\bdecode_base64\b)
            | (?<![\w.])(?P<fetched>requests\.get|urlopen|httpx\.get|fetch|file_get_contents|URI\.open
                |Net::HTTP\.get)\( )
          (?:[^\n"']{0,60}["'](?P<address>https?://[^"'\n]{1,200}))?""",
    re.VERBOSE,
)


def _run_lines(text: str) -> Iterator[Step]:
    for _, match in zip(range(_MAX), _RUN_TEXT().finditer(text), strict=False):
        kind = OriginKind.DECODED if match["decoded"] else OriginKind.DOWNLOAD
        source = Origin(kind, match["address"] or match["decoded"] or "…", *match.span())
        yield Step((), frozenset(), (source,), (Act(ActKind.RUNS, "", match[0][:40], *match.span()),))


_STARTS = late(
    r"""(?<![\w$])(?:system2?|shell(?:_exec)?|exec\w*|Command(?:::new)?|CommandContext|popen\w*|passthru|proc_open|Start|spawn|run
          |Process(?:Builder)?(?:::new)?|launch) [ \t]* [({\[]+ (?P<words>[^\n;]{1,500})""",
    re.VERBOSE,
)
_LITERAL = late(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`\n]*)`")
_BACKSLASH = late(r"\\(.)")


def _started(text: str) -> Iterator[Step]:
    """The steps of the command lines in calls that start a program."""
    for _, match in zip(range(_MAX), _STARTS().finditer(text), strict=False):
        words = [_BACKSLASH().sub(r"\1", next(filter(None, each), "")) for each in _LITERAL().findall(match["words"])]
        line = words[0] if len(words) == 1 else " ".join(map(quote, words))
        yield from given_steps(line, Step(), *match.span(), FilesBeside())


_PARTS = late(r"[\"'][ \t]*[,/)][ \t]*(?:\.join\([ \t]*)?[\"']?")


def secret_files(text: str) -> Iterator[tuple[Origin, bool]]:
    """The secret files that a text names, and whether a word beside each reads it."""
    offsets = sorted(at for literal in map(bytes.decode, LITERALS) for at in places(text, literal))
    for path in secret_paths(text, offsets):
        kind = secret_kind(_PARTS().sub("/", path.path)) or OriginKind.SECRET_FILE
        yield Origin(kind, path.path, path.start, path.end), path.read


def places(text: str, literal: str) -> Iterator[int]:
    """Where a text has a literal."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)
