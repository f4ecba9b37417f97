"""The brackets, strings and comments of JavaScript and TypeScript: a second reader, which knows no grammar."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late

_TOKEN = late(
    r"""(?P<skip>:\((?=<)|(?<!:)//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|'(?:[^'\\\n]|\\[\s\S])*+'|"(?:[^"\\\n]|\\[\s\S])*+")
      | (?P<left>/\*|['"]) | (?P<open>[(\[{`]) | (?P<close>[)\]}]) | (?P<slash>/)""",
    re.VERBOSE,
)
_TEMPLATE = late(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*+")
_REGEX = late(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/")
_LONGEST = 2_000
"""Most characters of an expression between slashes."""
_VALUE = late(r"(?:[\w$)\]}\"'`<]|\+\+|--)[ \t]*\Z")
_KEYWORD = late(r"(?<![\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)[ \t]*\Z")
_CLOSES = {")": "(", "]": "[", "}": "{"}
_LEFT = {"/*": "comment", "'": "string", '"': "string"}


def first_unbalanced(source: str, *, markup: bool) -> tuple[int, str] | None:
    """The offset and kind of the first thing that is not closed or opened; None where all is in balance.

    With `markup`, the file may hold JSX, in whose text a quote is an apostrophe.
    """
    opened: list[tuple[str, int]] = []
    at = 0
    while match := _TOKEN().search(source, at):
        at = match.end()
        if match["left"] and not (markup and match["left"] != "/*"):
            return match.start(), f"this {_LEFT[match['left']]} is not closed"
        if match["slash"]:
            at = _after_slash(source, match.start())
        if match["open"]:
            opened.append((match["open"], match.start()))
        if match["close"] and (fault := _closed(opened, match["close"], match.start())):
            return fault
        if opened and opened[-1][0] == "`":
            at = _in_template(source, at, opened)
    if not opened:
        return None
    sign, start = opened[-1]
    return start, "this template literal is not closed" if sign == "`" else f"nothing closes this `{sign}`"


def _closed(opened: list[tuple[str, int]], sign: str, at: int) -> tuple[int, str] | None:
    """Take the bracket that `sign` closes off the stack; the fault where that is another one."""
    last = opened[-1][0] if opened else ""
    if last == _CLOSES[sign] or (sign == "}" and last == "${"):
        opened.pop()
        return None
    if any(bracket.endswith(_CLOSES[sign]) for bracket, _ in opened):
        return opened[-1][1], f"nothing closes this `{last}`"
    return at, f"nothing opens this `{sign}`"


def _in_template(source: str, at: int, opened: list[tuple[str, int]]) -> int:
    """Where a template literal goes on as code, or ends."""
    match = _TEMPLATE().match(source, at)
    end = match.end() if match else at
    if source.startswith("${", end):
        opened.append(("${", end))
        return end + 2
    if end < len(source):
        opened.pop()
        return end + 1
    return end


def _after_slash(source: str, at: int) -> int:
    """Where code goes on after a slash: behind a regular expression, if that may begin here."""
    before = source[max(0, at - 40) : at].rstrip("\r\n")
    if _VALUE().search(before) and not _KEYWORD().search(before):
        return at + 1
    match = _REGEX().match(source, at, at + _LONGEST)
    return match.end() if match else at + 1
