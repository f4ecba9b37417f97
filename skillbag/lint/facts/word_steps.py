"""Code that no reader knows, or that does not parse: what its words take and send counts together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.paths import secret_kind
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind, Step
from skillbag.lint.signals.secret_paths import LITERALS, secret_paths
from skillbag.lint.signals.sending import sendings

_MAX = 50
_ENVIRONMENT = late(
    r"""\bENV\.(?:each|to_h|select|map|filter|inspect)\b | \bos\.Environ\(\)
      | \bSystem\.getenv\(\) | (?<!\w)%ENV\b(?!\{)
      | \$_ENV\b(?!\[) | \bgetenv\(\) | \bjson\.dumps\([ \t]*(?:dict\()?os\.environ
      | \bfor\b[^\n]{0,60}\bin\b[^\n]{0,20}os\.environ\b
      | \bJSON\.stringify\([ \t]*process\.env(?![.\[])""",
    re.VERBOSE,
)


def word_steps(text: str) -> list[Step]:
    """One step with all that the words of a text take and send, and one for each line that runs what it decodes."""
    found = [*_run_lines(text)]
    sources = tuple(_sources(text))
    if not sources:
        return found
    acts = tuple(Act(ActKind.SENDS, "", each.means, each.start, each.end) for each in sendings(text))
    return [*found, Step((), frozenset(), sources[:_MAX], acts[:_MAX])] if acts else found


_RUN_TEXT = late(
    r"""(?<![\w.]) (?:exec|eval|system|passthru|shell_exec|assert|instance_eval|Function) [ \t(]+ [^\n]{0,80}?
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


def _sources(text: str) -> Iterator[Origin]:
    offsets = sorted(at for literal in map(bytes.decode, LITERALS) for at in _places(text, literal))
    for path in secret_paths(text, offsets):
        if path.read:
            yield Origin(secret_kind(path.path) or OriginKind.SECRET_FILE, path.path, path.start, path.end)
    for match in _ENVIRONMENT().finditer(text):
        yield Origin(OriginKind.ENVIRONMENT, match[0].strip(), *match.span())


def _places(text: str, literal: str) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)
