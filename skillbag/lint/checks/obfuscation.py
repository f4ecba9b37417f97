"""Code that hides what it does: texts spelt as numbers, names that a tool has replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import region_at
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.facts.roles import is_meant

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


_RENAMED_CALLS = (b"= eval", b"= exec", b"= os.system", b"= os.popen")
_PUT_TOGETHER = (
    *(b"getattr(os", b"getattr(subprocess", b"getattr(builtins", b"getattr(__", b"require([", b"import(["),
    *(call + quotes + b".join(" for call in (b"exec(", b"eval(") for quotes in (b"''", b'""')),
)
_SECOND_NAME = late(
    r"(?:(?:const|let|var)[ \t]+)?\w+[ \t]*=[ \t](?P<call>eval|exec|os\.system|os\.popen)"
    r"[ \t]*;?[ \t]*(?:#[^\n]*)?\r?$",
    re.MULTILINE,
)
_COMPUTED = late(
    r"""getattr\([ \t]*(?:os|subprocess|builtins|__builtins__|__import__\([^()\n]{1,40}\))[ \t]*,[ \t]*
        (?: \w+ | [\"'][^\"'\n]{0,20}[\"'][ \t]*[+.][^()\n]{0,80}(?:\([^()\n]*\))? )
        [ \t]*\)[ \t]*\(
      | (?:require|import)\([ \t]*\[[^\]\n]{1,120}\]\.join\( | (?:exec|eval)\((?:''|\"\")\.join\(""",
    re.VERBOSE,
)
_COMMANDS = "curl wget bash exec eval sudo python import system"
_ALPHABETS = (0xFF41, 0x1D41A, 0x1D5BA, 0x1D5EE, 0x1D68A)
"""Where other letters for a to z begin: full-width ones, and bold and others of mathematics."""
_SPELT = tuple(
    "".join(chr(first + ord(letter) - ord("a")) for letter in word)
    for word in _COMMANDS.split()
    for first in _ALPHABETS
)
_SPELT_HEADS = tuple(dict.fromkeys(word[:2].encode() for word in _SPELT))


@Predicate(
    "obfuscated",
    Subject.TEXT,
    values=("what",),
    literals=(*_HIDING_WORDS, *_MASKS, *_RENAMED_CALLS, *_PUT_TOGETHER, *_SPELT_HEADS),
)
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
    yield from _indirect(text)
    end = 0
    for at in text.places.of(_HIDING_WORDS[1:]):
        start = at if body[at] == "\\" else max(body.rfind(name, max(0, at - 12), at) for name in ("chr(", "String."))
        match = _OBFUSCATED().match(body, start) if at >= end and start >= 0 else None
        end = match.end() if match else end
        if match and region_at(text, match.start()):
            yield Match(text.document.path, *match.span(), {"what": "Its text is spelt as numbers"})


def _indirect(text: TextFile) -> Iterator[Match]:
    """The first call under another name, by a name that is put together, and in other letters."""
    for words, form, what in (
        (_RENAMED_CALLS, _SECOND_NAME, "Its call of {} has another name"),
        (_PUT_TOGETHER, _COMPUTED, "The name or code of its call is put together"),
        (_SPELT_HEADS, None, "Its command is spelt in other letters"),
    ):
        for at in text.places.of(words)[:MAX]:
            start = text.document.bounds(at)[0] if form is _SECOND_NAME else at
            match = form().match(text.document.text, start) if form else None
            if (
                (match or (not form and text.document.text.startswith(_SPELT, at)))
                and region_at(text, at)
                and is_meant(text, at, at + 1)
            ):
                said = what.format(f"`{match['call']}`") if match and "{" in what else what
                yield Match(text.document.path, at, match.end() if match else at + 4, {"what": said})
                break
