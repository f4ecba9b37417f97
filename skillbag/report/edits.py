"""The safe edits of findings as values that another program can apply, with their places in lines, columns and offsets.

An edit whose text, or line, holds a secret is not shared: masked, it would write the mask into the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TypeAlias

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document, Position, read_document
from skillbag.kernel.model.findings import Edit, Finding, Rename, TextEdit, WriteFile
from skillbag.report.answers.edits import (
    EditJson,
    ModeEditJson,
    PlaceJson,
    RenameEditJson,
    ReplaceEditJson,
    WriteEditJson,
)
from skillbag.report.sanitize import exact, masked

Texts: TypeAlias = dict[str, Document | None]
"""The texts that edits are of, by path, each read when it is first needed; None where there is none."""

_REACH = 4096
"""How far around an edit its line is searched for secrets, in code points."""


class Replacement(NamedTuple):
    """New text for the code points `start` to `end` of a file that exists."""

    document: Document
    start: int
    end: int
    text: str

    @property
    def places(self) -> tuple[Position, Position]:
        """Where it starts and, exclusively, ends."""
        return self.document.position(self.start), self.document.position(self.end)


def replacements(finding: Finding, texts: Texts) -> tuple[Replacement, ...]:
    """The edits of a finding as new texts for parts of files; none if one of them is something else, or not shared."""
    found = []
    for edit in finding.edits:
        document = text_of(edit.path, finding.root, texts)
        if document is None or not isinstance(edit, TextEdit | WriteFile) or not _is_shared(edit, document):
            return ()
        span = (edit.start, edit.end) if isinstance(edit, TextEdit) else (0, len(document.text))
        found.append(Replacement(document, *span, edit.text))
    return tuple(found)


def edit_values(finding: Finding, texts: Texts, path_of: Callable[[str], str]) -> tuple[EditJson, ...]:
    """The edits of a finding as JSON has them; none if one of them is not shared."""
    documents = [text_of(edit.path, finding.root, texts) for edit in finding.edits]
    pairs = list(zip(finding.edits, documents, strict=True))
    if not all(_is_shared(edit, document) for edit, document in pairs):
        return ()
    return tuple(_edit(edit, document, path_of) for edit, document in pairs)


def text_of(path: str, root: str, texts: Texts) -> Document | None:
    """The text at an absolute path of the target at `root`; None where there is none."""
    if path not in texts:
        document = read_document(path, root)
        texts[path] = document if isinstance(document, Document) else None
    return texts[path]


def _edit(edit: Edit, document: Document | None, path_of: Callable[[str], str]) -> EditJson:
    path = path_of(edit.path)
    if isinstance(edit, TextEdit) and document:
        at, end = (_place(document, offset) for offset in (edit.start, edit.end))
        return ReplaceEditJson(path, "replace", at, end, exact(edit.text))
    if isinstance(edit, WriteFile):
        return WriteEditJson(path, "write", exact(edit.text))
    if isinstance(edit, Rename):
        return RenameEditJson(path, "rename", path_of(os.path.join(os.path.dirname(edit.path), edit.name)))
    return ModeEditJson(path, "make-executable")


def _place(document: Document, offset: int) -> PlaceJson:
    line, column = document.position(offset)
    return PlaceJson(line, column, offset)


def _is_shared(edit: Edit, document: Document | None) -> bool:
    if isinstance(edit, TextEdit):
        # Of a private key, one line alone does not tell what it is.
        return (
            document is not None and "PRIVATE KEY" not in document.text and all(map(_is_open, _lines(edit, document)))
        )
    return _is_open(edit.text) if isinstance(edit, WriteFile) else True


def _lines(edit: TextEdit, document: Document) -> Iterator[str]:
    """The new text, alone and in its line."""
    yield edit.text
    start, end = max(document.bounds(edit.start)[0], edit.start - _REACH), document.bounds(edit.end)[1]
    yield document.text[start : edit.start] + edit.text + document.text[edit.end : min(end, edit.end + _REACH)]


def _is_open(text: str) -> bool:
    return masked(text) == text
