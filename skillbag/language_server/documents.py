"""The documents that the client has open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types

from skillbag.language_server.addresses import path_of
from skillbag.language_server.positions import Text


class OpenDocument(NamedTuple):
    """One state of an open document; `path` is None where it is no file. `is_changed`: since it was opened or saved."""

    uri: str
    path: str | None
    language: str
    version: int
    text: Text
    is_changed: bool = False

    @property
    def raw(self) -> bytes:
        """The bytes that saving it would write."""
        return self.text.text.encode("utf-8", "replace")


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
        text = Text(item.text, self.encoding)
        document = OpenDocument(item.uri, path_of(item.uri), item.language_id, item.version, text)
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
        self._open[uri] = document._replace(version=version, text=text, is_changed=True)
        return self._open[uri]

    def saved(self, uri: str, text: str | None = None) -> OpenDocument | None:
        """A document is on the disk as it is open, or as `text`."""
        document = self._open.get(uri)
        if document is not None:
            given = document.text if text is None else Text(text, self.encoding)
            document = self._open[uri] = document._replace(text=given, is_changed=False)
        return document

    def close(self, uri: str) -> OpenDocument | None:
        """A document is no longer open."""
        return self._open.pop(uri, None)
