"""Fenced code blocks that are plain to see, for questions that need no parser."""

from __future__ import annotations

from skillbag.base.lazy_regex import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.documents.markdown_values import Span

_MARK = "```"
_INDENTED = 3
"""Most blanks before a fence; with more it is one in a list item only."""

_LINE = r"(?:\A|\n)[ \t>*+.)\d-]*"
# Blocks of HTML: until a closing mark, or until a blank line.
_LONG_HTML = late(_LINE + r"<(?i:[!?]|pre|script|style|textarea)")
_HTML = late(_LINE + "<")


def plain_fences(text: str, start: int = 0) -> list[Span] | None:
    """The fenced blocks of `text` from `start` on, in order, each from its first mark to its last.

    None unless it is clear that a parser would find the same: fences of three backticks, alone in their lines but for
    an info string, closed, and not in a block quote or in HTML.
    """
    if ("~" in text and "~~~" in text) or ("\r" in text and text.count("\r") != text.count("\r\n")):
        return None
    spans: list[Span] = []
    opened, indent, after = -1, "", start
    at = text.find(_MARK, start)
    while at >= 0:
        line, end = text.rfind("\n", start, at) + 1, text.find("\n", at)
        line, end = max(line, start), len(text) if end < 0 else end
        lead, info = text[line:at], text[at + len(_MARK) : end].strip(" \r")
        if lead.strip(" ") or info.startswith("`"):
            return None
        if opened < 0:
            if "`" in info or len(lead) > _INDENTED or _is_in_html(text[after:line]):
                return None
            opened, indent = at, lead
        elif not info:
            if lead != indent or (lead and _leaves(text[opened:line], lead)):
                return None
            spans.append((opened, at + len(_MARK)))
            opened, after = -1, end
        at = text.find(_MARK, end)
    return spans if opened < 0 else None


def outside(text: str, spans: list[Span]) -> str:
    """`text` without these spans."""
    pieces, at = [], 0
    for start, end in spans:
        pieces.append(text[at:start])
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


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
    return any(line.strip() and not line.startswith(indent) for line in body.split("\n")[1:])
