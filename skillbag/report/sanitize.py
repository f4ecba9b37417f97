"""Text for output: secrets are masked, invisible characters escaped."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
"""Characters that count as printable and yet show nothing."""

_SELECTORS = (range(0xFE00, 0xFE0E), range(0xE0100, 0xE01F0))
"""Likewise. The two selectors above the first range choose how an emoji looks; they stay."""

_SHORTEST = 8
"""Characters that a secret has at least."""

_NAMED = {"\n": "\\n", "\r": "\\r"}


class _Spelling(dict[int, str]):
    """A translation table that fills itself: each character to itself, or to its escape."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if _is_visible(char):
            self[code] = char
        elif code < 0x100:
            self[code] = _NAMED.get(char, f"\\x{code:02x}")
        else:
            self[code] = f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
        return self[code]


def _is_visible(char: str) -> bool:
    if char in _BLANK or any(ord(char) in selectors for selectors in _SELECTORS):
        return False
    return char == "\t" or char.isprintable() or unicodedata.category(char) == "Zs"


_VISIBLE = _Spelling()


def visible(text: str) -> str:
    """`text` with every control, bidirectional, invisible or lone surrogate character as its escape; tabs stay.

    `##[` opens a command in the log of a GitHub job wherever it stands in a line, and `##vso[` in one of Azure
    Pipelines, so they are broken up as well.
    """
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_VISIBLE)
    return text.replace("##[", "#\\x23[").replace("##vso[", "#\\x23vso[") if "##" in text else text


def masked(text: str) -> str:
    """`text` with its secrets masked."""
    # A clean run from the root itself prints no more than its `.`, and need not wait for the patterns to load.
    if len(text) < _SHORTEST:
        return text
    from skillbag.kernel.secrets.detection import mask

    return mask(text)


@lru_cache(maxsize=1024)
def shown(text: str) -> str:
    """A name or a message for people, on one line: masked, and safe for a terminal or a log, tabs as well."""
    return visible(masked(text)).replace("\t", "\\t")


@lru_cache(maxsize=1024)
def exact(text: str) -> str:
    """`text` for programs whose format has escapes of its own: masked and otherwise itself.

    Lone surrogates (bytes of a file name that are no text) are escaped, since no UTF-8 output can hold them.
    """
    return masked(text).encode("utf-8", "backslashreplace").decode("utf-8")


def shown_page(text: str) -> str:
    """A text of several lines, each one `shown`."""
    return "\n".join(visible(line) for line in masked(text).splitlines())
