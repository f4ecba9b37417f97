"""Commands for an agent where no reader sees them: comments, definitions, invisible elements and characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from unicodedata import east_asian_width

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.signals.fences import seen_fences, span_at
from skillbag.lint.signals.hidden_characters import described, hidden_runs

_INVISIBLE = "An invisible element"
_MAX = 100
"""Hidden texts of a file that are looked at closely."""
_STYLED = late(
    r"<(?P<tag>[a-z]\w{0,9})\b[^<>\n]{0,200}?\bstyle[ \t]*=[ \t]*[\"'][^\"'<>\n]{0,300}?"
    r"(?:display:[ ]?none|visibility:[ ]?hidden|font-size:[ ]?0(?![.\d]*[1-9])|color:[ ]?(?:white|#fff\w*)"
    r"|opacity:[ ]?0(?!\.\d))"
    r"[^<>\n]{0,200}>(?P<content>[^<]{1,4000}+)",
    re.IGNORECASE,
)
_AGENT = (
    r"\b(?:AI|assistants?|agents?|claude|copilot|codex|gemini|LLMs?|(?:language|AI)\s+models?)\b[^.\n]{0,80}?"
    r"(?:\b(?:must|should|please|always|now|first|also)\b|:)[^.\n]{0,80}?"
)
# In a comment, notes for agents about the text itself are common; in an invisible element there is no reason for any.
_TO_AGENT = late(
    rf"{_AGENT}\b(?:execute|upload|send|post|delete|download)\b[^\n]{{0,120}}?(?:https?://|~/|\$HOME|`)"
    rf"|{_AGENT}\b(?:run|read|fetch|install|open)\b[^\n]{{0,120}}?(?:https?://|~/|\$HOME)",
    re.IGNORECASE,
)
_TO_ANYBODY = late(
    rf"{_AGENT}\b(?:run|execute|upload|send|post|delete|download|read|fetch|install|write)\b", re.IGNORECASE
)


_COMMENTS, _DEFINITIONS = (b"<!--",), (b"[//]:", b"[comment]:", b"[_]:")
_STYLES = (
    *(b"ay:none", b"ay: none", b"ty:hid", b"ty: hid", b"ize:0", b"ize: 0", b"or:whi", b"or: whi", b"or:#fff"),
    b"or: #fff",
)
_HINTS = (
    *("curl", "wget", "base64", "iwr ", "irm ", "/dev/tcp", "http", "~/", "$HOME", ".ssh", ".aws", ".env", "rm -"),
    *("ssistant", "gent", "laude", "opilot", "LLM", "AI "),
)
"""What a hidden text must contain to be looked at: most say who made the file, or hold a part of it back."""
_LONGEST, _MAX_COMMENTS = 4_000, 1_000


@Predicate("hidden-command", Subject.TEXT, values=("where", "what"), literals=(*_COMMENTS, *_DEFINITIONS, *_STYLES))
def hidden_command(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands in what a Markdown viewer does not show."""
    if text.language != "markdown":
        return
    hidden = ((where, start, end) for where, start, end in _hidden(text) if _has_hint(text.document.text[start:end]))
    for where, start, end in islice(hidden, _MAX):
        content = text.document.text[start:end]
        if (found := _judged(where, content)) and not _in_fence(text, start):
            values = {"where": where, "what": short(" ".join(found[0].split()))}
            yield Match(text.document.path, start, end, values, raised=found[1])


def _has_hint(content: str) -> bool:
    return any(hint in content for hint in _HINTS)


def _hidden(text: TextFile) -> Iterator[tuple[str, int, int]]:
    """Where each hidden text is, and its bounds."""
    body = text.document.text
    for literals, where, lead, mark in (
        (_COMMENTS, "A comment", 4, "-->"),
        (_DEFINITIONS, "A definition that is never shown", 0, "\n"),
    ):
        end = -1
        for at in text.places.of(literals)[:_MAX_COMMENTS]:
            # A comment that begins within another is part of it.
            if at >= end:
                end = body.find(mark, at + lead, at + _LONGEST)
                end = end if end >= 0 else min(len(body), at + _LONGEST)
                yield where, at + lead, end
    last = -1
    for at in text.places.of(_STYLES):
        start = max(body.rfind("<", max(0, at - 300), at), last)
        if match := _STYLED().match(body, start) if start > last else None:
            last = start
            yield _INVISIBLE, *match.span("content")


def _judged(where: str, content: str) -> tuple[str, bool] | None:
    """What a hidden text does, and whether no honest use was seen; None for an ordinary one."""
    from skillbag.lint.checks.dangers import danger_of
    from skillbag.lint.checks.second_signs import secret_steps

    danger = danger_of(content)
    if danger and danger.severe:
        return danger.what, True
    if danger and danger.what in ("sends data", "prints the environment with its secrets"):
        return danger.what, False
    if secret_steps(content):
        return "handles a secret file", False
    addressed = _TO_ANYBODY() if where == _INVISIBLE else _TO_AGENT()
    if match := addressed.search(content):
        return f"tells the agent `{match[0][:40]}`", False
    return None


def _in_fence(text: TextFile, start: int) -> bool:
    seen = seen_fences(text)
    if seen is not None:
        return span_at(seen, start) is not None
    return not text.markdown.in_comment(start) and text.markdown.in_code(start)


_LITERALS = (
    *(b"\xe2\x80" + bytes([last]) for last in (*range(0x8B, 0x90), *range(0xAA, 0xAF))),
    *(b"\xe2\x81" + bytes([last]) for last in (*range(0xA0, 0xA5), *range(0xA6, 0xB0))),
    *(char.encode() for char in "\ufeff\u034f\u115f\u1160\u180e\u3164\uffa0\ufff9\ufffa\ufffb\u061c\x08\x1b"),
    b"\xf3\xa0",
    # Two selectors in a row: one alone picks the look of an emoji.
    *(b"\xef\xb8" + bytes([last]) + b"\xef\xb8" for last in range(0x80, 0x90)),
)


class Characters(NamedTuple):
    """`kind`: `invisible`, `bidirectional` or `tags`."""

    kind: str = "invisible"


@Predicate("hidden-characters", Subject.TEXT, values=("what",), options=Characters, literals=_LITERALS)
def hidden_characters(text: TextFile, options: Characters) -> Iterator[Match]:
    """Runs of such characters that no writing system or emoji needs."""
    body = text.document.text
    if body.isascii() and "\x1b" not in body and "\x08" not in body:
        return
    for match in hidden_runs(body, options.kind):
        raised = not (_shows_fence(body, match) or _hides_nothing(text, match))
        yield Match(text.document.path, *match.span(), {"what": described(match[0])}, raised=raised)


_SMUGGLED = 8
"""Characters that may spell a letter of a hidden text."""
_SPREAD = 3
"""As many in a line may be the bits of one."""


def _hides_nothing(text: TextFile, match: re.Match[str]) -> bool:
    """Whether a few such characters split no word: they are copied from a page, or a program looks for them."""
    start, end = match.span()
    if end - start >= _SMUGGLED:
        return False
    body, (first, last) = text.document.text, text.document.bounds(start)
    line = body[max(first, start - 200) : start]
    in_quotes = line.count('"') % 2 == 1 or line.count("'") % 2 == 1
    if text.language != "markdown" and in_quotes:
        return True
    around = body[max(first, start - 2) : start] + body[end : min(last, end + 2)]
    if body.count(body[start], max(first, start - 200), min(last, end + 200)) >= _SPREAD and not any(
        map(_is_wide, around)
    ):
        return False
    before, after = body[start - 1 : start], body[end : end + 1]
    return not (before.isalnum() and after.isalnum()) or _is_wide(before) or _is_wide(after)


def _is_wide(char: str) -> bool:
    """Whether a character is of East Asia: editors there put such characters beside words of other scripts."""
    return bool(char) and east_asian_width(char) in "WF"


def _shows_fence(text: str, match: re.Match[str]) -> bool:
    """Whether zero width spaces keep marks from being a fence: so authors show fences within fences."""
    return not match[0].strip("\u200b") and text.startswith(("```", "~~~"), match.end())
