"""The server as the protocol sees it: life, folders and documents. Features add themselves with `register`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from skillbag import __version__
from skillbag.language_server import diagnostics, stdio, symbols
from skillbag.language_server.checking import Checking
from skillbag.language_server.session import Session

FEATURES: tuple[Callable[[LanguageServer, Session], None], ...] = (diagnostics.register, symbols.register)
"""What registers its handlers."""


class _Protocol(LanguageServerProtocol):
    """The protocol, but the documents are ours: pygls counts lines in a way of its own, and reads files."""

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> Generator[Any, Any, None]:
        yield self.fm.features[types.EXIT], (self._shutdown,), None


class Server(LanguageServer):
    """One connection."""

    def __init__(self) -> None:
        super().__init__("skillbag", __version__, protocol_cls=_Protocol, converter_factory=default_converter)
        self.session = Session()
        self.checking = Checking(self.session)
        self.ended = asyncio.Event()
        self.code = 0
        _register_life(self)
        _register_documents(self)
        for register in FEATURES:
            register(self, self.session)


def serve() -> int:
    """Serve over standard input and output until the client ends it; gives the exit code."""
    output = stdio.Output()
    return asyncio.run(_serve(output))


async def _serve(output: stdio.Output) -> int:
    server = Server()
    server.protocol.set_writer(output)
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    await stdio.serve(server, server.ended)
    return server.code


def _register_life(server: Server) -> None:
    session = server.session

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        session.begin(params, server.workspace.position_encoding or types.PositionEncodingKind.Utf16)

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        server.checking.suspect(None)

    @server.feature(types.EXIT)
    def leave(was_shut_down: bool) -> None:
        server.code = 0 if was_shut_down else 1
        server.ended.set()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        session.set_folders([*server.workspace.folders])
        server.checking.suspect(None)


def _register_documents(server: Server) -> None:
    session = server.session

    def suspect(uri: str) -> None:
        if path := session.path(uri):
            server.checking.suspect([path])

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        session.documents.open(params.text_document)
        suspect(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        item = params.text_document
        session.documents.change(item.uri, item.version, params.content_changes)
        suspect(item.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        session.documents.saved(params.text_document.uri, params.text)
        server.checking.suspect(None)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        suspect(params.text_document.uri)
        session.documents.close(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(True, False, "skillbag"))
    async def asked(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        await server.checking.settled()
        return types.RelatedFullDocumentDiagnosticReport(diagnostics.of(session, params.text_document.uri))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.checking.suspect(None)
