"""An editor that waits: a client of the Language Server Protocol that measures, over pipes."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any, cast

PUBLISHED = "textDocument/publishDiagnostics"


class Client:
    """A running server in a folder, and one document."""

    def __init__(self, command: Sequence[str], root: str, environment: Mapping[str, str]) -> None:
        self._begun = time.perf_counter()
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=root, env=environment, stdin=pipe, stdout=pipe)
        self._input, self._output = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        self._root, self._number, self._version = root, 0, 0

    def begin(self) -> float:
        """Open the folder; gives the seconds from the start of the process to the answer."""
        folder = {"uri": f"file://{self._root}", "name": "benchmark"}
        edits = {"documentChanges": True}
        capabilities = {"workspace": {"workspaceEdit": edits}, "general": {"positionEncodings": ["utf-16"]}}
        self.ask("initialize", {"processId": None, "capabilities": capabilities, "workspaceFolders": [folder]})
        taken = time.perf_counter() - self._begun
        self.tell("initialized", {})
        return taken

    def settle(self) -> None:
        """Wait until everything is checked."""
        start = {"line": 0, "character": 0}
        about = {"range": {"start": start, "end": start}, "context": {"diagnostics": []}}
        self.ask("textDocument/codeAction", {"textDocument": {"uri": "untitled:nothing"}, **about})

    def open(self, path: str) -> str:
        """Open a document; gives its URI."""
        with open(path, encoding="utf-8") as handle:
            text = handle.read()
        uri, self._version = f"file://{path}", 1
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def key(self, uri: str, line: int, column: int, text: str, instead: int = 0) -> float:
        """Put a text in the place of so many characters; gives the seconds until the diagnostics of this version."""
        self._version += 1
        place, end = ({"line": line, "character": column + size} for size in (0, instead))
        change = {"range": {"start": place, "end": end}, "text": text}
        begun = time.perf_counter()
        document = {"uri": uri, "version": self._version}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        while True:
            found = self._read()
            given = found.get("params", {})
            if found.get("method") == PUBLISHED and (given["uri"], given.get("version")) == (uri, self._version):
                return time.perf_counter() - begun

    def ask(self, method: str, params: object) -> Any:
        """The result of a request."""
        self._number += 1
        self._write({"id": self._number, "method": method, "params": params})
        while True:
            found = self._read()
            if found.get("id") == self._number and "method" not in found:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]

    def tell(self, method: str, params: object) -> None:
        """Send a notification."""
        self._write({"method": method, "params": params})

    def memory(self) -> float:
        """The resident memory in MiB (Linux)."""
        with open(f"/proc/{self._process.pid}/statm", encoding="ascii") as handle:
            return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)

    def end(self) -> None:
        """Shut the server down, and wait for its end."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        self._process.communicate()

    def _write(self, message: Mapping[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._input.flush()

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self._output.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        found: dict[str, Any] = json.loads(self._output.read(length))
        return found
