"""Public IPv4 addresses in place of host names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.intent import is_meant, line_at
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import windows
from skillbag.lint.signals.addresses import Address, AddressTrait, addresses
from skillbag.lint.signals.nearness import around
from skillbag.lint.signals.programs import MADE_EXECUTABLE

_NUMBERS = tuple(f"://{digit}".encode() for digit in range(10))
_LOCAL = ("127.0.0.1", "192.168.", "10.", "0.0.0.")
_FETCHES = late(
    r"(?<![\w.-])(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|certutil|bitsadmin|mshta|urlopen|urlretrieve"
    r"|requests\.get|fetch|downloadstring|downloadfile|regsvr32|rundll32|msiexec)\b",
    re.IGNORECASE,
)
_RUNS = late(
    r"\|[ \t]*(?:sudo[ \t]+)?(?:(?:ba|z|da|k)?sh|python[\d.]*|perl|ruby|node|php|iex)\b"
    rf"|\b{MADE_EXECUTABLE}\b"
    r"|(?<![\w.-])(?:exec|eval|os\.system|os\.popen|execSync|subprocess\.\w+|child_process|spawn|start-process"
    r"|iex|invoke-expression)\b"
    r"|(?<![\w./-])(?:(?:ba|z|da)?sh[ \t]+-c|bash[ \t]+<\(|source[ \t]+<\(|mshta|regsvr32|msiexec|rundll32)"
    r"|(?:^|[;&][ \t]*)(?:sudo[ \t]+)?(?:\./|/tmp/|(?:ba|z|da)?sh[ \t]+[\w./-]+$)",
    re.IGNORECASE | re.MULTILINE,
)


@Predicate("raw-address", Subject.TEXT, values=("address",), literals=_NUMBERS, needs="before_delivery.raw_address")
def raw_address(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Addresses that are public IPv4 numbers; raised where what is there is downloaded and run."""
    body, last = text.document.text, -1
    places = [at for at in text.places.of(_NUMBERS) if not body.startswith(_LOCAL, at + 3)]
    for start, end in windows(body, places, 8, 60):
        for found in addresses(body, start, min(len(body), end + 200)):
            if found.kind & AddressTrait.RAW and found.start > last and found.scheme:
                last = found.start
                shown = found.text[:60]
                yield Match(text.document.path, found.start, found.end, {"address": shown}, raised=_is_run(text, found))


def _is_run(text: TextFile, found: Address) -> bool:
    """Whether a line with a raw address downloads, and it or the next lines run something."""
    body = text.document.text
    line = line_at(text.document, found.start)
    first, limit = max(line.start, found.start - 300), min(line.end, found.end + 300)
    if not _FETCHES().search(body, first, limit):
        return False
    _, after = around(body, found.start, found.end, 2)
    return bool(_RUNS().search(body, first, after)) and is_meant(text, found.start, found.end)
