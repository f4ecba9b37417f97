"""What the features of one connection share: folders, open documents, and the last check."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import NamedTuple

from lsprotocol import types

from skillbag.doors.language_server.addresses import path_of, uri_of
from skillbag.doors.language_server.documents import Documents
from skillbag.doors.language_server.positions import UTF16, EditorText
from skillbag.doors.language_server.settings import EditorSettings
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.fs import other_disk
from skillbag.kernel.fs.buffers import Buffers
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckedTarget, RuleInfo


class CheckProblem(NamedTuple):
    """Why something can't be checked: a message, and the file and place that it is about."""

    path: str | None
    line: int
    column: int
    message: str


class Checked(NamedTuple):
    """The state that the last check found: all findings by path, the targets, and the rules by id.

    `versions` are those of the open documents, by URI, as it saw them. `faults` say why something can't be checked.
    """

    findings: Mapping[str, tuple[Finding, ...]] = {}
    targets: tuple[CheckedTarget, ...] = ()
    rules: Mapping[str, RuleInfo] = {}
    versions: Mapping[str, int] = {}
    faults: tuple[CheckProblem, ...] = ()


class EditorSession:
    """The state of one connection. It is used in the thread of the event loop only."""

    def __init__(self) -> None:
        self.folders: tuple[str, ...] = ()
        self.client = types.ClientCapabilities()
        self.client_info: types.ClientInfo | None = None
        self.documents = Documents(UTF16)
        self.settings = EditorSettings()
        self.watches = False
        """Whether the client says what changes on the disk."""
        self.is_begun = False
        self.settled: Callable[[], Awaitable[None]] = _at_once
        """Waits until everything that has changed is checked."""
        self.latest = Checked()
        self.on_checked: list[Callable[[], object]] = []
        self.on_changed: list[Callable[[list[str] | None], object]] = []

    def begin(self, params: types.InitializeParams, encoding: str) -> None:
        """Take over what the client says of itself; `encoding` is what columns count, as was agreed."""
        self.is_begun = True
        self.client = params.capabilities
        self.client_info = params.client_info
        self.documents = Documents(encoding)
        named = [folder.uri for folder in params.workspace_folders or ()]
        if not named:
            root = params.root_uri or (uri_of(os.path.abspath(params.root_path)) if params.root_path else None)
            named = [root] if root else []
        self.set_folders(named)

    def set_folders(self, uris: list[str]) -> None:
        """The folders that the client has opened, outermost first; what is no folder of this machine is left out."""
        paths = sorted({path for uri in uris if (path := path_of(uri))})
        self.folders = tuple(paths)

    def path(self, uri: str) -> str | None:
        """The absolute path of a file; None for what is none, such as an untitled buffer."""
        document = self.documents.get(uri)
        return document.path if document else path_of(uri)

    def uri(self, path: str) -> str:
        """The URI of a path; that of an open document as its client wrote it."""
        document = self.documents.at(path)
        return document.uri if document else uri_of(path)

    def text(self, path: str) -> EditorText | None:
        """The text of a file, as it is open or on the disk; None if it is no text."""
        opened = self.documents.at(path)
        if opened is not None:
            return opened.text
        document = read_document(path, os.path.dirname(path))
        return EditorText(document.text, self.documents.encoding) if isinstance(document, Document) else None

    def buffers(self) -> dict[str, bytes]:
        """The bytes that saving the open documents would write, by path."""
        return {document.path: document.raw for document in self.documents if document.path}

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Within the block, files are read as if all open documents were saved."""
        with other_disk.looking_at(Buffers(self.buffers())):
            yield


async def _at_once() -> None:
    """There is nothing to wait for."""
