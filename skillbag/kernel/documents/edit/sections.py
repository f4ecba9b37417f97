"""Add a fenced block under a heading of its own at the end of a Markdown text, and remove it to the byte."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbag.kernel.documents.edit.change import NotEditableError
from skillbag.kernel.documents.edit.lines import indent, line_end
from skillbag.kernel.documents.markdown_values import Fence

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
