"""Servers as forks of this process, which has imported the SDK already: that takes a new process a second."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import filelock  # noqa: F401
import uvicorn.protocols.http.h11_impl  # noqa: F401
import watchfiles  # noqa: F401
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from tests.forked import become


class Forked:
    """`skillbag ARGUMENTS` as the leader of a session, with what tests use of `subprocess.Popen`."""

    def __init__(self, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        stdin, stdout, stderr = os.pipe(), os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.setsid()
            become(arguments, variables, (stdin[0], stdout[1], stderr[1]))
        for end in (stdin[0], stdout[1], stderr[1]):
            os.close(end)
        self.stdin, self.stdout = os.fdopen(stdin[1], "wb"), os.fdopen(stdout[0], "rb")
        self.stderr = os.fdopen(stderr[0], "rb")
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code

    def wait(self, seconds: float = 300) -> int:
        until = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("skillbag", seconds)
            time.sleep(0.005)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@asynccontextmanager
async def over_pipes(server: Forked) -> AsyncIterator[Any]:
    """What the SDK's client connects by: as its `stdio_client`, which starts a new process."""
    arriving, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sending, leaving = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        async with arriving:
            while line := await anyio.to_thread.run_sync(server.stdout.readline):
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                # Once the client has ended, the server writes its last answers to nobody.
                with suppress(anyio.BrokenResourceError):
                    await arriving.send(SessionMessage(message))

    async def write() -> None:
        async with leaving:
            async for message in leaving:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                server.stdin.write(line.encode() + b"\n")
                server.stdin.flush()
        server.stdin.close()

    async with anyio.create_task_group() as group, messages:
        group.start_soon(read)
        group.start_soon(write)
        async with sending:
            yield messages, sending
