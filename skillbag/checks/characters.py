"""Invisible characters, characters that change the direction of text, and Unicode tags that hide words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.checks.predicate import Match, Predicate, Subject
from skillbag.workspace.text import TextFile

_MARKS = "\u200e\u200f\u061c"
_PATTERNS = {
    "invisible": late(
        "[\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\u034f\u115f\u1160\u180e\u3164\uffa0\ufff9-\ufffb\x08\x1b]+"
        "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
    ),
    "bidirectional": late(f"[{_MARKS}\u202a-\u202e\u2066-\u2069]+"),
    "tags": late("[\U000e0000-\U000e007f]+"),
}
_LITERALS = (
    *(b"\xe2\x80" + bytes([last]) for last in (*range(0x8B, 0x90), *range(0xAA, 0xAF))),
    *(b"\xe2\x81" + bytes([last]) for last in (*range(0xA0, 0xA5), *range(0xA6, 0xB0))),
    *(char.encode() for char in "\ufeff\u034f\u115f\u1160\u180e\u3164\uffa0\ufff9\ufffa\ufffb\u061c\x08\x1b"),
    b"\xf3\xa0",
    # Two selectors in a row: one alone picks the look of an emoji.
    *(b"\xef\xb8" + bytes([last]) + b"\xef\xb8" for last in range(0x80, 0x90)),
)
_NAMES = {"\x08": "BACKSPACE", "\x1b": "ESCAPE", "\ufeff": "ZERO WIDTH NO-BREAK SPACE (byte order mark)"}

_JOINERS = "\u200c\u200d"
_SELECTOR = "\ufe0f"
_FLAG = late("[\U000e0061-\U000e007a\U000e0030-\U000e0039]{3,6}\U000e007f")
_RIGHT_TO_LEFT = late(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Scripts that put no space between words: a zero width space says where a line may break.
_SPACELESS = late("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf]")
_JOINING_SCRIPTS = late("[\u0590-\u0dff\u0e80-\u0eff\u0f00-\u109f\u1780-\u18af\ua840-\uabff\ufb1d-\ufdff\ufe70-\ufefc]")


class Characters(NamedTuple):
    """`kind`: `invisible`, `bidirectional` or `tags`."""

    kind: str = "invisible"


@Predicate("hidden-characters", Subject.TEXT, values=("what",), options=Characters, literals=_LITERALS)
def hidden_characters(text: TextFile, options: Characters) -> Iterator[Match]:
    """Runs of such characters that no writing system or emoji needs."""
    body = text.document.text
    if body.isascii() and "\x1b" not in body and "\x08" not in body:
        return
    lines = _Lines(body)
    for match in _PATTERNS[options.kind]().finditer(body):
        if not _is_needed(body, match, lines):
            raised = not _shows_fence(body, match)
            yield Match(text.document.path, *match.span(), {"what": _described(match[0])}, raised=raised)


class _Lines:
    """Which lines of a text have right-to-left characters; asked for offsets in order, it reads each line once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = -1
        self._found = False

    def are_right_to_left_at(self, offset: int) -> bool:
        if offset > self._end:
            start = self._text.rfind("\n", self._end + 1, offset) + 1 or self._end + 1
            end = self._text.find("\n", offset)
            self._end = len(self._text) if end < 0 else end
            self._found = bool(_RIGHT_TO_LEFT().search(self._text, start, self._end))
        return self._found


def _is_needed(text: str, match: re.Match[str], lines: _Lines) -> bool:
    run, before, after = match[0], text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    if not run.strip(_SELECTOR):
        return True
    if run in _JOINERS:
        if _JOINING_SCRIPTS().match(before):
            return True
        return run == "\u200d" and _is_emoji(before) and _is_emoji(after)
    if run == "\u200b":
        return bool(_SPACELESS().match(before) and _SPACELESS().match(after))
    if set(run) <= set(_MARKS):
        return lines.are_right_to_left_at(match.start())
    return before == "\U0001f3f4" and bool(_FLAG().fullmatch(run))


def _shows_fence(text: str, match: re.Match[str]) -> bool:
    """Whether zero width spaces keep marks from being a fence: so authors show fences within fences."""
    return not match[0].strip("\u200b") and text.startswith(("```", "~~~"), match.end())


def _is_emoji(char: str) -> bool:
    return bool(char) and (char in (_SELECTOR, "\u20e3") or unicodedata.category(char) in ("So", "Sk"))


def _described(run: str) -> str:
    """The characters with their names, and the words that tags spell."""
    if "\U000e0000" <= run[0] <= "\U000e007f":
        words = "".join(chr(ord(char) - 0xE0000) for char in run if 0xE0020 <= ord(char) < 0xE007F)
        if not words.strip():
            return _count(run)
        from skillbag.secrets.detection import mask

        shown = mask(words)[:60].replace("`", "'")
        return f"{_count(run)}, which spell `{shown}`"
    kinds = list(dict.fromkeys(run))
    named = ", ".join(
        f"U+{ord(char):04X} {_NAMES.get(char) or unicodedata.name(char, 'unnamed')}" for char in kinds[:3]
    )
    more = f" and {len(kinds) - 3} other kinds" if len(kinds) > 3 else ""
    return f"{named}{more}" + (f" ({len(run)} characters)" if len(run) > 1 else "")


def _count(run: str) -> str:
    first = f"U+{ord(run[0]):04X} {unicodedata.name(run[0], 'LANGUAGE TAG')}"
    return f"{len(run)} characters from {first} on" if len(run) > 1 else first
