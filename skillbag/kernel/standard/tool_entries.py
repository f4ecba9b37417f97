"""The entries of `allowed-tools`: read here for `check`, and for what holds calls against them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_TOKEN = late(r"[()]|[\s,]+|[^\s,()]+")
_NAME = late(r"\*|\w(?:[\w-]*\w)?|[a-z][\w.-]*\w|mcp__[\w.*-]*", re.ASCII)
"""Only tools of MCP servers have patterns without parentheses: `Bash git:*` would allow `Bash` whatever it is given."""
_LOOK_ALIKE = late(r"[：﹕]\*\Z|[＊﹡]\Z|\Adomain[：﹕]")


class ToolEntry(NamedTuple):
    """A piece of a list: `Bash(git:*)` has the tool `Bash` and the body `git:*`, which is None without parentheses.

    `fault` says why the piece is no entry; a list with such a piece is malformed.
    """

    text: str
    tool: str
    body: str | None
    fault: str = ""


def tool_entries(text: str) -> tuple[ToolEntry, ...]:
    """The pieces in order, separated by white space and commas outside of parentheses."""
    return tuple(_entry(piece) for piece in _pieces(text))


def malformed_entry(text: str) -> ToolEntry | None:
    """The first piece that is no entry, if any: `(git:*)` of `Bash (git:*)`."""
    return next((entry for entry in tool_entries(text) if entry.fault), None)


def _pieces(text: str) -> Iterator[str]:
    start, depth = 0, 0
    for token in _TOKEN().finditer(text):
        if token[0] in "()":
            depth = max(0, depth + (1 if token[0] == "(" else -1))
        elif depth == 0 and (token[0][0] == "," or token[0][0].isspace()):
            if token.start() > start:
                yield text[start : token.start()]
            start = token.end()
    if start < len(text):
        yield text[start:]


def _entry(piece: str) -> ToolEntry:
    tool, opening, rest = piece.partition("(")
    body = rest.removesuffix(")").strip() if opening else None
    return ToolEntry(piece, tool, body, _fault(tool, body, rest))


def _fault(tool: str, body: str | None, rest: str) -> str:
    if ")" in tool:
        return "a parenthesis closes that was never opened"
    if not tool:
        return "no tool stands directly before the parenthesis"
    if not _NAME().fullmatch(tool):
        return "the name of a tool has no such characters"
    if body is None:
        return ""
    depths = accumulate(((char == "(") - (char == ")") for char in rest), initial=1)
    end = next((at for at, depth in enumerate(depths) if depth == 0), None)
    if end is None:
        return "the parenthesis is never closed"
    if end < len(rest):
        return "something follows directly after the closing parenthesis"
    if sign := _LOOK_ALIKE().search(body):
        return f"`{sign[0]}` only looks like a sign of patterns"
    return "" if body else "the parentheses are empty"
