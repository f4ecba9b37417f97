"""Marks of a merge that was committed before its conflicts were resolved."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import fences_of, lines_of, span_at

_LITERALS = (b"<<<<<<< ", b">>>>>>> ")
# Agents' edit formats look alike: `<<<<<<< SEARCH`.
_MARK = late(r"(?:<{7}|>{7}) (?!(?:SEARCH|REPLACE|ORIGINAL|UPDATED|BEFORE|AFTER|OLD|NEW)\b)[^\s<>][^\n]*")

# The name of a branch or commit, and a commit with its message, as `rebase` and `cherry-pick` write it.
_NAME = late(r">{7} (?:Stashed changes|[\w./@#~^:-]++(?: \([^\n]*\))?)")
_COMMIT = late(r">{7} [0-9a-f]{7,40} \([^\n]+\)")


@Predicate("merge-marker", Subject.TEXT, values=("mark",), literals=_LITERALS)
def merge_marker(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """The first mark of each conflict, outside of code fences, indented code and samples."""
    if is_sample(text.relative):
        return
    source = text.document.text
    is_open = False
    for start, end in lines_of(source, text.places.of(_LITERALS)):
        line = source[start : min(end, start + 200)].rstrip("\r")
        if not _MARK().fullmatch(line) or _is_shown(text, start):
            continue
        opens = line[0] == "<"
        # Seven `>` alone are nested quotes of Markdown.
        if opens or (not is_open and _closes(source, start, line)):
            yield Match(text.document.path, start, start + len(line), {"mark": line[:7]})
        is_open = opens


def _closes(source: str, start: int, line: str) -> bool:
    """Whether a line ends a conflict whose other marks are gone."""
    return bool(_COMMIT().fullmatch(line) or ("\n=======" in source[:start] and _NAME().fullmatch(line)))


def _is_shown(text: TextFile, start: int) -> bool:
    return text.language == "markdown" and start >= text.body and span_at(fences_of(text), start) is not None
