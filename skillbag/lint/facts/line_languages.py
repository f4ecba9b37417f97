"""How PowerShell, batch files and AppleScript name variables, and what their words take, do and store."""

from __future__ import annotations

import re
from collections.abc import Callable

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.values import ActKind, OriginKind

Late = Callable[[], re.Pattern[str]]


class LineLanguage(NamedTuple):
    """How a language names variables and sets them, and what its words take and do.

    `joins`: it has statements in one line, and texts put together, that are to be taken apart first.
    """

    name: Late
    sets: Late
    fills: Late
    takes: tuple[tuple[Late, OriginKind], ...]
    does: tuple[tuple[Late, ActKind], ...]
    reads: Late
    stores: Late
    unpacks: Late
    starts: Late
    joins: bool


def _late(*expressions: str) -> Late:
    return late("|".join(expressions), re.IGNORECASE | re.DOTALL)


# Endings of files that Windows or an interpreter runs.
PROGRAM_ENDING = r"\.(?:exe|bat|cmd|ps1|psm1|psd1|msi|scr|dll|vbs|hta|jar|js|py|sct|cpl|lnk)"
_ELSEWHERE = r"(?:https?://|\\\\[\w-]+(?:\.[\w-]+)+)"
_FROM_ELSEWHERE = _late(
    rf"\bmshta(?:\.exe)?\b.{{0,400}}(?:{_ELSEWHERE}|(?:java|vb)script:)",
    rf"\bmsiexec(?:\.exe)?\b.{{0,400}}[/-](?:i|package)[ \t:\"']*{_ELSEWHERE}",
    rf"\bregsvr32(?:\.exe)?\b.{{0,400}}(?:/i:[\"']?|[ \t\"']){_ELSEWHERE}",
    r"\b(?:rundll32|wscript|cscript|installutil|odbcconf|cmstp)(?:\.exe)?\b(?:[ \t]+/\S{1,40}){0,9}[ \t\"']+"
    r"\\\\[\w-]+(?:\.[\w-]+)+",
)
"""Programs of Windows that run a file of another machine."""
_ENCODED = _late(r"(?:powershell|pwsh)(?:\.exe)?\b.{0,400}\s-(?:e|ec|enc\w*)\s")
_GETS = r"\b(?:invoke-webrequest|invoke-restmethod|iwr|irm|start-bitstransfer|curl|wget|bitsadmin)(?:\.exe)?\b"
_TO = r"[ \t]+[\"']?([^\s\"'-][^\s\"']*)"
"""A file that an option or a command names."""
_NAME = _late(
    r"(?P<mark>\$|(?<=[ \t])@|%%?(?=\w+%|\w\b)|!(?=\w+!))(?:global:|script:)?(?!env:|_\b|(?:true|null|false)\b"
    r"|(?:temp|tmp|userprofile|appdata|public)%)(?P<name>\w+)"
)
_SETS = _late(
    r"\s*(?:(?:\[[^\]]{1,40}\][ \t]*)?\$(?:global:|script:)?(\w+)[ \t]*\+?=|@?set[ \t]+\"?(\w+)="
    r"|@?for[ \t]+/f\b.{0,80}?%%?(\w)[ \t]+in\b)"
)
_TAKES = (
    (
        _late(
            r"\b(?:get-childitem|gci|dir|ls|get-item)[ \t]+(?:-path[ \t]+)?env:",
            r"getenvironmentvariables\(",
            r"\A[ \t]*@?set[ \t]*(?:[>|]|\Z)",
        ),
        OriginKind.ENVIRONMENT,
    ),
    (
        _late(
            r"\bdownload(?:string|data|file)(?:async|taskasync)?\(|\bget(?:string|bytearray|stream)?async\(",
            rf"{_GETS}|\bcertutil\b.{{0,400}}-(?:urlcache|verifyctl)\b|\bgit[ \t]+clone\b|\.responsetext\b",
        ),
        OriginKind.DOWNLOAD,
    ),
    (_FROM_ELSEWHERE, OriginKind.DOWNLOAD),
    (_ENCODED, OriginKind.DECODED),
    (
        _late(
            r"frombase64string\(|\bconvertto-securestring\b.{0,400}-key\b|\[convert\]::frombase|\[char(?:\[\])?\]",
            r"\bcertutil\b.{0,400}-decode|\[-1 ?\.\. ?-|-bxor\b",
        ),
        OriginKind.DECODED,
    ),
    (_late(r"\bget-clipboard\b|\[windows\.forms\.clipboard\]"), OriginKind.CLIPBOARD),
    (_late(r"copyfromscreen\("), OriginKind.SCREEN),
    (_late(r"\bget-credential\b|-assecurestring\b"), OriginKind.PASSWORD),
)
_DOES = (
    (_ENCODED, ActKind.RUNS),
    (_FROM_ELSEWHERE, ActKind.RUNS),
    (
        _late(
            r"\biex\b|\binvoke-expression\b|\[scriptblock\]::create\(|\binvokescript\(",
            r"\[(?:system\.)?(?:reflection\.)?assembly\]::load\(",
            r"\|[ \t]*(?:powershell|pwsh|cmd|bash|sh)(?:\.exe)?[ \t]*-?[ \t]*\Z",
            r"\bdo[ \t]+(?:@?(?:call|cmd|start|powershell)\b[^%]{0,30})?[\"']?%%?\w[\"']?[ \t]*\Z",
        ),
        ActKind.RUNS,
    ),
    (
        _late(
            rf"{_GETS}.{{0,2000}}(?:-(?:body|infile|form|method[ \t:]+[\"']?(?:post|put|patch|delete))|[ \t]@\w)",
            r"\bcurl(?:\.exe)?[ \t].{0,400}(?:=@|[ \t\"']@|[ \t]-[dT][ \t\"']|--data|--upload-file)",
            r"\.upload(?:string|file|data|values)(?:async|taskasync)?\(|\bsend-mailmessage\b",
            r"\.(?:post|put|patch|delete|send)async\(",
        ),
        ActKind.SENDS,
    ),
    (_late(r"\bresolve-dnsname\b|\[net\.dns\]::|\bnslookup\b"), ActKind.RESOLVES),
)
_READS = _late(
    r"\b(?:get-content|gc|cat|type|compress-archive|copy-item|cp|copy|move|move-item|rename-item|ren)\b",
    r"::read(?:alltext|allbytes|alllines)\(|-infile\b|uploadfile\(|=@|[ \t\"']@[%$~.\\/\w]",
)
_STORES = _late(
    r"-(?:outfile|destination(?:path)?)[ \t:]+[\"']?([^\s\"']+)|(?<![\w*&$])>>?[ \t]*[\"']?([^\s\"'&|>]+)",
    r"downloadfile(?:async|taskasync)?\([^,]+,[ \t]*[\"']?([^\s\"')]+)|::writeall(?:text|bytes)\([\"']?([^\s\"',]+)",
    rf"\b(?:start-bitstransfer|bitsadmin|certutil)\b.{{0,400}}?://[^\s\"']+[\"']?{_TO}",
    rf"\bcertutil\b.{{0,400}}-decode(?:hex)?[ \t]+\S+{_TO}",
    rf"{_GETS}.{{0,400}}?[ \t](?:-o|--output){_TO}",
    rf"\b(?:set-content|out-file|add-content|tee-object)\b(?:[ \t]+-(?:path|filepath|literalpath))?{_TO}",
    r"\b(?:copy-item|cp|copy|move|move-item|rename-item|ren)\b(?:[ \t]+[/-]\w+)*[ \t]+[\"']?[^\s\"']+[\"']?" + _TO,
)
_UNPACKS = _late(
    rf"\bexpand-archive\b[ \t]+(?!-)[\"']?[^\s\"']+[\"']?{_TO}|\bexpand-archive\b.{{0,400}}-destinationpath{_TO}",
    rf"\bextracttodirectory\([^,]+,[ \t]*[\"']?([^\s\"')]+)|\btar(?:\.exe)?[ \t]+-?\w*x\w*\b.{{0,400}}[ \t]-c{_TO}",
    r"\bgit[ \t]+clone[ \t].{0,400}?[ \t][\"']?([^\s\"':/-][^\s\"':/]*)[\"']?[ \t]*\Z",
    r"\bgit[ \t]+clone[ \t].{0,400}[/:]([\w.-]+?)(?:\.git)?[\"']?[ \t]*\Z",
)
_STARTS = _late(
    r"\b(?:start-process|invoke-item|ii|start|msiexec|regsvr32|rundll32|wscript|cscript|mshta|import-module|ipmo|add-type"
    r"|call|node|python|py|java|powershell|pwsh)(?:\.exe)?\b",
    r"\bcmd(?:\.exe)?[ \t]+/c\b|-filepath\b|\A[ \t]*[&.][ \t]*[^\s.&]|\]::load(?:file|from)\(",
)
_FILLS = _late(r"\$(\w+)(?:\[[^\]\n]{1,80}\])?[ \t]*\+?=", r"\$(\w+)\.(?:add|append\w*)\(")
"""Variables that get something within a statement."""
POWERSHELL = LineLanguage(_NAME, _SETS, _FILLS, _TAKES, _DOES, _READS, _STORES, _UNPACKS, _STARTS, joins=True)
APPLESCRIPT = LineLanguage(
    late(r"(?P<mark>\b)(?P<name>[A-Za-z_]\w*)\b"),
    _late(r"\s*set[ \t]+(\w+)[ \t]+to\b"),
    _late(r"(?!)"),
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
    *(_late(r"(?!)"),) * 3,
    joins=False,
)
LANGUAGES = {"powershell": POWERSHELL, "applescript": APPLESCRIPT}
