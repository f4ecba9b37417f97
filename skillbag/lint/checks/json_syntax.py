"""Syntax errors of JSON files, in words that say what to change."""

from __future__ import annotations

import json
import re

from skillbag.kernel.base.lazy_regex import late

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
