"""PowerShell that hides what it runs: texts in numbers, in pieces or backwards, programs that are loaded from bytes.

The forms are those of published droppers (MITRE ATT&CK T1027, T1059.001, T1620). Case and backticks mean nothing to
PowerShell, so they are taken away first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.flow_signs import is_powershell
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_LARGEST = 3_000_000
"""Characters of a script that are looked at."""
_NUMBERS = "letters as numbers"
_LETTERS = "a name that is taken from letters of a variable"


class _Sign(NamedTuple):
    """A form, or two of which the second stands at most `within` characters behind the first."""

    what: str
    form: Late
    second: Late | None = None
    within: int = 0

    def place(self, text: str) -> int | None:
        """Where a text has it first."""
        if self.second is None:
            found = self.form().search(text)
            return found.start() if found else None
        seconds = [match.start() for match in self.second().finditer(text)]
        for match in self.form().finditer(text) if seconds else ():
            at = bisect_left(seconds, match.end())
            if at < len(seconds) and seconds[at] - match.end() <= self.within:
                return match.start()
        return None


_RUNS = late(r"\biex\b|invoke-expression|reflection\.assembly\]::load\(|\.invoke\(|scriptblock\]::create")
_DECODES = late(r"frombase64string\(")
_SIGNS = (
    _Sign(
        "an encoded command",
        late(r"(?:powershell|pwsh)(?:\.exe)?[^\n|]{0,200}\s-(?:e|ec|enc\w{0,12})\s+[\"']?[a-z0-9+/=]{40}"),
    ),
    _Sign("a program that is loaded from bytes", late(r"reflection\.assembly\]::load\(")),
    _Sign(
        "memory for code that is written by numbers",
        late("virtualalloc"),
        late("createthread|delegateforfunction|-bxor"),
        4_000,
    ),
    _Sign("a decoded text that runs", _DECODES, _RUNS, 4_000),
    _Sign("a decoded text that runs", _RUNS, _DECODES, 400),
    _Sign(_NUMBERS, late(r"(?:\[char\](?:\(?\s*+(?:0x[0-9a-f]{2}|\d{2,3})[\d+*/ -]*+\)?)[\s+,]*+){6}")),
    _Sign(_NUMBERS, late(r"\[char\[\]\]\s*+(?:\(\s*+)?(?:\d{2,3}\s*,\s*){5}")),
    _Sign(_NUMBERS, late(r"-join\s*\(+\s*[\"'](?:\d{2,3}[^\d\"'\n]{1,3}){8}|=\s*\(?[\"']?(?:[01]{8}\s*,\s*){8}")),
    _Sign("a name that is put together of pieces", late(r"[\"'](?:\{\d{1,2}\}){4,}[\"']\s*-f\s*[\"']")),
    _Sign(_LETTERS, late(r"\$(?:\{?\w*preference\}?|shellid|pshome|env:comspec)\s*+(?:\)\s*+)?\[\s*\d+\s*,\s*\d+")),
    _Sign(_LETTERS, late(r"variable\s+[\"']\*?\w{1,6}\*[\"']\)\.name\[\d")),
    _Sign("a program as a text", late(r"4d5a9\W{0,6}0{1,2}\W{0,6}0|\b77\s*,\s*90\s*,\s*144\s*,\s*0\s*,\s*3\b")),
    _Sign("a text that is read backwards", late(r"\[-1\.\.-\(?\$\w+\.length")),
    _Sign("a text that is read backwards", late(r"\[array\]::reverse\("), late("-join"), 400),
)


@Predicate("powershell-hiding", Subject.TEXT, values=("what",), needs="flow_signs.is_powershell")
def powershell_hiding(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Scripts with one such form; raised where there are two of different kinds."""
    if not is_powershell(text, frozenset()):
        return
    body = text.document.text[:_LARGEST]
    plain = body.lower().replace("`", "")
    found: dict[str, int] = {}
    for sign in _SIGNS:
        if sign.what not in found and (place := sign.place(plain)) is not None:
            found[sign.what] = place
    if found:
        first, *others = found
        start = found[first] if len(plain) == len(body) else 0
        what = first if not others else f"{first}, and {others[0]}"
        yield Match(text.document.path, start, start, {"what": what}, raised=bool(others))
