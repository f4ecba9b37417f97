"""The tools, listed and called over the protocol."""

from __future__ import annotations

from functools import partial
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
from mcp_types import Tool as ToolDefinition

from skillbag.agent.registry import built_in_tools, call_tool
from skillbag.agent.tool import BadArgumentsError, Result, Tool, UnknownToolError
from skillbag.base.errors import UserError, format_error
from skillbag.mcp_server.core import Context, Core, internal, log
from skillbag.report.sanitize import exact

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillbag.settings.scope import Scope


class Tools:
    """The handlers of `tools/list` and `tools/call`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        """All tools on one page: some clients ask for no second one."""
        offer = await self._core.ask(context, self._core.offer)
        self._core.changes.note_listed(offer)
        return ListToolsResult(tools=[_definition(tool) for tool in offer.tools])

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Call a tool. Its failure is a result; an unknown tool or bad arguments are an error of the protocol."""
        try:
            return _succeeded(await self._call(self._core.scope_of(context), params.name, params.arguments or {}))
        except (UnknownToolError, BadArgumentsError) as error:
            raise MCPError(INVALID_PARAMS, exact(str(error))) from error
        except (UserError, OSError) as error:
            return _failed(f"Error: {exact(format_error(error))}")
        except Exception as error:
            log.exception("the tool %s failed", ascii(params.name[:80]))
            return _failed(internal(error))

    async def _call(self, scope: Scope, name: str, arguments: dict[str, Any]) -> Result:
        work = partial(call_tool, scope, name, arguments)
        # The tools of skills change no files.
        tool = built_in_tools(scope).get(name)
        if tool is None or not tool.changes_files(arguments):
            return await self._core.threads.read(work)
        if tool.runs_scripts:
            return await self._core.threads.script(work)
        try:
            return await self._core.threads.write(work)
        finally:
            self._core.changes.look_soon()


def _definition(tool: Tool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize() if tool.skill is None else f"Skill: {tool.skill}",
        description=exact(tool.description),
        input_schema=dict(tool.parameters),
        output_schema=_wrapped(tool.result),
        annotations=ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=tool.destroys),
    )


def _wrapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Structured results of the protocol are objects: anything else becomes the value of `result`."""
    if schema.get("type") == "object":
        return dict(schema)
    return {"type": "object", "properties": {"result": dict(schema)}, "required": ["result"]}


def _succeeded(result: Result) -> CallToolResult:
    structured = result.value if isinstance(result.value, dict) else {"result": result.value}
    return CallToolResult(content=[TextContent(text=result.text)], structured_content=structured)


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)
