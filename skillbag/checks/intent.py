"""Whether a text instructs the reader to run a command or only mentions it, for heuristics about commands."""

from __future__ import annotations

import re

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.checks.prefilter import fences_of, span_at
from skillbag.documents.source import Document
from skillbag.workspace.text import TextFile

_WARNS = late(
    r"""\b(?:never|cannot|(?:do|does|must|should|shall|may|can|would)\s*(?:not|n['’]t))\s+(?:\w+\s+){0,2}
          (?:run|pipe|use|execute|install|curl|download|paste|do|trust|fetch|eval)\b
      | \b(?:avoid|danger\w*|unsafe|insecure|malicious|suspicious|risk\w*|attack\w*|threat\w*|vulnerab\w*|exploit\w*
            |detect\w*|forbid\w*|prohibit\w*|blocked|denied|refuse\w*|reject\w*|red\ flags?|anti-?patterns?|wrong|bad
            |harmful|evil|payloads?)\b
      | [❌🚫⛔✗✘]""",
    re.IGNORECASE | re.VERBOSE,
)
# Every match of `_WARNS` contains one of these words, and searching for them takes a tenth of the time.
_WARNING_WORDS = (
    *("never", "not", "n't", "n’t", "avoid", "danger", "unsafe", "insecure", "malicious", "suspicious", "risk"),
    *("attack", "threat", "vulnerab", "exploit", "detect", "forbid", "prohibit", "blocked", "denied", "refuse"),
    *("reject", "flag", "anti", "wrong", "bad", "harmful", "evil", "payload", "❌", "🚫", "⛔", "✗", "✘"),
)
_TELLS = late(
    r"\b(?:run|runs|running|execute|install\w*|use|using|with|via|paste|enter|type|try|do)\b[^.!?`]{0,60}[`\"']{0,3}$",
    re.IGNORECASE,
)
_COMMENT = late(r"\s*(?:#|//|--\s|;;|\*|REM\b)")
_PRINTS = late(
    r"[^\n]{0,40}\b(?:echo|printf|print|console\.\w+|log\w*(?:\.\w+)?|warn|die|raise|Write-\w+)\b", re.IGNORECASE
)


class Line(NamedTuple):
    """The line of an offset: its bounds, its first characters, and the last ones before the offset."""

    start: int
    end: int
    head: str
    before: str


def line_at(document: Document, offset: int) -> Line:
    """The line around `offset`, without its line end."""
    text = document.text
    start, end = document.bounds(offset)
    # Slices stay short: a line may be the whole of a large file.
    return Line(start, end, text[start : min(offset, start + 80)], text[max(start, offset - 300) : offset])


def is_meant(text: TextFile, start: int, end: int) -> bool:
    """Whether a command at these offsets is meant to be run: in a script, in a code fence, or after words that say so.

    Comments, text that a script prints, table rows, and commands called bad or forbidden nearby are not.
    """
    body = text.document.text
    line = line_at(text.document, start)
    # Only the text around the command counts: its address may be called `evil` itself.
    around = (
        body[max(line.start, start - 300) : start] + "\n" + body[end : min(text.document.bounds(end)[1], end + 300)]
    )
    if _COMMENT().match(line.head):
        return False
    if text.language != "markdown" or start < text.body:
        return not _is_printed(line) and not _warns(around)
    fence = span_at(fences_of(text), start)
    if fence is None:
        is_told = not line.head.lstrip().startswith("|") and _TELLS().search(_outside_code(line.before)[-120:])
        return bool(is_told) and not _warns(around)
    return not (_warns(around) or _warns(_previous(body, line.start, 1)) or _warns(_previous(body, fence.start, 2)))


def _warns(text: str) -> bool:
    """Whether a text warns of something."""
    folded = text.casefold()
    return any(word in folded for word in _WARNING_WORDS) and bool(_WARNS().search(text))


def _outside_code(before: str) -> str:
    """The text before the code span that a line ends in: `run` within the span is quoted code."""
    if before.count("`") % 2 == 0:
        return before
    prose, _, code = before.rpartition("`")
    return f"{prose}`" if code.strip() else before


def _is_printed(line: Line) -> bool:
    """Whether the offset is within quotes that a script prints or logs."""
    quoted = line.before.count('"') % 2 or line.before.count("'") % 2
    return bool(quoted and _PRINTS().match(line.head))


def _previous(text: str, offset: int, count: int) -> str:
    """The last lines before `offset` that are not blank."""
    lines = text[max(0, offset - 600) : max(0, offset)].split("\n")[:-1]
    return "\n".join([line for line in lines if line.strip()][-count:])
