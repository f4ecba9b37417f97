"""Edits of a text by offsets: lines, values on one line, and sections of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.markdown_values import Fence
from skillbag.kernel.documents.nodes import Scalar, foreign_type


class FileChange(NamedTuple):
    """A file's content before (None: there is no file) and after, when it may be `gone`; `path` is relative to the
    workspace."""

    path: str
    before: bytes | None
    after: bytes
    gone: bool = False


class NotEditableError(Exception):
    """The text can't be edited safely; the argument is the reason, in words that follow "it"."""


class HandEditError(UserError):
    """The file can't be edited safely; the message says where and why, and which edit the user has to make."""


_BARE = re.compile(r"[a-z][a-z0-9-]*")
_SHORT_BOOLEANS = ("y", "n")


def scalar(value: str) -> str:
    """A string as YAML: a plain word if every reader takes it for a string, else quoted."""
    plain = _BARE.fullmatch(value) and not foreign_type(Scalar(value, 0, 0, True)) and value not in _SHORT_BOOLEANS
    return value if plain else json.dumps(value, ensure_ascii=False)


def flow(value: object) -> str:
    """A plain value on one line: a word, a number, quoted text, or lists and mappings of such in brackets."""
    if isinstance(value, str):
        return "".join(char if char.isprintable() else _escaped(char) for char in scalar(value))
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{flow(key)}: {flow(item)}' for key, item in value.items())}}}"
    return json.dumps(value)


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def without_part(text: str, parts: Sequence[tuple[int, int]], number: int, closing: int) -> str:
    """The text without one item or entry in brackets, nor its comma.

    `parts` are the bounds of all items or entries, `closing` is the offset of the closing bracket.

    Raises:
        NotEditableError: there is a comment beside it.
    """
    start, end = parts[number]
    if number:
        between, start = text[parts[number - 1][1] : start], parts[number - 1][1]
    elif len(parts) > 1:
        between, end = text[end : parts[1][0]], parts[1][0]
    else:
        between = text[end:closing]
        end += between.find(",") + 1
    if "#" in between:
        raise NotEditableError("has a comment beside the item")
    return text[:start] + text[end:]


def line_start(text: str, at: int) -> int:
    """The start of the line at `at`."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """The end of the content of the line at `at`, before its line end."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if end and text[end - 1] == "\r" else end


def indent(text: str, at: int) -> str | None:
    """The spaces between the start of the line and `at`; None if there is anything else."""
    before = text[line_start(text, at) : at]
    return None if before.strip(" ") else before


def own_margin(text: str, at: int) -> str:
    """As `indent`, for an element that has to begin its line.

    Raises:
        NotEditableError: it does not.
    """
    margin = indent(text, at)
    if margin is None:
        raise NotEditableError("does not stand on a line of its own")
    return margin


def last_line(text: str, at: int, margin: str) -> int:
    """The end of the last line of an element that ends at `at`, with the comments below that are indented deeper.

    `margin` are the spaces before the element.
    """
    at = line_end(text, at)
    while match := _COMMENT_BELOW.match(text, at):
        if len(match[1]) <= len(margin):
            break
        at = line_end(text, match.end())
    return at


_COMMENT_BELOW = re.compile(r"\r?\n([ ]*)#")
_LINE_END = re.compile(r"\r?\n")


def with_lines(text: str, at: int, lines: Sequence[str], newline: str) -> str:
    """The text with lines below the one that ends at `at`, with the same line ends, or else `newline`."""
    if match := _LINE_END.match(text, at):
        newline = match[0]
    return text[:at] + "".join(newline + line for line in lines) + text[at:]


def without_lines(text: str, start: int, end: int) -> str:
    """The text without the lines from `start` to `end`, and without the line end before them."""
    first, end = line_start(text, start), line_end(text, end)
    if first:
        return text[: line_end(text, line_start(text, first - 1))] + text[end:]
    return text[end:].removeprefix("\r").removeprefix("\n")


_BLANK = " \t\r\n"
_SECTION_BELOW = re.compile(r"#{1,2}[ \t]")


def with_section(text: str, heading: str, lines: Sequence[str], newline: str) -> str:
    """The text with a section `heading` (of level 2) at its end, with a block of these lines of YAML.

    It comes before the blank lines at the end of the text, which stay.
    """
    section = newline.join([heading, "", "```yaml", *lines, "```"])
    if not text:
        return section + newline
    at = line_end(text, len(text.rstrip(_BLANK)))
    return f"{text[:at]}{newline * 2}{section}{text[at:]}"


def without_block(text: str, fence: Fence, heading: str) -> str:
    """The text without a block and the blank line before it, and without the heading if nothing else is below it.

    Raises:
        NotEditableError: the block is part of a list or a quote, or ends with the text.
    """
    if indent(text, fence.start) != "" or not fence.closed:
        raise NotEditableError("is not in a block of its own")
    newline = "\r\n" if text.endswith("\r\n", 0, fence.body_start) else "\n"
    before, rest = text[: fence.start], text[fence.end :]
    above = before.removesuffix(f"{heading}{newline * 2}")
    below = rest.lstrip(_BLANK)
    ends_section = not below or _SECTION_BELOW.match(below) is not None
    if above != before and (not above or above.endswith("\n")) and ends_section:
        before = above
    if not before:
        return rest.lstrip("\r\n")
    shorter = before.removesuffix(newline * 2)
    return (before.removesuffix(newline) if shorter == before else shorter) + rest
