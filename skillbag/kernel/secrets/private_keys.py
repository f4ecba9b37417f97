"""Private keys in text: the block from its first line to its last, if it contains a key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.placeholders import is_poor

LITERALS = ("PRIVATE KEY-----", "PRIVATE KEY BLOCK-----", "PuTTY-User-Key-File-")

_MARK = late(r"-----(BEGIN|END) (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d")
_BODY = late(
    # Headers of any name before the data; between its parts those of PuTTY alone.
    r"""(?: [ \t]* \r?\n [A-Za-z][\w-]*:[ ][^\r\n]* (?= [ \t]*(?:[\r\n]|\Z) ) )*
        (?: [ \t]* \r?\n (?: (?:P(?:ublic|rivate)-\w+|Key-Derivation|Argon2-\w+):[ ][^\r\n]* | [ \t]*[A-Za-z0-9+/=]* )
            (?= [ \t]*(?:[\r\n]|\Z) ) )+
      | [A-Za-z0-9+/=\\]*""",
    re.VERBOSE,
)
_DATA = late(r"[A-Za-z0-9+/]{32,}")
_LONGEST = 20_000


def private_keys(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the private keys of `text`; a first line alone, as in search patterns, is not a key."""
    marks = list(_MARK().finditer(text))
    for number, mark in enumerate(marks):
        if mark[1] == "END":
            continue
        following = marks[number + 1] if number + 1 < len(marks) else None
        limit = min(following.start() if following else len(text), mark.end() + _LONGEST)
        closed = following is not None and following[1] == "END" and limit == following.start()
        end = limit
        if not closed:
            body = _BODY().match(text, mark.end(), limit)
            end = mark.end() + len(body[0].rstrip()) if body else mark.end()
        # With what follows an open end: a sample is cut off there.
        if _holds_key(text[mark.end() : end if closed else end + 3]):
            yield mark.start(), following.end() if closed and following else end


def _holds_key(body: str) -> bool:
    if "..." in body or "…" in body:
        # A sample, cut off: nobody can use it.
        return False
    # In JSON and in code the lines of a key are parted by an escaped line end, whose `n` would join them.
    data = _DATA().findall(body.replace("\\n", " ").replace("\\r", " "))
    return any(not is_poor(run) and not run.isalpha() for run in data)
