"""JSON in fences that cannot be right: commas too many and too few, and a missing end.

Published texts show code that is elided, templated or wrong on purpose. So only faults that no elision explains are
reported, each a common slip.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.markdown import Fence
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_fences import has_odd_comma, is_odd
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import fences_of, in_outer_fence, span_at

_LITERALS = (b"```json",)
_ELIDED = ("...", "…", "{{", "{%", "<%", "${", "// ")
_SHOWN_WRONG = ("❌", "✗", "✘", "wrong", "incorrect", "syntax error")
_SAID_WRONG = (*_SHOWN_WRONG, "bad", "broken", "invalid", "don't", "avoid", "before:", "buggy", "error")
_AROUND = 1_000


@Predicate("fence-syntax", Subject.TEXT, values=("detail",), literals=_LITERALS, needs="before_fences.may_be_broken")
def fence_syntax(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """The first certain fault of each fence of JSON; nothing in samples, elided code and counterexamples."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    fences, source = fences_of(text), text.document.text
    for at in text.places.of(_LITERALS)[:MAX]:
        fence = span_at(fences, at)
        if fence is None or fence.start != at or not fence.closed or fence.info.strip().lower() != "json":
            continue
        body = source[fence.body_start : fence.body_end]
        found = _fault(body) if is_odd(body) and not _is_excused(source, fence) else None
        if found and not in_outer_fence(text, at):
            place = fence.body_start + found[0]
            yield Match(text.document.path, place, min(place + 1, fence.body_end), {"detail": found[1]})


def _is_excused(source: str, fence: Fence) -> bool:
    """Whether the code is elided, or wrong on purpose by what it or the text before it says."""
    body = source[fence.body_start : fence.body_end]
    if any(sign in body for sign in _ELIDED):
        return True
    said = _introduction(source[max(0, fence.start - _AROUND) : fence.start]).lower()
    return any(word in said for word in _SAID_WRONG) or any(word in body.lower() for word in _SHOWN_WRONG)


def _introduction(before: str) -> str:
    """The heading and the last line before a fence."""
    lines = [line for line in before.split("\n") if line.strip()]
    heading = next((line for line in reversed(lines) if line.startswith("#")), "")
    return f"{heading}\n{lines[-1] if lines else ''}"


def _fault(body: str) -> tuple[int, str] | None:
    """The offset in the code and a description of its fault; none where it is a part of something."""
    if not body.lstrip().startswith(("{", "[")):
        return None
    from skillbag.lint.checks.json_syntax import json_fault

    try:
        found = json_fault(body, "")
    except (ValueError, RecursionError):
        return None
    if found is None:
        return None
    at = found[0]
    if not body[at:].strip():
        return len(body.rstrip()) - 1, "it ends inside a value"
    return found if has_odd_comma(_lines_at(body, at)) else None


def _lines_at(body: str, at: int) -> str:
    """The line of an offset, the one before and the one after."""
    start = body.rfind("\n", 0, max(0, body.rfind("\n", 0, at))) + 1
    return "\n".join(body[start:].split("\n")[:3])
