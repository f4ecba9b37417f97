"""An editor as the server sees one: a client of `pytest_lsp` at the server's standard input and output."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

import skillbag.doors.language_server.server  # noqa: F401
from tests.forked import become

PATIENCE = 60.0
"""Seconds after which an answer will never come."""


class Editor:
    """A running server, what it offers, and what an editor does with it. Paths are those of files."""

    def __init__(self, client: LanguageClient, offered: types.ServerCapabilities) -> None:
        self.client = client
        self.offered = offered
        self.versions: dict[str, int] = {}

    def open(self, path: Path, text: str | None = None) -> None:
        """Open a document with its text on the disk, or another."""
        self.versions[path.as_uri()] = 1
        text = path.read_bytes().decode("utf-8") if text is None else text
        item = types.TextDocumentItem(path.as_uri(), "markdown", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, path: Path, *changes: types.TextDocumentContentChangeEvent | str) -> int:
        """Change a document, by whole texts or parts; its new version."""
        uri = path.as_uri()
        self.versions[uri] += 1
        events = [
            types.TextDocumentContentChangeWholeDocument(each) if isinstance(each, str) else each for each in changes
        ]
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, events))
        return self.versions[uri]

    def save(self, path: Path) -> None:
        """The document was saved."""
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identity(path)))

    def close(self, path: Path) -> None:
        """The document is no longer open."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identity(path)))
        del self.versions[path.as_uri()]

    async def rules(self, path: Path) -> list[str]:
        """The rules of a file's diagnostics once they are known."""
        return sorted(str(each.code) for each in await self.diagnostics(path))

    async def diagnostics(self, path: Path) -> list[types.Diagnostic]:
        """The published diagnostics of a file, after the check of what was sent until now."""
        await self.checked()
        return [*self.client.diagnostics.get(path.as_uri(), ())]

    async def checked(self) -> None:
        """Wait until everything that was sent is checked, and its diagnostics are published."""
        nothing, context = types.TextDocumentIdentifier("untitled:nothing"), types.CodeActionContext([])
        params = types.CodeActionParams(nothing, span(0, 0, 0), context)
        await asyncio.wait_for(self.client.text_document_code_action_async(params), PATIENCE)


def identity(path: Path) -> types.TextDocumentIdentifier:
    """How requests name a document."""
    return types.TextDocumentIdentifier(path.as_uri())


def span(line: int, start: int, end: int) -> types.Range:
    """A range in one line, counted from 0."""
    return types.Range(types.Position(line, start), types.Position(line, end))


def edit(line: int, start: int, end: int, text: str) -> types.TextDocumentContentChangePartial:
    """Put a text in the place of a part of a line."""
    return types.TextDocumentContentChangePartial(range=span(line, start, end), text=text)


@contextmanager
def server() -> Iterator[int]:
    """The port at which a client reaches a server's standard input and output.

    The server is a fork of this process, which has imported the protocol already: that takes a new process longer than
    most tests. `test_life.py` starts it as editors do.
    """
    with socket.create_server(("127.0.0.1", 0)) as door:
        child = os.fork()
        if not child:
            client, _ = door.accept()
            become(["agent", "lsp"], os.environ, (client.fileno(), client.fileno(), 2))
        yield door.getsockname()[1]
    os.waitpid(child, 0)


@asynccontextmanager
async def running(
    *folders: Path,
    client: types.ClientCapabilities | None = None,
    answers: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
    **more: Any,
) -> AsyncIterator[Editor]:
    """An editor that has opened these folders; `more` is what else it says of itself, `answers` are to the server."""
    speaker = make_test_lsp_client()
    for method, answer_to in answers.items():
        speaker.feature(method)(answer_to)
    with server() as port:
        await speaker.start_tcp("127.0.0.1", port)
        named = [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
        capabilities = client or types.ClientCapabilities()
        opened = types.InitializeParams(capabilities, workspace_folders=named, **more)
        answer = await speaker.initialize_session(opened)
        try:
            yield Editor(speaker, answer.capabilities)
        finally:
            await speaker.shutdown_session()


def write(folder: Path, files: Iterable[tuple[str, str]]) -> Path:
    """Files of a folder."""
    for name, text in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder
