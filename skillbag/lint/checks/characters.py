"""Invisible characters, characters that change the direction of text, and Unicode tags that hide words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, Predicate, Subject
from skillbag.lint.signals.hidden_characters import described, hidden_runs

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
        raised = not _shows_fence(body, match)
        yield Match(text.document.path, *match.span(), {"what": described(match[0])}, raised=raised)


def _shows_fence(text: str, match: re.Match[str]) -> bool:
    """Whether zero width spaces keep marks from being a fence: so authors show fences within fences."""
    return not match[0].strip("\u200b") and text.startswith(("```", "~~~"), match.end())
