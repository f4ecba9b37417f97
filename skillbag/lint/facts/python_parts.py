"""The part of a Python script that declares its arguments: most of a script has nothing to do with them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late

_TOP = late(r"\n(?=[^\s#)\]}])(?!(?:else|elif|except|finally)\b)")
_WORD = late(r"\w+")
_CONSTANT = late(r"([A-Za-z_]\w*)[ \t]*[:=]")
_MAX_PARSERS = 20
"""Names of parsers that are looked for."""


def declaring(source: str, maker: str) -> str:
    """The top-level statements about parsers, and the constants whose names these have."""
    pieces = list(_statements(source))
    made = set(re.findall(rf"\b([A-Za-z_]\w*)[ \t]*=[ \t]*(?:\w+\.)?{maker}\b", source))
    if len(made) > _MAX_PARSERS:
        return source
    concern = re.compile("|".join(["add_|[Pp]ars", *[rf"\b{name}\b" for name in sorted(made)]]))
    kept = [concern.search(piece) is not None for piece in pieces]
    words = {word for piece, keep in zip(pieces, kept, strict=True) if keep for word in _WORD().findall(piece)}
    both = zip(pieces, kept, strict=True)
    return "\n".join([piece for piece, keep in both if keep or _constant(piece) in words])


def _constant(statement: str) -> str:
    """The name that a statement gives its value."""
    found = _CONSTANT().match(statement)
    return found[1] if found else ""


def _statements(source: str) -> Iterator[str]:
    """The text in pieces that begin where a top-level statement does, as far as a line shows it."""
    pieces, inside = list[str](), False
    for piece in _TOP().split(source):
        if pieces and not inside:
            yield "\n".join(pieces)
            pieces = []
        pieces.append(piece)
        # The lines of a long string may begin like statements.
        inside ^= bool((piece.count('"""') + piece.count("'''")) % 2)
    yield "\n".join(pieces)
