"""The documents that the client has open."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from skillbag.doors.language_server.addresses import path_of
from skillbag.doors.language_server.positions import EditorText
from skillbag.kernel.fs.read import read

_BOM = b"\xef\xbb\xbf"


class OpenDocument(NamedTuple):
    """One state of an open document; `path` is None where it is no file.

    `has_bom`: its file begins with a byte order mark that the client keeps, and does not show.
    """

    uri: str
    path: str | None
    language: str
    version: int
    text: EditorText
    has_bom: bool = False

    @property
    def raw(self) -> bytes:
        """The bytes that saving it would write."""
        return (_BOM if self.has_bom else b"") + self.text.text.encode("utf-8", "replace")


class Documents:
    """The open documents by URI. `encoding` is that of positions."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._open: dict[str, OpenDocument] = {}

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter([*self._open.values()])

    def get(self, uri: str) -> OpenDocument | None:
        """The document at a URI; None if it is not open."""
        return self._open.get(uri)

    def at(self, path: str) -> OpenDocument | None:
        """The open document of a file."""
        return next((document for document in self._open.values() if document.path == path), None)

    def open(self, item: types.TextDocumentItem) -> OpenDocument:
        """A document is open from now on."""
        text, path = EditorText(item.text, self.encoding), path_of(item.uri)
        hidden = path is not None and not item.text.startswith("\ufeff") and _has_bom(path)
        document = OpenDocument(item.uri, path, item.language_id, item.version, text, hidden)
        self._open[item.uri] = document
        return document

    def change(
        self, uri: str, version: int, changes: Sequence[types.TextDocumentContentChangeEvent]
    ) -> OpenDocument | None:
        """Apply changes, one after the other; None if the document is not open."""
        document = self._open.get(uri)
        if document is None:
            return None
        text = document.text
        for change in changes:
            text = text.replaced(change)
        self._open[uri] = document._replace(version=version, text=text)
        return self._open[uri]

    def saved(self, uri: str, text: str | None = None) -> OpenDocument | None:
        """A document is on the disk as it is open, or as `text`."""
        document = self._open.get(uri)
        if document is not None:
            given = document.text if text is None else EditorText(text, self.encoding)
            document = self._open[uri] = document._replace(text=given)
        return document

    def close(self, uri: str) -> OpenDocument | None:
        """A document is no longer open."""
        return self._open.pop(uri, None)


def _has_bom(path: str) -> bool:
    data = read(path, os.path.dirname(path))
    return isinstance(data, bytes) and data.startswith(_BOM)
