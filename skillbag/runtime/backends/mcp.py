"""The `mcp` backend: the tools of an MCP server that the user has configured (skill runtime, section 7.3).

The server is reached through the SDK, in a thread with an event loop of its own. Needs the extra `mcp`.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures import wait as wait_for
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from skillbag.kernel.base.cancellation import check_stop, on_stop
from skillbag.kernel.base.extras import to_install
from skillbag.kernel.base.time_limit import rest
from skillbag.kernel.processes.output_capture import CapturedOutput
from skillbag.kernel.processes.talking import KEPT
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.backends.answers import spec_fault
from skillbag.runtime.backends.backend import WITHDRAWN, CallKind, Launch, Registration, ToolOutput, ToolSpec
from skillbag.runtime.backends.child import LIMITS
from skillbag.runtime.errors import (
    BadParametersError,
    ChildError,
    NotFoundError,
    RuntimeFaultError,
    SkillUnavailableError,
    TimeLimitError,
)
from skillbag.runtime.skill import Json
from skillbag.runtime.triggers.settings import McpServer

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client
    from mcp_types import CallToolResult, Tool

CONNECT_LIMIT = 30.0
"""Seconds in which a server must be connected and have listed its tools."""

_END_LIMIT, _LEAST_END = 10.0, 1.0
_LONGEST_RESULT = 1 << 20
_MAX_TOOLS = 1000
_LONGEST_NAME = 64
_LONGEST_MESSAGE = 2000


class McpBackend:
    """Connects to one server; see `Backend`. A tool `T` of the server `NAME` is `mcp_NAME_T`."""

    def __init__(self, launch: Launch, server: McpServer) -> None:
        self._launch, self._server = launch, server
        self._names: dict[str, str] = {}
        self._session: _Session | None = None
        self._is_withdrawn = False

    def load(self) -> Registration:
        """Connect. Raises `ChildError` or `TimeLimitError`; nothing is left running then."""
        self._is_withdrawn = False
        self._session = session = _Session(self._server)
        try:
            tools = session.connect()
        except BaseException:
            self._session = None
            raise
        return Registration(tools=tuple(self._specs(tools)))

    def call(
        self, kind: CallKind, name: str, value: Json, *, number: int = 0, timeout: float | None = None
    ) -> ToolOutput:
        """Call a tool; there is nothing else."""
        if self._session is None:
            raise ChildError(self.failure or "the MCP server is not connected: the skill is not active")
        if not self._launch.still_granted():
            self._is_withdrawn = True
            self.unload()
            raise ChildError(WITHDRAWN)
        if kind is not CallKind.TOOL or name not in self._names:
            raise NotFoundError(f'the MCP server "{self._server.name}" has no {kind} {name}')
        if not isinstance(value, dict):
            raise BadParametersError(f"{name}: the input is no object")
        return _output(self._session.call(self._names[name], value, timeout or LIMITS[CallKind.TOOL]))

    def unload(self) -> None:
        """Disconnect, and end the server if it is a process. Raises `ChildError` if that takes too long."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    @property
    def failure(self) -> str | None:
        """Why the server can't be used any more; None while it can."""
        if self._is_withdrawn:
            return WITHDRAWN
        return self._session.failure if self._session else None

    def _specs(self, tools: list[Tool]) -> Iterator[ToolSpec]:
        self._names = {}
        for tool in tools:
            name = "mcp_" + re.sub(r"[^A-Za-z0-9_-]", "_", f"{self._server.name}_{tool.name}")
            if len(name) > _LONGEST_NAME or name in self._names:
                why = "is there twice" if name in self._names else f"is longer than {_LONGEST_NAME} characters"
                self._launch.remark(f"the tool {name[:100]} is left out: its name {why}")
                continue
            if fault := spec_fault(tool.description or "", tool.input_schema):
                self._launch.remark(f"the tool {name} is left out: {fault}")
                continue
            self._names[name] = tool.name
            yield ToolSpec(name, tool.description or "", tool.input_schema)


class _Session:
    """The connection with a server, in the thread of an event loop."""

    def __init__(self, server: McpServer) -> None:
        self._server = server
        self._resources = ExitStack()
        self._connected: Future[tuple[Client, list[Tool]]] = Future()
        self._log = CapturedOutput(KEPT)
        self._log_reader: threading.Thread | None = None
        self._ended: Future[None] = Future()
        self._client: Client | None = None
        self._is_lost = False
        self._end: Callable[[], None] = lambda: None

    def connect(self) -> list[Tool]:
        """Connect and list the tools."""
        try:
            from anyio.from_thread import start_blocking_portal
            from mcp import Client as _  # noqa: F401 - it is imported in the thread
        except ImportError as error:
            raise SkillUnavailableError(f"MCP servers need the MCP SDK: {to_install('mcp')}") from error
        with ExitStack() as resources:
            self._portal: BlockingPortal = resources.enter_context(start_blocking_portal())
            self._ended = self._portal.start_task_soon(self._serve)
            resources.callback(self._disconnect)
            try:
                self._client, tools = self._connected.result(rest(CONNECT_LIMIT))
            except FutureTimeoutError:
                raise TimeLimitError(f"{self._named()}: not connected within {CONNECT_LIMIT:g}s") from None
            self._resources = resources.pop_all()
        return tools

    def call(self, tool: str, value: Mapping[str, Any], limit: float) -> CallToolResult:
        """Call a tool within seconds."""
        if self.failure is not None or self._client is None:
            raise ChildError(self.failure or f"{self._named()}: it is not connected")
        future = self._portal.start_task_soon(self._client.call_tool, tool, dict(value))
        try:
            with on_stop(partial(_cancel, future)):
                result: CallToolResult = future.result(rest(limit))
                return result
        except FutureTimeoutError:
            future.cancel()
            raise TimeLimitError(f'call "{tool}": timeout after {limit:g}s') from None
        except Exception as error:
            # Of a stop there is nothing to tell.
            check_stop()
            raise self._fault(error) from error

    def close(self) -> None:
        """Disconnect."""
        self._resources.close()

    @property
    def failure(self) -> str | None:
        """Why the connection has ended; None while it lasts."""
        if not self._ended.done() and not self._is_lost:
            return None
        return f"{self._named()}: the connection has ended{self._last_words()}"

    def _fault(self, error: Exception) -> RuntimeFaultError:
        from mcp.shared.exceptions import MCPError
        from mcp_types import CONNECTION_CLOSED

        if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
            return RuntimeFaultError(f"{self._named()}: {_message(error)}")
        self._is_lost = True
        return ChildError(self.failure or "")

    def _disconnect(self) -> None:
        if self._ended.done():
            return
        if self._connected.done():
            self._portal.call(self._end)
        else:
            self._ended.cancel()
        if wait_for([self._ended], max(_LEAST_END, rest(_END_LIMIT))).not_done:
            self._ended.cancel()
            raise ChildError(f"{self._named()}: it did not end within {_END_LIMIT:g}s")

    async def _serve(self) -> None:
        """Hold the connection until the end is asked for."""
        import anyio
        from mcp import Client

        finish = anyio.Event()
        self._end = finish.set
        try:
            with self._transport() as transport:
                async with Client(transport) as client:
                    self._connected.set_result((client, await _listed(client)))
                    await finish.wait()
        except Exception as error:
            if not self._connected.done():
                # The server has ended, so its last words are on their way.
                if self._log_reader:
                    self._log_reader.join(_LEAST_END)
                fault = ChildError(f"{self._named()}: it can't be connected: {_message(error)}{self._last_words()}")
                self._connected.set_exception(fault)

    @contextmanager
    def _transport(self) -> Iterator[Any]:
        if self._server.url:
            from mcp.client.streamable_http import streamable_http_client

            yield streamable_http_client(self._server.url)
            return
        from mcp.client.stdio import StdioServerParameters, stdio_client

        program, *arguments = self._server.command
        parameters = StdioServerParameters(command=program, args=arguments, env=dict(self._server.environment))
        reader, writer = os.pipe()
        self._log_reader = threading.Thread(target=_drain, args=(reader, self._log), daemon=True)
        self._log_reader.start()
        with os.fdopen(writer, "w", encoding="utf-8") as log:
            yield stdio_client(parameters, errlog=log)

    def _named(self) -> str:
        return f'MCP server "{self._server.name}"'

    def _last_words(self) -> str:
        lines = [line.strip() for line in self._log.data.decode("utf-8", "replace").split("\n") if line.strip()]
        return f": {mask(lines[-1])[:300]}" if lines else ""


def _drain(reader: int, log: CapturedOutput) -> None:
    with open(reader, "rb", buffering=0) as stream:
        while data := stream.read(1 << 16):
            log.take(data)


def _cancel(future: Future[Any]) -> None:
    future.cancel()


async def _listed(client: Client) -> list[Tool]:
    tools: list[Tool] = []
    cursor = None
    while len(tools) < _MAX_TOOLS:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return tools[:_MAX_TOOLS]


def _output(result: CallToolResult) -> ToolOutput:
    """The texts of a result, or all of it as JSON."""
    import json

    texts = [block.text for block in result.content if block.type == "text"]
    if texts and len(texts) == len(result.content):
        content = "\n".join(texts)
    elif not result.content:
        content = "" if result.structured_content is None else json.dumps(result.structured_content, ensure_ascii=False)
    else:
        blocks = [block.model_dump(mode="json", exclude_none=True, by_alias=True) for block in result.content]
        content = json.dumps(blocks, ensure_ascii=False)
    if len(content) > _LONGEST_RESULT:
        return ToolOutput("the result is larger than 1 MiB", is_error=True)
    return ToolOutput(content, result.is_error)


def _message(error: BaseException) -> str:
    """What went wrong, of the innermost error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return mask(str(error) or type(error).__name__)[:_LONGEST_MESSAGE]
