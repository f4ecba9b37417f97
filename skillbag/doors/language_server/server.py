"""The server as the protocol sees it: life, folders and documents. Features add themselves with `register`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator, Mapping
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from skillbag import __version__
from skillbag.doors.language_server import (
    actions,
    completion,
    diagnostics,
    hover,
    lenses,
    navigation,
    outline,
    renaming,
    stdio,
)
from skillbag.doors.language_server.checking import Checking
from skillbag.doors.language_server.indexes import Indexes
from skillbag.doors.language_server.session import EditorSession
from skillbag.doors.language_server.settings import SECTION, read_settings
from skillbag.kernel.base import verbose as steps
from skillbag.lint.cache.live import Extent
from skillbag.report.sanitize import shown

_WATCHED_REST = 30.0
"""Seconds between two full checks where the client says what changes: links may lead to what it does not watch."""
_log = logging.getLogger(__name__)


class _Protocol(LanguageServerProtocol):
    """The protocol, but the documents are ours: pygls counts lines in a way of its own, and reads files.

    Their handlers are no generators: pygls would keep a future for each key.
    """

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_OPEN](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE](params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> None:
        self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](params)

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> Generator[Any, Any, None]:
        yield self.fm.features[types.EXIT], (self._shutdown,), None


class Server(LanguageServer):
    """One connection."""

    def __init__(self) -> None:
        super().__init__("skillbag", __version__, protocol_cls=_Protocol, converter_factory=default_converter)
        self.session = EditorSession()
        self.checking = Checking(self.session)
        self.session.settled = self.checking.settled
        self.ended = asyncio.Event()
        self.code = 0
        self._shown_faults: set[str] = set()
        _register_life(self)
        _register_documents(self)
        self.session.on_checked.append(self._tell_faults)
        actions.register(self, self.session)
        hover.register(self, self.session)
        indexes = Indexes(self.session)
        for feature in (navigation, outline, lenses, renaming, completion):
            feature.register(self, self.session, indexes)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """An error in a handler is logged: its request is answered with it, and the user can do nothing about it."""
        message = types.LogMessageParams(types.MessageType.Error, shown(f"{type(error).__name__}: {error}"))
        self.window_log_message(message)

    def _tell_faults(self) -> None:
        """Show what can't be checked, once, unless it is a diagnostic of its file."""
        faults = {fault.message for fault in self.session.latest.faults if fault.path is None}
        for message in sorted(faults - self._shown_faults):
            show(self, message)
        self._shown_faults = faults


def serve(*, verbose: bool = False) -> int:
    """Serve over standard input and output until the client ends it; gives the exit code."""
    output = stdio.Output()
    return asyncio.run(_serve(output, verbose=verbose))


async def _serve(output: stdio.Output, *, verbose: bool) -> int:
    server = Server()
    server.protocol.set_writer(output)
    _log_to(server, verbose=verbose)
    await stdio.serve(server, server.ended)
    return server.code


class _ClientLog(logging.Handler):
    """What is logged, in the client's log; it comes from other threads, too."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server, self._loop = server, asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        """Send it, unless the loop has ended."""
        kind = types.MessageType.Log if record.levelno < logging.WARNING else types.MessageType.Warning
        params = types.LogMessageParams(kind, shown(record.getMessage()))
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._server.window_log_message, params)


def _log_to(server: Server, *, verbose: bool) -> None:
    """Log to the client, with `verbose` each step. Standard error stays empty: some editors show it to the user."""
    for name in ("pygls", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logger = logging.getLogger("skillbag")
    logger.propagate = False
    logger.addHandler(_ClientLog(server))
    logger.setLevel(logging.INFO if verbose else logging.WARNING)
    steps.listener = _log.info if verbose else None


def _register_life(server: Server) -> None:
    session = server.session

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        session.begin(params, server.workspace.position_encoding or types.PositionEncodingKind.Utf16)
        diagnostics.begin(server, session)
        _take_settings(server, params.initialization_options)

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        server.checking.suspect(None)
        await _watch(server)
        await _ask_settings(server)

    @server.feature(types.EXIT)
    def leave(was_shut_down: bool) -> None:
        server.code = 0 if was_shut_down else 1
        server.ended.set()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(_: types.DidChangeWorkspaceFoldersParams) -> None:
        session.set_folders([*server.workspace.folders])
        server.checking.suspect(None)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def settings_changed(params: types.DidChangeConfigurationParams) -> None:
        # Newer clients send nothing, and are asked.
        if params.settings:
            _take_settings(server, params.settings)
        await _ask_settings(server)


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
        if path := session.path(item.uri):
            server.checking.suspect([path], Extent.CONTENT)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        session.documents.saved(params.text_document.uri, params.text)
        suspect(params.text_document.uri)
        if not session.watches:
            server.checking.suspect(None)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        suspect(params.text_document.uri)
        session.documents.close(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [path for change in params.changes if (path := session.path(change.uri))]
        server.checking.suspect(paths)


def _take_settings(server: Server, given: object) -> None:
    settings, faults = read_settings(_plain(given))
    for fault in faults:
        show(server, fault, types.MessageType.Warning)
    if settings != server.session.settings:
        server.session.settings = settings
        if server.session.is_begun:
            server.checking.suspect(None)


def _plain(given: object) -> object:
    """Settings as JSON values: pygls makes objects of some."""
    if isinstance(given, tuple) and hasattr(given, "_asdict"):
        return {key: _plain(value) for key, value in given._asdict().items()}
    if isinstance(given, Mapping):
        return {key: _plain(value) for key, value in given.items()}
    return [*map(_plain, given)] if isinstance(given, list | tuple) else given


async def _ask_settings(server: Server) -> None:
    workspace = server.session.client.workspace
    if not (workspace and workspace.configuration):
        return
    items = [types.ConfigurationItem(section=SECTION)]
    try:
        answer = await server.workspace_configuration_async(types.ConfigurationParams(items))
    except Exception as error:
        _log.info("the client gives no settings: %s", error)
        return
    if answer and answer[0]:
        _take_settings(server, answer[0])


async def _watch(server: Server) -> None:
    """Let the client say what changes on the disk, if it can; else everything is examined more often."""
    workspace = server.session.client.workspace
    watching = workspace and workspace.did_change_watched_files
    if not (watching and watching.dynamic_registration):
        return
    options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
    registration = types.Registration("skillbag-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    try:
        await server.client_register_capability_async(types.RegistrationParams([registration]))
    except Exception as error:
        _log.info("the client watches no files: %s", error)
        return
    server.session.watches = True
    server.checking.rest = _WATCHED_REST


def show(server: LanguageServer, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
    """Show a message to the user, without secrets and control characters."""
    server.window_show_message(types.ShowMessageParams(kind, shown(message)))
