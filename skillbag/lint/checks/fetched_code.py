"""Code that runs what it fetches, and code that hides what it does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import Region, region_at
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.prefilter import some, windows

_FETCH = (
    r"(?:(?:requests|httpx|session|client|axios)\.(?:get|post)|urlopen|urllib2?\.request|http\.client|fetch|axios|got"
    r"|https?\.get|needle|superagent\.get|curl_exec|file_get_contents|URI\.open|Net::HTTP\.get)[ \t]*\("
)
_RUN = (
    r"(?<![\w.])(?:(?:window|globalThis|global|builtins|__builtins__|vm)\.)?"
    r"(?:exec|eval|execSync|execfile|runInThisContext|runInNewContext|(?:new[ \t]+)?Function|AsyncFunction"
    r"|instance_eval|setTimeout|os\.system|subprocess\.\w+)[ \t]*\("
)
_DIRECT = late(
    rf"""(?:{_RUN})[ \t]*(?:[\w.]+[ \t]*,[ \t]*)?[\w.( \t"']{{0,60}}(?<![\w.]){_FETCH}
      | (?<![\w.]){_FETCH}[^\n]{{0,200}}(?:\n[^\n]{{0,120}}){{0,3}}?\.then\([^\n]{{0,60}}?
          (?<![\w.])(?:eval|(?:new[ ])?Function)\b(?:[ \t]*\(|\))
      | (?<![\w.])import\([ \t]*["'`]data:text/javascript[^\n]{{0,80}}\$\{{[^\n]{{0,60}}fetch""",
    re.VERBOSE,
)
_CALL = late(rf"(?:{_RUN})|[\"']-c[\"'][ \t]*,[ \t]*(?=\w)")
_NAME = late(r"[A-Za-z_$][\w$]*")
_ASSIGNED = late(
    r"^[ \t]*(?:(?:const|let|var|with"
    r"|async)[ \t]+)*(?:\$?(?P<name>[A-Za-z_]\w*)[ \t]*(?::[ \t]*[\w\[\]. ]{1,30})?=(?!=)"
    r"|(?P<opened>[^\n]{0,200})[ \t]as[ \t]+(?P<alias>\w+)[ \t]*:)[ \t]*(?P<value>[^\n]{0,400})",
    re.MULTILINE,
)
_FETCHES = late(rf"(?<![\w.]){_FETCH}|(?<![\w]){_FETCH}")
_RUN_WORDS = (
    *(b"exec(", b"eval(", b"execSync(", b"Function(", b"(eval)"),
    *(b"InThisContext(", b"InNewContext(", b"'-c'", b'"-c"'),
)
_LONGEST = 200_000


@Predicate("fetched-code", Subject.TEXT, values=("call",), literals=_RUN_WORDS, needs="before_theft.runs_fetched")
def fetched_code(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Calls that run a text which the same code fetched, in one statement or over several."""
    body = text.document.text
    offsets = some(text.places.of(_RUN_WORDS))
    if not any(word in body for word in ("fetch", "requests.", "httpx", "urlopen", "urllib", "axios", "http", "got(")):
        return
    direct: dict[int, re.Match[str]] = {}
    for window in windows(body, offsets, 600, 300):
        direct |= {match.start(): match for match in _DIRECT().finditer(body, *window)}
    for match in direct.values():
        if region_at(text, match.start()):
            yield Match(text.document.path, *match.span(), {"call": short(" ".join(match[0].split()))})
    regions = {region for at in offsets if (region := region_at(text, at))}
    for region in sorted(regions):
        yield from _in_region(text, region, {*direct})


def _in_region(text: TextFile, region: Region, known: set[int]) -> Iterator[Match]:
    body = text.document.text
    names = _fetched_names(body, region)
    if not names:
        return
    for call in _CALL().finditer(body, region.start, min(region.end, region.start + _LONGEST)):
        argument = body[call.end() : call.end() + 80].partition("\n")[0]
        if call.start() not in known and names & _used(argument) and region_at(text, call.start()):
            found = short(f"{call[0]}{argument}".strip())
            yield Match(text.document.path, call.start(), call.end(), {"call": found})


_NOT_RUN = late(r"[\"'][^\"'\n]{0,200}[\"']|\bjson\b")


def _used(argument: str) -> set[str]:
    """The names in the first argument of a call."""
    return set(_NAME().findall(_NOT_RUN().sub("", argument)))


def _fetched_names(body: str, region: Region) -> set[str]:
    """The names of values that come from a request, directly or through other names."""
    names: set[str] = set()
    for match in _ASSIGNED().finditer(body, region.start, min(region.end, region.start + _LONGEST)):
        value = match["value"] if match["name"] else match["opened"]
        if _FETCHES().search(value) or names & _used(value):
            names.add(match["name"] or match["alias"])
    return names


_OBFUSCATED = late(
    r"""(?:\\x[2-7][0-9a-fA-F]){12,}+
      | (?:chr\([ \t]*\d{2,3}[ \t]*\)[ \t]*[+.][ \t]*){8,}+
      | String\.fromCharCode\((?:[ \t]*(?:0x[0-9a-f]{2}|\d{2,3})[ \t]*,){11,}+
      | (?:\\u00[2-7][0-9a-fA-F]){12,}+""",
    re.VERBOSE,
)
_MASKED = late(r"\bchr\([ \t]*\w{1,20}(?:\[\w{1,10}\])?[ \t]*\^[ \t]*(?:0x[0-9a-fA-F]{1,2}|\d{1,3})[ \t]*\)")
_RUNS_TEXT = late(r"(?<![\w.])(?:exec|eval|compile)[ \t]*\(")
_RENAMED = late(r"\b_0x[0-9a-f]{1,6}\b")
_HIDING_WORDS = (
    *(b"_0x", b")+chr(", b") + chr(", b".chr(", b"fromCharCode("),
    *(start + digit for digit in (b"2", b"3", b"4", b"5", b"6", b"7") for start in (b"\\x", b"\\u00")),
)
_MASKS = tuple(b" ^ " + digit for digit in (b"0x", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9"))
_MAX_NAMES = 6


@Predicate("obfuscated", Subject.TEXT, values=("what",), literals=(*_HIDING_WORDS, *_MASKS))
def obfuscated(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Code that spells its texts as numbers, or whose names a tool has replaced."""
    body = text.document.text
    renamed = list(_RENAMED().finditer(body)) if b"_0x" in text.places else []
    if len(renamed) >= _MAX_NAMES and len({name[0] for name in renamed}) > 1 and region_at(text, renamed[0].start()):
        yield Match(text.document.path, *renamed[0].span(), {"what": "Its names are replaced by numbers"})
    for at in text.places.of(_MASKS)[:1]:
        masked = _MASKED().search(body, max(0, at - 60))
        if masked and _RUNS_TEXT().search(body) and region_at(text, masked.start()):
            yield Match(text.document.path, *masked.span(), {"what": "Its text is masked by a number, and run"})
    end = 0
    for at in text.places.of(_HIDING_WORDS[1:]):
        start = at if body[at] == "\\" else max(body.rfind(name, max(0, at - 12), at) for name in ("chr(", "String."))
        match = _OBFUSCATED().match(body, start) if at >= end and start >= 0 else None
        end = match.end() if match else end
        if match and region_at(text, match.start()):
            yield Match(text.document.path, *match.span(), {"what": "Its text is spelt as numbers"})
