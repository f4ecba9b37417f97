"""PowerShell that hides what it runs: texts in numbers, in pieces or backwards, programs that are loaded from bytes.

The forms are those of published droppers (MITRE ATT&CK T1027, T1059.001, T1620). Case and backticks mean nothing to
PowerShell, so they are taken away first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.flow_signs import is_powershell
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_LARGEST = 3_000_000
"""Characters of a script that are looked at."""
_RUNS = r"(?:\biex\b|invoke-expression|reflection\.assembly\]::load\(|\.invoke\(|scriptblock\]::create)"
_SIGNS: tuple[tuple[str, Late], ...] = (
    (
        "an encoded command",
        late(r"(?:powershell|pwsh)(?:\.exe)?[^\n|]{0,200}\s-(?:e|ec|enc\w{0,12})\s+[\"']?[a-z0-9+/=]{40}"),
    ),
    ("a program that is loaded from bytes", late(r"reflection\.assembly\]::load\(")),
    (
        "memory for code that is written by numbers",
        late(r"virtualalloc[\s\S]{0,4000}?(?:createthread|delegateforfunction|-bxor)"),
    ),
    (
        "a decoded text that runs",
        late(rf"frombase64string\([\s\S]{{0,4000}}?{_RUNS}|{_RUNS}[\s\S]{{0,400}}?frombase64string\("),
    ),
    ("letters as numbers", late(r"(?:\[char\](?:\(?\s*(?:0x[0-9a-f]{2}|\d{2,3})[\d+*/ -]*\)?)[\s+,]*){6}")),
    ("letters as numbers", late(r"\[char\[\]\]\s*\(?\s*(?:\d{2,3}\s*,\s*){5}")),
    (
        "letters as numbers",
        late(r"-join\s*\(+\s*[\"'](?:\d{2,3}[^\d\"'\n]{1,3}){8}|=\s*\(?[\"']?(?:[01]{8}\s*,\s*){8}"),
    ),
    ("a name that is put together of pieces", late(r"[\"'](?:\{\d{1,2}\}){4,}[\"']\s*-f\s*[\"']")),
    (
        "a name that is taken from letters of a variable",
        late(r"\$(?:\{?\w*preference\}?|shellid|pshome|env:comspec)\s*\)?\s*\[\s*\d+\s*,\s*\d+"),
    ),
    ("a name that is taken from letters of a variable", late(r"variable\s+[\"']\*?\w{1,6}\*[\"']\)\.name\[\d")),
    ("a program as a text", late(r"4d5a9\W{0,6}0{1,2}\W{0,6}0|\b77\s*,\s*90\s*,\s*144\s*,\s*0\s*,\s*3\b")),
    ("a text that is read backwards", late(r"\[-1\.\.-\(?\$\w+\.length|\[array\]::reverse\([\s\S]{0,400}?-join")),
)


@Predicate("powershell-hiding", Subject.TEXT, values=("what",), needs="flow_signs.is_powershell")
def powershell_hiding(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Scripts with one such form; raised where there are two of different kinds."""
    if not is_powershell(text, frozenset()):
        return
    body = text.document.text[:_LARGEST]
    plain = body.lower().replace("`", "")
    found: dict[str, re.Match[str]] = {}
    for what, form in _SIGNS:
        if what not in found and (match := form().search(plain)):
            found[what] = match
    if found:
        first, *others = found
        start = found[first].start() if len(plain) == len(body) else 0
        what = first if not others else f"{first}, and {others[0]}"
        yield Match(text.document.path, start, start, {"what": what}, raised=bool(others))
