"""Characters that show nothing, turn the direction of text, or are tags that hide words, where no script needs them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late

_MARKS = "\u200e\u200f\u061c"
_PATTERNS = {
    "invisible": late(
        "[\u200b-\u200d\u2060-\u2064\u206a-\u206f\ufeff\u034f\u115f\u1160\u180e\u3164\uffa0\ufff9-\ufffb\x08\x1b]+"
        "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
    ),
    "bidirectional": late(f"[{_MARKS}\u202a-\u202e\u2066-\u2069]+"),
    "tags": late("[\U000e0000-\U000e007f]+"),
}
_NAMES = {
    "\n": "LINE FEED",
    "\r": "CARRIAGE RETURN",
    "\t": "TABULATION",
    "\x08": "BACKSPACE",
    "\x1b": "ESCAPE",
    "\ufeff": "ZERO WIDTH NO-BREAK SPACE (byte order mark)",
}

_JOINERS = "\u200c\u200d"
_SELECTOR = "\ufe0f"
_FLAG = late("[\U000e0061-\U000e007a\U000e0030-\U000e0039]{3,6}\U000e007f")
_RIGHT_TO_LEFT = late(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
# Scripts that put no space between words: a zero width space says where a line may break.
_SPACELESS = late("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf]")
_JOINING_SCRIPTS = late("[\u0590-\u0dff\u0e80-\u0eff\u0f00-\u109f\u1780-\u18af\ua840-\uabff\ufb1d-\ufdff\ufe70-\ufefc]")


_OTHER = late(
    "[\x00-\x1f\x7f-\x9f\xad\u17b4\u17b5\u2028\u2029\u2065\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]+|(?<![\u2801-\u28ff])\u2800(?![\u2801-\u28ff])"
    "|(?<![^\0-\x7f\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef])"
    "[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef](?!\u20e3)"
)
"""What a text may hold and a name may not: controls, what Unicode calls default ignorable (DerivedCoreProperties.txt),
a blank of Braille outside of Braille, and variation selectors where nothing varies: behind ASCII or another one."""


def hidden_runs(text: str, kind: str) -> Iterator[re.Match[str]]:
    """The runs of characters of a kind (`invisible`, `bidirectional`, `tags`) that no writing system or emoji needs."""
    lines = _Lines(text)
    for match in _PATTERNS[kind]().finditer(text):
        if not _is_needed(text, match, lines):
            yield match


def hidden_in_name(name: str) -> str | None:
    """The first such run, or control character, in the name of a file, described; None for a plain name."""
    if name.isascii() and name.isprintable():
        return None
    found = [run for kind in _PATTERNS for run in hidden_runs(name, kind)] + [*_OTHER().finditer(name)]
    return described(min(found, key=lambda run: run.start())[0]) if found else None


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


def _is_emoji(char: str) -> bool:
    return bool(char) and (char in (_SELECTOR, "\u20e3") or unicodedata.category(char) in ("So", "Sk"))


def described(run: str) -> str:
    """The characters with their names, and the words that tags spell."""
    if "\U000e0000" <= run[0] <= "\U000e007f":
        words = "".join(chr(ord(char) - 0xE0000) for char in run if 0xE0020 <= ord(char) < 0xE007F)
        if not words.strip():
            return _count(run)
        from skillbag.kernel.secrets.detection import mask

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
