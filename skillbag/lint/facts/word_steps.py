"""Code that no reader knows, or that does not parse: what its words take and send counts together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from shlex import quote

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.paths import file_name, secret_kind
from skillbag.lint.facts.shell_steps import given_steps
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind, Step
from skillbag.lint.signals.secret_paths import LITERALS, secret_paths
from skillbag.lint.signals.sending import sendings

_MAX = 50
_ENVIRONMENT = late(
    r"""\bENV\.(?:each|to_h|select|map|filter|inspect)\b | \bos\.Environ\(\)
      | \bSystem\.getenv\(\) | (?<!\w)%ENV\b(?!\{)
      | \$_ENV\b(?!\[) | \bgetenv\(\) | \bjson\.dumps\([ \t]*(?:dict\()?os\.environ
      | \bfor\b[^\n]{0,60}\bin\b[^\n]{0,20}os\.environ\b(?!\.get\b|\[)
      | \bJSON\.stringify\([ \t]*process\.env(?![.\[])""",
    re.VERBOSE,
)


def word_steps(text: str) -> list[Step]:
    """One step with all that the words of a text take and send, and one for each line that runs what it decodes."""
    found = [*_run_lines(text), *_started(text), *_files(text)]
    sources = tuple(_sources(text))
    if not sources:
        return found
    acts = tuple(Act(ActKind.SENDS, "", each.means, each.start, each.end) for each in sendings(text))
    return [*found, Step((), frozenset(), sources[:_MAX], acts[:_MAX])] if acts else found


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
_FETCHES = late(
    r"""(?<![\w$])(?P<call>download\.file|source|source_url|getstore|mirror|include|Downloads\.download|copyURLToFile)
        [ \t]*[( ][ \t]*["'](?P<address>https?://[^"'\n]{1,300})["'](?:[^\n"']{0,60}["'](?P<file>[^"'\n]{1,200})["'])?""",
    re.VERBOSE,
)
_RUNS_ADDRESS = ("source", "source_url", "include")


def _started(text: str) -> Iterator[Step]:
    """The steps of the command lines in calls that start a program."""
    for _, match in zip(range(_MAX), _STARTS().finditer(text), strict=False):
        words = [_BACKSLASH().sub(r"\1", next(filter(None, each), "")) for each in _LITERAL().findall(match["words"])]
        line = words[0] if len(words) == 1 else " ".join(map(quote, words))
        yield from given_steps(line, Step(), *match.span(), FilesBeside())


def _files(text: str) -> Iterator[Step]:
    """Calls that store a download in a file, or run it from its address."""
    for _, match in zip(range(_MAX), _FETCHES().finditer(text), strict=False):
        source = Origin(OriginKind.DOWNLOAD, match["address"], *match.span())
        runs = match["call"] in _RUNS_ADDRESS
        acts = (Act(ActKind.RUNS, "", match["call"], *match.span()),) if runs else ()
        yield Step((f"file:{file_name(match['file'])}",) if match["file"] else (), frozenset(), (source,), acts)


def _sources(text: str) -> Iterator[Origin]:
    offsets = sorted(at for literal in map(bytes.decode, LITERALS) for at in places(text, literal))
    for path in secret_paths(text, offsets):
        if path.read:
            yield Origin(secret_kind(path.path) or OriginKind.SECRET_FILE, path.path, path.start, path.end)
    for match in _ENVIRONMENT().finditer(text):
        yield Origin(OriginKind.ENVIRONMENT, match[0].strip(), *match.span())


def places(text: str, literal: str) -> Iterator[int]:
    """Where a text has a literal."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)
