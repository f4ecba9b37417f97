"""Reference links of Markdown, `[text][label]`, whose label is defined nowhere in their text."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import in_outer_fence
from skillbag.lint.signals.fences import fences_of, span_at

_JOINT = b"]["
_TEXT, _LABEL = 200, 100
"""Longest text and label of a link, in code points."""
_LOWER, _SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz"), frozenset("\\^$|*+=<>{}@\n")


@Predicate("undefined-reference", Subject.TEXT, values=("label",), literals=(_JOINT,))
def undefined_reference(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Links by a label that the text does not define; nothing in code, comments and samples."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    document, labels = text.document, None
    for at in text.places.of((_JOINT,))[:MAX]:
        if not (span := _span(document, at)):
            continue
        start, label_start, end = span
        label = document.text[label_start:end] or document.text[start + 1 : at]
        labels = _defined(document.text) if labels is None else labels
        # A fence is mostly plain to see, and a text that needs no parsing is read twice as fast.
        if _folded(label) in labels or at < text.body or span_at(fences_of(text), at):
            continue
        if not (text.markdown.in_code(at) or text.markdown.in_comment(at) or in_outer_fence(text, at)):
            yield Match(document.path, start, end + 1, {"label": label})


def _span(document: Document, at: int) -> tuple[int, int, int] | None:
    """The offsets of a link's first bracket, of its label and of the last bracket, for those before the label."""
    source = document.text
    start, end = source.rfind("[", max(0, at - _TEXT), at), source.find("]", at + 2, at + 2 + _LABEL)
    if (
        start < 0
        or end < 0
        or source[start - 1 : start].isalnum()
        or source[start - 1 : start] in ("]", ")", "_", "\\")
    ):
        return None
    if source[end + 1 : end + 2] in ("[", "(", "="):
        return None
    words, label = source[start + 1 : at], source[at + 2 : end]
    return (start, at + 2, end) if _is_prose(words) and (not label or _is_prose(label)) else None


def _is_prose(words: str) -> bool:
    """Whether these are words of prose; `[a-z][0-9]`, `[P0][URGENT]` and `[1][2]` have none."""
    if not words[:1].isalnum() or len(words) == 1 or (words[1] == "-" and words[2:3].isalnum()):
        return False
    return not _LOWER.isdisjoint(words) and _SIGNS.isdisjoint(words)


def _defined(source: str) -> frozenset[str]:
    """The labels that are defined somewhere, in code and comments, too."""
    labels, at = set(), source.find("]:")
    while at >= 0:
        start = source.rfind("[", max(0, at - _LABEL - 1), at)
        labels.add(_folded(source[start + 1 : at]) if start >= 0 else "")
        at = source.find("]:", at + 2)
    return frozenset(labels)


def _folded(label: str) -> str:
    """A label as labels are compared: case and the kind of blanks do not count."""
    return " ".join(label.split()).casefold()
