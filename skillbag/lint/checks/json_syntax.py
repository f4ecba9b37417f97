"""Syntax errors of JSON, also in fences, in words that say what to change.

Published texts show code that is elided, templated or wrong on purpose. So only faults that no elision explains are
reported, each a common slip.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.markdown import Fence
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_fences import has_odd_comma, is_odd
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import in_outer_fence
from skillbag.lint.signals.fences import fences_of, span_at

# Files whose programs read comments and trailing commas, too. Those of Visual Studio Code are settings of any program
# elsewhere, unless a comment shows what reads them.
_TOLERANT = late(
    r"(?:^|/)(?:[tj]sconfig[^/]*|\.?eslintrc|devcontainer|api-extractor|biome"
    r"|deno|turbo|wrangler|renovate|babel\.config|\.swcrc|\.babelrc|nx|angular|components)\.json\Z"
)
_EDITOR = late(r"(?:^|/)(?:settings|launch|tasks|extensions|keybindings)\.json\Z")
_COMMENT = late(r"^[ \t]*/[/*]|[,{\[][ \t]*/[/*]", re.MULTILINE)
_WORDS = {
    "Expecting property name enclosed in double quotes": "a key in double quotes is expected here",
    "Expecting value": "a value is expected here",
    "Expecting ',' delimiter": "a comma or a closing bracket is expected here",
    "Expecting ':' delimiter": "a `:` is expected after the key",
    "Extra data": "text after the end of the value",
    "Unterminated string starting at": "this string is never closed",
    "Invalid control character at": "a line break, tab or other control character inside a string",
    "Invalid \\escape": "a backslash that begins no escape of JSON; write it twice",
}
_SIGNS = {
    "'": "single quotes; JSON needs double ones",
    "/": "a comment; JSON has none",
    "#": "a comment; JSON has none",
}


def json_fault(source: str, relative: str) -> tuple[int, str] | None:
    """The offset and a description of a syntax error; None for sound and customarily commented files.

    Raises:
        ValueError, RecursionError: it is deeper or larger than this parser can read.
    """
    if not source.strip():
        return 0, "the file is empty; write at least `{}`"
    if _is_tolerated(source, relative):
        return None
    try:
        json.loads(source, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        # Several values in a row are JSON lines.
        if error.msg != "Extra data" or error.lineno == 1 or source[error.pos] not in "{[":
            return described(source, error.pos, error.msg)
    return None


def _is_tolerated(source: str, relative: str) -> bool:
    if not _EDITOR().search(relative):
        return bool(_TOLERANT().search(relative))
    return "vscode/" in relative or bool(_COMMENT().search(source))


def described(source: str, at: int, message: str) -> tuple[int, str]:
    """The offset and a description of what Python's parser says, the same for each version of it."""
    # Python 3.13 stops at a trailing comma, earlier ones at the bracket after it: report the comma.
    before = source[:at].rstrip()
    following = source[at : at + 1]
    if (following in ("}", "]") and before.endswith(",")) or message.startswith("Illegal trailing comma"):
        return (len(before) - 1 if before.endswith(",") else at), "a trailing comma; JSON allows none"
    if not following:
        return at, "the file ends inside a value"
    known = next((words for start, words in _WORDS.items() if message.startswith(start)), message)
    return at, _SIGNS.get(following, known) if message.startswith("Expecting") else known


_LITERALS = (b"```json",)
_ELIDED = ("...", "…", "{{", "{%", "<%", "${", "// ")
_SHOWN_WRONG = ("❌", "✗", "✘", "wrong", "incorrect", "syntax error")
_SAID_WRONG = (*_SHOWN_WRONG, "bad", "broken", "invalid", "don't", "avoid", "before:", "buggy", "error")
_AROUND = 1_000


@Predicate("fence-syntax", Subject.TEXT, values=("detail",), literals=_LITERALS, needs="before_fences.may_be_broken")
def fence_syntax(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """The first certain fault of each fence of JSON; nothing in samples, elided code and counterexamples."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    fences, source = fences_of(text), text.document.text
    for at in text.places.of(_LITERALS)[:MAX]:
        fence = span_at(fences, at)
        if fence is None or fence.start != at or not fence.closed or fence.info.strip().lower() != "json":
            continue
        body = source[fence.body_start : fence.body_end]
        found = _fault(body) if is_odd(body) and not _is_excused(source, fence) else None
        if found and not in_outer_fence(text, at):
            place = fence.body_start + found[0]
            yield Match(text.document.path, place, min(place + 1, fence.body_end), {"detail": found[1]})


def _is_excused(source: str, fence: Fence) -> bool:
    """Whether the code is elided, or wrong on purpose by what it or the text before it says."""
    body = source[fence.body_start : fence.body_end]
    if any(sign in body for sign in _ELIDED):
        return True
    said = _introduction(source[max(0, fence.start - _AROUND) : fence.start]).lower()
    return any(word in said for word in _SAID_WRONG) or any(word in body.lower() for word in _SHOWN_WRONG)


def _introduction(before: str) -> str:
    """The heading and the last line before a fence."""
    lines = [line for line in before.split("\n") if line.strip()]
    heading = next((line for line in reversed(lines) if line.startswith("#")), "")
    return f"{heading}\n{lines[-1] if lines else ''}"


def _fault(body: str) -> tuple[int, str] | None:
    """The offset in the code and a description of its fault; none where it is a part of something."""
    if not body.lstrip().startswith(("{", "[")):
        return None

    try:
        found = json_fault(body, "")
    except (ValueError, RecursionError):
        return None
    if found is None:
        return None
    at = found[0]
    if not body[at:].strip():
        return len(body.rstrip()) - 1, "it ends inside a value"
    return found if has_odd_comma(_lines_at(body, at)) else None


def _lines_at(body: str, at: int) -> str:
    """The line of an offset, the one before and the one after."""
    start = body.rfind("\n", 0, max(0, body.rfind("\n", 0, at))) + 1
    return "\n".join(body[start:].split("\n")[:3])
