"""Code that hides what it does: texts spelt as numbers, names that a tool has replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import region_at
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_OBFUSCATED = late(
    r"""(?:\\x[2-7][0-9a-fA-F]){12,}+
      | (?:chr\([ \t]*\d{2,3}[ \t]*\)[ \t]*[+.][ \t]*){8,}+
      | String\.fromCharCode\((?:[ \t]*(?:0x[0-9a-f]{2}|\d{2,3})[ \t]*,){11,}+
      | (?:\\u00[2-7][0-9a-fA-F]){12,}+""",
    re.VERBOSE,
)
_MASKED = late(r"\bchr\([ \t]*\w{1,20}(?:\[\w{1,10}\])?[ \t]*\^[ \t]*(?:0x[0-9a-fA-F]{1,2}|\d{1,3})[ \t]*\)")
_RUNS_TEXT = late(r"(?<![\w.])(?:exec|eval|compile)[ \t]*\(")
_RENAMED = late(r"\b_0x[0-9a-f]{1,6}\b")
_HIDING_WORDS = (
    *(b"_0x", b")+chr(", b") + chr(", b".chr(", b"fromCharCode("),
    *(start + digit for digit in (b"2", b"3", b"4", b"5", b"6", b"7") for start in (b"\\x", b"\\u00")),
)
_MASKS = tuple(b" ^ " + digit for digit in (b"0x", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9"))
_MAX_NAMES = 6


@Predicate("obfuscated", Subject.TEXT, values=("what",), literals=(*_HIDING_WORDS, *_MASKS))
def obfuscated(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Code that spells its texts as numbers, or whose names a tool has replaced."""
    body = text.document.text
    renamed = list(_RENAMED().finditer(body)) if b"_0x" in text.places else []
    if len(renamed) >= _MAX_NAMES and len({name[0] for name in renamed}) > 1 and region_at(text, renamed[0].start()):
        yield Match(text.document.path, *renamed[0].span(), {"what": "Its names are replaced by numbers"})
    for at in text.places.of(_MASKS)[:1]:
        masked = _MASKED().search(body, max(0, at - 60))
        if masked and _RUNS_TEXT().search(body) and region_at(text, masked.start()):
            yield Match(text.document.path, *masked.span(), {"what": "Its text is masked by a number, and run"})
    end = 0
    for at in text.places.of(_HIDING_WORDS[1:]):
        start = at if body[at] == "\\" else max(body.rfind(name, max(0, at - 12), at) for name in ("chr(", "String."))
        match = _OBFUSCATED().match(body, start) if at >= end and start >= 0 else None
        end = match.end() if match else end
        if match and region_at(text, match.start()):
            yield Match(text.document.path, *match.span(), {"what": "Its text is spelt as numbers"})
