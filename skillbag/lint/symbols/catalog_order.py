"""The catalog's lines stay in the order of their names when a name in it changes (clause root.catalog-sorted)."""

from __future__ import annotations

from bisect import bisect_left

from skillbag.kernel.documents.catalog import CatalogLine, parse_catalog
from skillbag.kernel.documents.source import Document
from skillbag.lint.checks.catalog import misplaced
from skillbag.lint.symbols.plan import NameEdit


def in_order(document: Document, edits: list[NameEdit]) -> list[NameEdit]:
    """The edits of a catalog, with each line whose name they change moved to where its new name belongs."""
    lines = parse_catalog(document).lines
    renamed = {edit.start: edit.text for edit in edits}
    names = [renamed.get(line.start, line.name) for line in lines]
    if len(misplaced(names)) <= len(misplaced([line.name for line in lines])):
        return edits
    others = [line for line in lines if line.start not in renamed]
    wrong = set(misplaced([line.name for line in others]))
    kept = [line for number, line in enumerate(others) if number not in wrong]
    result: list[NameEdit] = []
    for line in lines:
        inside = [edit for edit in edits if line.start <= edit.start < line.end]
        if line.start in renamed:
            result += _moved(document, line, inside, _place(document, kept, renamed[line.start]))
        else:
            result += inside
    return result


def _place(document: Document, kept: list[CatalogLine], name: str) -> int:
    """The offset at which a line with this name belongs among the lines `kept`, which are in order."""
    number = bisect_left([line.name for line in kept], name)
    if number < len(kept):
        return kept[number].start
    end = document.text.find("\n", kept[-1].end) if kept else -1
    return end + 1 if end >= 0 else len(document.text)


def _moved(document: Document, line: CatalogLine, inside: list[NameEdit], target: int) -> list[NameEdit]:
    """The edits that take a line out, and put it in at `target` with its own edits made."""
    text, at, pieces = document.text, line.start, []
    for edit in sorted(inside, key=lambda edit: edit.start):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    moved = "".join([*pieces, text[at : line.end]])
    end = text.find("\n", line.end)
    removed = NameEdit(document.path, line.start, end + 1 if end >= 0 else len(text), "")
    is_after_line = target == 0 or text[target - 1] == "\n"
    added = moved + document.newline if is_after_line else document.newline + moved
    return [removed, NameEdit(document.path, target, target, added)]
