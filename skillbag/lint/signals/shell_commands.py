"""Simple commands of shell texts, with their words, redirections and places. Nothing is expanded or run.

One pass over the text; substitutions are read to a depth of `_DEPTH`. What is no shell at all gives few or odd
commands, but never an error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_DEPTH = 4
"""Substitutions within each other that are read."""
_LONGEST = 5_000
"""Characters of a substitution."""

_PLAIN = late(r"[^\s'\"\\$`|&;()<>#]++")
_OPERATOR = late(r"\d?(?:<<<|<<-?|<>|>>|>\||>&|<&|&>>|&>|[<>])|&&|\|\||;;&?|\|&|[|&;()\n]")
_BLANK = late(r"(?:[ \t\r\f\v]|\\\r?\n)++")
_MEANT = late(r"[\"\\$`]")
"""What means something in double quotes."""
_NESTING = late(r"\\.|'[^'\n]{0,200}+'|[()]", re.DOTALL)
_NAME = late(r"[A-Za-z_]\w*+\+?=")
_QUOTED = r"\"(?:[^\"\\]|\\.)*+\""
_BRACES = late(rf"\{{(?:[^}}\"\\$]|\\.|{_QUOTED}|\$\{{(?:[^}}\"\\]|\\.|{_QUOTED})*+\}}|\$(?!\{{))*+\}}", re.DOTALL)
_OPENING = frozenset("if then else elif while until do ! { time in".split())  # noqa: SIM905
"""Words after which parentheses hold commands."""


class Word(NamedTuple):
    """One word without its outer quotes; `raw` is as written. Offsets count from the start of the text."""

    text: str
    raw: str
    start: int
    end: int


class Redirect(NamedTuple):
    """A redirection: its operator (`>`, `>>`, `<<`, ...) and its word."""

    operator: str
    word: Word


class ShellCommand(NamedTuple):
    """A simple command. `pipeline` is the place where its pipeline begins; `here` is the text of a here-document.

    `depth` counts the substitutions around it.
    """

    words: tuple[Word, ...]
    assigned: tuple[Word, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int
    pipeline: int
    depth: int = 0
    here: str = ""


# Several readers ask for those of one text, and each flow for those of several.
@lru_cache(maxsize=32)
def commands(text: str) -> tuple[ShellCommand, ...]:
    """The simple commands of a text, in order."""
    return tuple(_Reader(text, 0, 0).read())


class _Reader:
    def __init__(self, text: str, offset: int, depth: int) -> None:
        self.text, self.offset, self.depth = text, offset, depth
        self.found: list[ShellCommand] = []
        self.pipeline = -1
        self.parentheses = 0
        self.waiting: list[tuple[str, bool]] = []
        # Quotes that nothing closes from some place on, and steps left to look for parentheses: both bound the time.
        self.unclosed: set[str] = set()
        self.steps = 10_000 + len(text)
        self._clear(0)

    def _clear(self, at: int) -> None:
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.inner: list[ShellCommand] = []
        self.operator = ""
        self.start = at

    def read(self) -> list[ShellCommand]:
        text, at = self.text, 0
        while at < len(text):
            if blank := _BLANK().match(text, at):
                at = blank.end()
            elif text[at] == "#":
                at = _line_end(text, at)
            elif operator := _OPERATOR().match(text, at):
                at = self._operator(operator[0], operator.end())
            else:
                at = self._word(at)
        self._end(at)
        return self.found

    def _operator(self, sign: str, after: int) -> int:
        bare = sign.lstrip("0123456789")
        if bare[:1] in "<>" or bare.startswith("&>"):
            if bare == "<" and self.text[after : after + 1] == "(":
                return self._word(after - 1)
            self.operator = bare
            return after
        if sign == "(" and (end := self._no_commands(after)) > 0:
            return end
        self.parentheses += sign == "("
        if sign == ")":
            if not self.parentheses:
                self._drop_pattern()
                self._clear(after)
                return after
            self.parentheses -= 1
        # A line may end behind the sign of a pipe.
        is_open = sign == "\n" and not (self.words or self.redirects)
        self._end(after - len(sign), joined=sign in ("|", "|&") or is_open)
        if sign == "\n" and self.waiting:
            return self._here(after)
        return after

    def _drop_pattern(self) -> None:
        """Forget the words before `|` in the pattern of a `case`: they seem to be a pipeline."""
        while self.found and self.found[-1].pipeline == self.pipeline and len(self.found[-1].words) == 1:
            self.found.pop()
        self.pipeline = -1

    def _no_commands(self, after: int) -> int:
        """The end of parentheses that hold no commands: arithmetic, a function's name, the items of an array; or 0.

        The name before a call of another language is forgotten.
        """
        follows = self.text[after : after + 1]
        if follows == ")" and len(self.words) == 1:
            self._clear(after + 1)
            return after + 1
        # Behind other words stand the items of an array, a pattern, or what is no shell: a call of another language.
        behind = self.words and self.words[-1].raw not in _OPENING
        end = self._closing(after - 1) + 1 if follows == "(" or behind else 0
        last = self.words[-1] if end and 0 < len(self.words) < 3 else None
        if last is not None and last.end - self.offset == after - 1 and last.raw.replace(".", "_").isidentifier():
            self._clear(end)
        return end

    def _here(self, at: int) -> int:
        """The end of the here-documents that begin at a line's start."""
        for mark, tabs in self.waiting:
            begin = at
            while at < len(self.text):
                end = _line_end(self.text, at)
                line = self.text[at:end].rstrip("\r")
                if (line.lstrip("\t") if tabs else line).strip() == mark:
                    break
                at = end + 1
            if self.found:
                self.found[-1] = self.found[-1]._replace(here=self.text[begin:at])
            at = min(_line_end(self.text, at), len(self.text))
        self.waiting = []
        return at

    def _word(self, at: int) -> int:
        start = at
        parts: list[str] = []
        while at < len(self.text):
            part, after = self._part(at, start)
            if after == at:
                break
            parts.append(part)
            at = after
        raw = self.text[start:at]
        word = Word("".join(parts), raw, start + self.offset, at + self.offset)
        if self.operator:
            self.redirects.append(Redirect(self.operator, word))
            if self.operator in ("<<", "<<-"):
                self.waiting.append((word.text, self.operator == "<<-"))
            self.operator = ""
        else:
            if not self.words:
                self.start = start
            self.words.append(word)
        return max(at, start + 1)

    def _part(self, at: int, start: int) -> tuple[str, int]:
        """A piece of a word and its end; the same place where the word ends."""
        text = self.text
        char = text[at]
        if plain := _PLAIN().match(text, at):
            return plain[0], plain.end()
        if char == "#" and at > start:
            return char, at + 1
        if char == "\\":
            return text[at + 1 : at + 2].replace("\n", ""), at + 2
        if char in "'`":
            end = -1 if char in self.unclosed else text.find(char, at + 1)
            if end < 0:
                self.unclosed.add(char)
                return char, at + 1
            if char == "'":
                return text[at + 1 : end], end + 1
            self._substitution(at + 1, end)
            return text[at : end + 1], end + 1
        if char == '"':
            return (char, at + 1) if char in self.unclosed else self._quoted(at)
        if char == "$" or (char in "<>" and text[at + 1 : at + 2] == "("):
            return self._dollar(at)
        return "", at

    def _quoted(self, at: int) -> tuple[str, int]:
        text, begin = self.text, at
        parts: list[str] = []
        at += 1
        while at < len(text):
            char = text[at]
            if char == '"':
                return "".join(parts), at + 1
            if char == "\\":
                parts.append(text[at + 1 : at + 2] if text[at + 1 : at + 2] in '"\\$`' else text[at : at + 2])
                at += 2
            elif char == "$":
                part, at = self._dollar(at)
                parts.append(part)
            elif char == "`" and (end := text.find("`", at + 1)) > 0:
                self._substitution(at + 1, end)
                parts.append(text[at : end + 1])
                at = end + 1
            else:
                sign = _MEANT().search(text, at + 1)
                end = sign.start() if sign else len(text)
                parts.append(text[at:end])
                at = end
        self.unclosed.add('"')
        return text[begin], begin + 1

    def _dollar(self, at: int) -> tuple[str, int]:
        text = self.text
        follows = text[at + 1 : at + 2]
        if follows == "(":
            end = self._closing(at + 1)
            if end < 0:
                return text[at : at + 2], at + 2
            if text[at + 1 : at + 3] != "((":
                self._substitution(at + 2, end)
            return text[at : end + 1], end + 1
        if follows == "{":
            end = self._brace(at + 1)
            return (text[at:end], end) if end > 0 else (text[at : at + 2], at + 2)
        return text[at], at + 1

    def _brace(self, at: int) -> int:
        """The end of the braces at `at`, quotes and inner braces skipped; 0 without one near by."""
        limit = min(len(self.text), at + _LONGEST)
        if self.steps > 0:
            if match := _BRACES().match(self.text, at, limit):
                return match.end()
            self.steps -= limit - at
        return self.text.find("}", at, limit) + 1

    def _closing(self, at: int) -> int:
        """The place of the `)` that closes the `(` at `at`, quotes skipped; -1 without one near by."""
        depth, end = 0, min(len(self.text), at + _LONGEST)
        while self.steps > 0 and (sign := _NESTING().search(self.text, at, end)):
            self.steps -= 1
            at = sign.end()
            depth += (sign[0] == "(") - (sign[0] == ")")
            if not depth:
                return sign.start()
        return -1

    def _substitution(self, start: int, end: int) -> None:
        if self.depth < _DEPTH:
            self.inner += _Reader(self.text[start:end], self.offset + start, self.depth + 1).read()

    def _end(self, at: int, *, joined: bool = False) -> None:
        """End the command; the next one is of the same pipeline if it is `joined` to it."""
        self.found += self.inner
        if self.words or self.redirects:
            assigned = tuple(takewhile(lambda word: _NAME().match(word.raw), self.words))
            words = tuple(self.words[len(assigned) :])
            start = self.start + self.offset
            pipeline = start if self.pipeline < 0 else self.pipeline
            self.found.append(
                ShellCommand(words, assigned, tuple(self.redirects), start, at + self.offset, pipeline, self.depth)
            )
            self.pipeline = pipeline
        if not joined:
            self.pipeline = -1
        self._clear(at)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
