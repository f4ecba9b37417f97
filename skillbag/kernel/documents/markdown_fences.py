"""Fenced code blocks and headings that are plain to see, for questions that need no parser."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.markdown_values import Fence

_MARK = "```"
_INDENTED = 3
"""Most blanks before a fence; with more it is one in a list item only."""

_LINE = r"(?:\A|\n)[ \t>*+.)\d-]*"
# Blocks of HTML: until a closing mark, or until a blank line.
_LONG_HTML = late(_LINE + r"<(?i:[!?]|pre|script|style|textarea)")
_HTML = late(_LINE + "<")


def plain_fences(text: str, start: int = 0) -> list[Fence] | None:
    """The fenced blocks of `text` from `start` on, in order.

    None unless it is clear that a parser would find the same: fences of three backticks, alone in their lines but for
    an info string, closed, and not in a block quote or in HTML.
    """
    if ("~" in text and "~~~" in text) or ("\r" in text and text.count("\r") != text.count("\r\n")):
        return None
    fences: list[Fence] = []
    opened, body, indent, info, after = -1, 0, "", "", start
    at = text.find(_MARK, start)
    while at >= 0:
        line, end = max(text.rfind("\n", start, at) + 1, start), text.find("\n", at)
        end = len(text) if end < 0 else end
        lead, words = text[line:at], text[at + len(_MARK) : end].strip(" \r")
        if lead.strip(" ") or words.startswith("`"):
            return None
        if opened < 0:
            if not _SIGNS.isdisjoint(words) or len(lead) > _INDENTED or _is_in_html(text[after:line]):
                return None
            opened, body, indent, info = at, end + 1, lead, words.strip()
        elif not words:
            if lead != indent or (lead and _leaves(text[body:line], lead)):
                return None
            fences.append(Fence(info, opened, at + len(_MARK), body, line, True))
            opened, after = -1, end
        at = text.find(_MARK, end)
    return fences if opened < 0 else None


_SIGNS = frozenset("`&\\")
"""What an info string cannot have, or what has another meaning there."""


def outside(text: str, fences: Iterable[Fence], start: int = 0) -> str:
    """`text` from `start` on without these blocks."""
    pieces, at = [], start
    for fence in fences:
        pieces.append(text[at : fence.start])
        at = fence.end
    return "".join([*pieces, text[at:]]) if pieces or start else text


def holds_html(text: str) -> bool:
    """Whether a line begins like a block of HTML."""
    return "<" in text and bool(_HTML().search(text))


def _is_in_html(before: str) -> bool:
    """Whether a fence may be in a block of HTML that begins in the text before it."""
    if "<" not in before:
        return False
    return bool(_LONG_HTML().search(before) or _HTML().search(before, before.rfind("\n\n") + 1))


def _leaves(body: str, indent: str) -> bool:
    """Whether a line of a block has less indentation than its fence: it may end a list item, and the block."""
    return any(line.strip() and not line.startswith(indent) for line in body.split("\n"))


_BEFORE_TITLE = late(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t>]++)*+(?:#{1,6}[ \t]++)?")
_AFTER_TITLE = late(r"[ \t]*+#*+[ \t]*+")


_LONG_S = "\u017f"


def may_have_section(text: str, title: str) -> bool:
    """Whether a line of a text may be the heading `title`, in any case; `title` is in ASCII, without a `k`."""
    wanted = title.casefold()
    # To fold a text beyond ASCII takes ten times as long. Only the long s is folded to another letter of a title.
    if not text.isascii() and _LONG_S not in text and wanted.encode() not in text.encode("ascii", "replace").lower():
        return False
    folded = text.casefold().replace("\r", "\n")
    at = folded.find(wanted)
    while at >= 0:
        start, end = folded.rfind("\n", 0, at) + 1, folded.find("\n", at)
        end = len(folded) if end < 0 else end
        marks = _BEFORE_TITLE().match(folded, start, end)
        if marks and marks.end() == at and _AFTER_TITLE().fullmatch(folded, at + len(wanted), end):
            return True
        at = folded.find(wanted, end)
    return False
