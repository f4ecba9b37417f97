"""A workspace with skills, and `skillbag agent mcp` in it: as a process that speaks lines of JSON, and over HTTP."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from skillbag.kernel.documents.catalog import render
from tests.agents.mcp_server.forked import Forked, over_pipes
from tests.processes import ids_in
from tests.supply.install.worlds import ENTRYPOINT, make_source, write

PNG = b"\x89PNG\r\n\x1a\n\0\xff"
SCRIPT = '#!/bin/sh\necho "said $1"\ncat\n'
SLOW = "#!/bin/sh\necho $$ > started\nsleep 1000\n"
ASKING = """# Ask

## Parameters

```yaml
required:
  - name: target
```

Do it.
"""


def skill_text(name: str, body: str = "Read the file.") -> str:
    return f"---\nname: {name}\ndescription: Does what {name} does. Use when {name} is named.\n---\n\n{body}\n"


def make_world(folder: Path, more: Iterable[str] = ()) -> Path:
    """A workspace in `folder/ws` with the skills `aa`, `ask` and `more`; a source in `folder/market`; settings."""
    names = sorted(["aa", "ask", *more])
    workspace = write(
        folder / "ws",
        {
            "SKILLBAG.md": ENTRYPOINT,
            ".skills/SKILLS.md": render((name, f"Does what {name} does.") for name in names),
            **{f".skills/{name}/SKILL.md": skill_text(name) for name in names},
            ".skills/ask/SKILL.md": skill_text("ask", ASKING),
            ".skills/aa/references/guide.md": "# Guide\n",
            ".skills/aa/assets/dot.png": PNG,
            ".skills/aa/scripts/say.sh": SCRIPT,
            ".skills/aa/scripts/slow.sh": SLOW,
        },
    )
    for script in (workspace / ".skills/aa/scripts").iterdir():
        script.chmod(0o755)
    make_source(folder / "market", ["fill-pdf", "tidy-up"])
    write(folder / "own" / "mine", {"SKILL.md": skill_text("mine")})
    sources = [{"name": "market", "address": str(folder / "market")}]
    settings = {"version": 1, "marketplace": {"sources": sources}}
    write(folder / "config", {"settings.json": json.dumps(settings)})
    return workspace


def environment(folder: Path) -> dict[str, str]:
    """One whose user's folders lie in `folder`."""
    named = {f"SKILLBAG_{name.upper()}_DIR": str(folder / name) for name in ("cache", "state", "config", "personal")}
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKILLBAG_")}
    return {**clean, **named}


def command(workspace: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "skillbag", *arguments_of(workspace, *options)]


def arguments_of(workspace: Path, *options: str) -> list[str]:
    return ["agent", "mcp", "--workspace", str(workspace), *options]


class Pipe:
    """A server over pipes, spoken to in lines; a process of its own where it needs the path of modules at its start."""

    def __init__(self, folder: Path, *options: str, reads: bool = True, **variables: str) -> None:
        environ = {**environment(folder), **variables}
        self.process: subprocess.Popen[bytes] | Forked
        if "PYTHONPATH" in variables:
            self.process = subprocess.Popen(
                command(folder / "ws", *options),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environ,
            )
        else:
            self.process = Forked(arguments_of(folder / "ws", *options), environ)
        self._ids = itertools.count(1)
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._kept: dict[Any, dict[str, Any]] = {}
        self.notified: list[str] = []
        self.errors = bytearray()
        threading.Thread(target=self._drain, daemon=True).start()
        if reads:
            self.read_on()

    def read_on(self) -> None:
        """Begin to read what the server answers."""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _drain(self) -> None:
        assert self.process.stderr
        while data := self.process.stderr.read1(65536):  # type: ignore[attr-defined]
            self.errors += data

    def raw(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: Mapping[str, Any] | None = None, **more: Any) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}, **more}).encode() + b"\n")

    def shake_hands(self, version: str = "2025-06-18") -> dict[str, Any]:
        """The handshake of the earlier era."""
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = self.ask("initialize", params)
        self.send("notifications/initialized")
        return answer

    def start(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Ask, and don't wait; the id of what was asked."""
        number = next(self._ids)
        self.send(method, params, id=number)
        return number

    def ask(self, method: str, params: Mapping[str, Any] | None = None, wait: float = 300) -> dict[str, Any]:
        """The answer to a request: the whole message."""
        return self.answer(self.start(method, params), wait)

    def answer(self, number: object, wait: float = 300) -> dict[str, Any]:
        """The answer to what was asked by this id."""
        until = time.monotonic() + wait
        while number not in self._kept:
            message = self._lines.get(timeout=max(0.01, until - time.monotonic()))
            if message is None:
                raise EOFError(self.errors.decode(errors="replace"))
            if "method" in message:
                self.notified.append(message["method"])
            else:
                self._kept[message["id"]] = message
        return self._kept.pop(number)

    def tool(self, name: str, arguments: Mapping[str, Any] | None = None, wait: float = 300) -> dict[str, Any]:
        """The result of a tool."""
        result: dict[str, Any] = self.ask("tools/call", {"name": name, "arguments": arguments or {}}, wait)["result"]
        return result

    def hear(self, seconds: float) -> list[str]:
        """The notifications that came until now and within these seconds."""
        until = time.monotonic() + seconds
        with contextlib.suppress(queue.Empty):
            while (left := until - time.monotonic()) > 0:
                message = self._lines.get(timeout=left)
                if message is not None and "method" in message:
                    self.notified.append(message["method"])
        return self.notified

    def end(self, wait: float = 300) -> int:
        """Close its input; its exit code."""
        assert self.process.stdin
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        return self.process.wait(wait)


@contextlib.contextmanager
def pipe(folder: Path, *options: str, reads: bool = True, **variables: str) -> Iterator[Pipe]:
    """A server over pipes that is dead afterwards, however the block ends."""
    server = Pipe(folder, *options, reads=reads, **variables)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


class Door(NamedTuple):
    """A server over HTTP: its address, and the file of its token."""

    url: str
    file: Path

    @property
    def headers(self) -> dict[str, str]:
        """What its clients send."""
        return {"Authorization": f"Bearer {self.file.read_text().strip()}"}

    def client(self, **more: Any) -> httpx2.Client:
        """A client that has the token."""
        return httpx2.Client(**{"timeout": 300, **more}, trust_env=False, headers=self.headers)

    def transport(self) -> Any:
        """What the SDK's client connects by."""
        return streamable_http_client(self.url, http_client=create_mcp_http_client(headers=self.headers))


@contextlib.contextmanager
def over_http(folder: Path, *options: str) -> Iterator[Door]:
    """A server over HTTP."""
    process = Forked(arguments_of(folder / "ws", *options, "--http", "0"), environment(folder))
    try:
        line = process.stderr.readline().decode()
        found = re.search(r"http://\S+", line)
        assert found, line
        path = re.search(r"the token is in (.+)$", process.stderr.readline().decode())
        assert path
        said: list[bytes] = []
        drain = threading.Thread(target=lambda: said.append(process.stderr.read()), daemon=True)
        drain.start()
        yield Door(found[0], Path(path[1]))
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(300) == 0
    drain.join(60)
    assert b"Traceback" not in b"".join(said), said


def with_client(
    tmp_path: Path, transport: str, mode: str, use: Callable[[Client], Awaitable[None]], *options: str, **more: Any
) -> None:
    """Connect a client to a server in the world of `tmp_path`, and use it; `more` is for the client.

    The transport is `http`, `stdio` of a fork, or `process` for the SDK's own start of a process.
    """

    async def started() -> None:
        name, *arguments = command(tmp_path / "ws", *options)
        parameters = StdioServerParameters(command=name, args=arguments, env=environment(tmp_path))
        async with Client(stdio_client(parameters, sys.__stderr__ or sys.stderr), mode=mode, **more) as client:
            await use(client)

    async def connected(door: Door) -> None:
        async with Client(door.transport(), mode=mode, **more) as client:
            await use(client)

    async def forked(server: Forked) -> None:
        async with Client(over_pipes(server), mode=mode, **more) as client:
            await use(client)

    if transport == "process":
        anyio.run(started)
    elif transport == "stdio":
        with served(tmp_path, *options) as server:
            anyio.run(forked, server)
    else:
        with over_http(tmp_path, *options) as door:
            anyio.run(connected, door)


@contextlib.contextmanager
def served(folder: Path, *options: str) -> Iterator[Forked]:
    """A server over pipes that ends well once its input has ended."""
    server = Forked(arguments_of(folder / "ws", *options), environment(folder))
    said: list[bytes] = []
    drain = threading.Thread(target=lambda: said.append(server.stderr.read()), daemon=True)
    drain.start()
    try:
        yield server
        assert server.wait(300) == 0
    finally:
        server.kill()
    drain.join(60)
    assert b"Traceback" not in b"".join(said), said


def slow_script(workspace: Path) -> int:
    """The process of `slow.sh` of the skill `aa`, once it has started."""
    return ids_in(workspace / ".skills/aa/started")[0]
