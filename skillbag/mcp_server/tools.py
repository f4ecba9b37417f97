"""The tools, listed and called over the protocol."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Announced

from skillbag.base.errors import UserError, format_error
from skillbag.mcp_server.core import Context, Core, internal, log
from skillbag.report.sanitize import exact
from skillbag.settings.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillbag.agent.tools import Result, Tool

_SCRIPTS = "run_skill_script"
"""It may change anything, and takes as long as it takes: nothing waits for it."""

_MARKETPLACE, _CHANGES = "skill_marketplace", ("install", "remove")
"""What else it does changes nothing."""


class Tools:
    """The handlers of `tools/list` and `tools/call`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        """All tools on one page: a client that asks for no second one must not miss any."""
        offer = await self._core.ask(context, self._core.offer)
        self._core.changes.note_listed(offer)
        return ListToolsResult(tools=[_announced(tool) for tool in offer.tools])

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """What the tool gives. A failure is a result that says so; what can't be a call is the protocol's error."""
        from skillbag.agent.tools import BadArgumentsError, UnknownToolError

        try:
            return _succeeded(await self._called(self._core.scope_of(context), params.name, params.arguments or {}))
        except (UnknownToolError, BadArgumentsError) as error:
            raise MCPError(INVALID_PARAMS, exact(str(error))) from error
        except (UserError, OSError) as error:
            return _failed(f"Error: {exact(format_error(error))}")
        except Exception as error:
            log.exception("the tool %s failed", ascii(params.name[:80]))
            return _failed(internal(error))

    async def _called(self, scope: Scope, name: str, arguments: dict[str, Any]) -> Result:
        from skillbag.agent.tools import call_tool

        work = partial(call_tool, scope, name, arguments)
        if name == _SCRIPTS:
            return await self._core.threads.script(work)
        if name not in self._writers or (name == _MARKETPLACE and arguments.get("action") not in _CHANGES):
            return await self._core.threads.read(work)
        try:
            return await self._core.threads.write(work)
        finally:
            self._core.changes.look_soon()

    @cached_property
    def _writers(self) -> frozenset[str]:
        """Our own tools that change files; those of skills do not."""
        from skillbag.agent.tools import offered_tools

        return frozenset(tool.name for tool in offered_tools(Scope(None, None)).tools if tool.writes)


def _announced(tool: Tool) -> Announced:
    return Announced(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize() if tool.skill is None else f"Skill: {tool.skill}",
        description=exact(tool.description),
        input_schema=dict(tool.parameters),
        output_schema=_wrapped(tool.result),
        annotations=ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=tool.destroys),
    )


def _wrapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The protocol's structured results are objects: anything else is the value of `result`."""
    if schema.get("type") == "object":
        return dict(schema)
    return {"type": "object", "properties": {"result": dict(schema)}, "required": ["result"]}


def _succeeded(result: Result) -> CallToolResult:
    structured = result.value if isinstance(result.value, dict) else {"result": result.value}
    return CallToolResult(content=[TextContent(text=result.text)], structured_content=structured)


def _failed(told: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=told)], is_error=True)
