"""A quick look at code in fences: whether it may be broken, without a parser and without expressions.

Only JSON is looked at: looks at the fences of Python and of shell commands, which most texts have, would cost a check
several per cent of its time.
"""

from __future__ import annotations

from itertools import pairwise

from skillbag.kernel.workspace.text import TextFile

_PAIRS = (("[", "]"), ("{", "}"))
_ODD = (",}", ",]", '""', '}"', ']"')


def may_be_broken(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a fence that one of the literals opens may have a fault that `fence_syntax` finds."""
    if text.language != "markdown":
        return False
    source = text.document.text
    return any(is_odd(_body(source, at)) for at in text.places.of(literals))


def _body(source: str, at: int) -> str:
    start = source.find("\n", at)
    return source[start : source.find("```", start)] if start >= 0 else ""


def is_odd(body: str) -> bool:
    """Whether JSON may have a fault; it errs on the side of too much."""
    if any(body.count(opened) != body.count(closed) for opened, closed in _PAIRS):
        return True
    joined = body.replace(" ", "").replace("\n", "").replace("\t", "").replace("\r", "")
    # Looking into the lines takes ten times as long.
    return any(pair in joined for pair in _ODD) and has_odd_comma(body)


def has_odd_comma(body: str) -> bool:
    """Whether JSON has a comma before a closing bracket, or none between two lines."""
    lines = [line.strip() for line in body.split("\n")]
    return any(
        (line.endswith(",") and following.startswith(("}", "]")))
        or (line.endswith(('"', "}", "]")) and following.startswith('"'))
        for line, following in pairwise(lines)
    )
