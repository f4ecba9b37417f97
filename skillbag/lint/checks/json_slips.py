"""Plain slips in JSON that a text shows: what is wrong first, if the code can be read once such slips are corrected.

So code that is elided, templated or no JSON at all is left alone: correcting slips does not make it readable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_MAX_SLIPS = 60
"""Slips that are corrected in one text."""
_CLOSING = {"{": "}", "[": "]"}
_SINGLE = late(r"'([^'\"\n\\]*)'")
_WORD = late(r"[A-Za-z_$][\w$ ./@-]*")
_TYPE = late(r"(?:[A-Z][a-z0-9]+){2,}")
_KEY = late(r"([A-Za-z_$][\w$.-]*)(?=[ \t]*:)")
_INNER = late(
    r'([ \t{\[]*(?:"[^"\n]*"[ \t]*:[ \t]*)?")((?:[^"\\\n]*"[^"\\\n]*")+[^"\\\n]*)"[ \t]*[,}\]]*[ \t]*(?:\n|\Z)'
)
"""A line with a key and a text that holds quotes."""
_TYPOGRAPHIC = late(r"[“”]")
_PYTHON: Mapping[str, str] = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_KIND_WORDS = """
    string str number integer int float double boolean bool object array list dict any date datetime time timestamp null
    value text id uuid url path"""
_KINDS = frozenset(_KIND_WORDS.split())
"""Words that stand for a value of their kind."""


class _Slip(NamedTuple):
    """Where a slip is, what it is, and the text without it."""

    at: int
    detail: str
    corrected: str


def json_slip(body: str) -> tuple[int, str] | None:
    """The offset and a description of the first slip; None where there is none, or where other faults are left."""
    if not body.lstrip().startswith(("{", "[")):
        return None
    first: tuple[int, str] | None = None
    for _ in range(_MAX_SLIPS):
        try:
            json.loads(body)
        except json.JSONDecodeError as error:
            slip = _slip(body, error.pos, error.msg)
            if slip is None:
                return None
            first, body = first or (slip.at, slip.detail), slip.corrected
        except (ValueError, RecursionError):
            return None
        else:
            return first
    return None


def _slip(body: str, at: int, message: str) -> _Slip | None:
    # Python 3.13 stops at a trailing comma, earlier versions at the bracket after it.
    at += message.startswith("Illegal trailing comma")
    before, sign = body[:at].rstrip(), body[at : at + 1]
    if body[at:].lstrip()[:1] in ("}", "]") and before.endswith(","):
        return _Slip(len(before) - 1, "a trailing comma; JSON allows none", before[:-1] + body[at:])
    if not sign:
        return _ends_early(body, before)
    if message.startswith("Expecting ',' delimiter"):
        return _between(body, at)
    if message.startswith("Expecting ':' delimiter"):
        if sign in "},":
            return None  # A key alone stands for what is left out: `{"..."}`.
        return _Slip(at, "a `:` is expected after the key", f"{body[:at]}:{body[at + (sign in '=;') :]}")
    if message.startswith("Expecting"):
        return _expected(body, at, is_key=message.startswith("Expecting property name"))
    if message.startswith("Extra data") and sign in "}]":
        return _Slip(at, f"nothing opens this `{sign}`", body[:at] + body[at + 1 :])
    if message.startswith("Invalid control character") and sign in "\r\n":
        return _open_string(body, at)
    if message.startswith("Invalid \\escape"):
        detail = "a backslash that begins no escape of JSON; write it twice"
        return _Slip(at, detail, f"{body[:at]}\\{body[at:]}")
    return None


def _ends_early(body: str, before: str) -> _Slip | None:
    """The brackets that are missing at the end; an excerpt ends in the middle of a list."""
    opened = _opened(before)
    if not opened or before.endswith((",", "{", "[", ":")):
        return None
    closed = "".join(_CLOSING[sign] for sign in reversed(opened))
    return _Slip(len(before) - 1, f"`{closed}` is missing at the end", before + closed)


def _opened(text: str) -> list[str]:
    """The brackets that are open at the end of a text."""
    opened: list[str] = []
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*+"|[{}\[\]]', text):
        if found[0] in _CLOSING:
            opened.append(found[0])
        elif found[0] in "}]" and opened:
            opened.pop()
    return opened


def _between(body: str, at: int) -> _Slip | None:
    """What is wrong behind a value, where a comma or a bracket is expected."""
    sign, before = body[at], body[:at].rstrip()
    if sign in "}]":
        opened = _opened(before)
        wanted = _CLOSING[opened[-1]]
        lacks = body.count(wanted) < body.count(opened[-1])
        return _Slip(at, f"`{wanted}` is expected before this `{sign}`", body[:at] + wanted + body[at + (not lacks) :])
    if (sign in '"{[' or sign.isalnum()) and len(before) < at:
        return _Slip(at, "a comma is missing before this", f"{before},{body[len(before) :]}")
    inner_line = _INNER().match(body, body.rfind("\n", 0, at) + 1) if sign.isalnum() else None
    if inner_line:
        inner = inner_line[2].replace('"', '\\"')
        corrected = f"{body[: inner_line.start(2)]}{inner}{body[inner_line.end(2) :]}"
        return _Slip(at - 1, 'a quote within the text; write `\\"`', corrected)
    return None


def _expected(body: str, at: int, *, is_key: bool) -> _Slip | None:
    """What stands where a key or a value in double quotes is expected."""
    sign, last = body[at], body[:at].rstrip()[-1:]
    if sign in "“”":
        return _Slip(at, f"`{sign}`; JSON needs plain double quotes", _TYPOGRAPHIC().sub('"', body))
    if match := _SINGLE().match(body, at):
        return _Slip(at, "single quotes; JSON needs double ones", f'{body[:at]}"{match[1]}"{body[match.end() :]}')
    if sign == "," and last in ",[{":
        return _Slip(at, "a comma too many", body[:at] + body[at + 1 :])
    if sign in ",}]" and last == ":":
        return _Slip(at, "a value is missing before this", f"{body[:at]}null{body[at:]}")
    if is_key:
        key = _KEY().match(body, at)
        detail = "a key without quotes; JSON needs double ones"
        return _Slip(at, detail, f'{body[:at]}"{key[1]}"{body[key.end() :]}') if key else None
    return _unquoted(body, at)


def _unquoted(body: str, at: int) -> _Slip | None:
    """A value without quotes, unless it stands for others."""
    match = _WORD().match(body, at)
    if match is None:
        return None
    word = match[0].rstrip()
    rest = body[at + len(word) :]
    if word in _PYTHON:
        return _Slip(at, f"`{word}`; JSON writes `{_PYTHON[word]}`", body[:at] + _PYTHON[word] + rest)
    if (
        word.upper() == word
        or _TYPE().fullmatch(word)
        or word.lower() in _KINDS
        or rest.lstrip()[:1] not in (",", "}", "]")
    ):
        return None
    return _Slip(at, "text without quotes; JSON needs double ones", f'{body[:at]}"{word}"{rest}')


def _open_string(body: str, at: int) -> _Slip:
    """A string that is open at the end of its line."""
    line = body[:at].rstrip()
    comma = line.endswith(",")
    start = line.rfind('"')
    closed = f'{line[:-1]}",' if comma else f'{line}"'
    return _Slip(start, "this string is never closed", closed + body[at:])
