"""The hash of a line by which GitHub code scanning knows a result again (`primaryLocationLineHash`).

GitHub computes it itself where a report has none, if it has the file: github/codeql-action, `src/fingerprints.ts`. It
is of the hundred characters from the line's start on, without blanks and tabs, and of how many lines above have the
same. Characters are those of UTF-16, line ends are line feeds, and the file ends with U+FFFF.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable

from skillbag.kernel.documents.source import Document

_WINDOW = 100
_BASE = 37
_MASK = (1 << 64) - 1
_END = "\uffff"


def line_hashes(document: Document, lines: Iterable[int]) -> dict[int, str]:
    """The hash of each of these lines (1-based); a line that the document does not have is left out."""
    text = ("\ufeff" if document.has_bom else "") + document.text
    units = _units(text.replace("\r\n", "\n").replace("\r", "\n").replace(" ", "").replace("\t", "")) + _END
    wanted = set(lines)
    seen: Counter[str] = Counter()
    found = {}
    start, number = 0, 1
    while start < len(units) and wanted:
        window = units[start : start + _WINDOW]
        seen[window] += 1
        if number in wanted:
            wanted.remove(number)
            found[number] = f"{_hash(window):x}:{seen[window]}"
        start, number = units.find("\n", start) + 1 or len(units), number + 1
    return found


def _units(text: str) -> str:
    """The text with a character for each unit of UTF-16."""
    if text.isascii() or max(text) <= _END:
        return text
    return "".join(map(chr, array("H", text.encode("utf-16")[2:])))


def _hash(window: str) -> int:
    value = 0
    for char in window.ljust(_WINDOW, "\0"):
        value = (value * _BASE + ord(char)) & _MASK
    return value
