"""The tools, listed and called over the protocol."""

from __future__ import annotations

from functools import partial

import mcp_types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, PaginatedRequestParams, TextContent

from skillbag.agents.mcp_server.core import Context, Core, internal, log
from skillbag.agents.mcp_server.eliciting import asking, client_prompter
from skillbag.agents.mcp_server.open_calls import Answers, OpenCalls, UnansweredError
from skillbag.agents.tools.management_tools import prompting
from skillbag.agents.tools.registry import built_in_tools, call_tool
from skillbag.agents.tools.tool import BadArgumentsError, Shape, Tool, ToolFailedError, ToolResult, UnknownToolError
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.report.sanitize import exact


class ToolHandlers:
    """The handlers of `tools/list` and `tools/call`. A list has one page: some clients ask for no second one."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._open = OpenCalls()

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> mcp_types.ListToolsResult:
        """All tools."""
        offer = await self._core.listed(context)
        meta = {"skillbag/remarks": [exact(remark) for remark in offer.remarks]} if offer.remarks else None
        return mcp_types.ListToolsResult(tools=[_definition(tool) for tool in offer.tools], _meta=meta)

    async def call(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> CallToolResult | mcp_types.InputRequiredResult:
        """Call a tool. Its failure is a result; an unknown tool or bad arguments are an error of the protocol."""
        answers = self._open.answers(params)
        try:
            result = await self._call(context, params.name, params.arguments or {}, answers)
        except UnansweredError as question:
            return self._open.ask(params, answers, question)
        except (UnknownToolError, BadArgumentsError) as error:
            raise MCPError(INVALID_PARAMS, exact(str(error))) from error
        except ToolFailedError as error:
            return _failed(exact(str(error)))
        except (UserError, OSError) as error:
            return _failed(f"Error: {exact(format_error(error))}")
        except Exception as error:
            log.exception("the tool %s failed", ascii(params.name[:80]))
            return _failed(internal(error))
        structured = result.value if isinstance(result.value, dict) else {"result": result.value}
        texts = filter(None, (result.text, result.note))
        return CallToolResult(content=[TextContent(text=each) for each in texts], structured_content=structured)

    async def _call(self, context: Context, name: str, arguments: CallInput, answers: Answers) -> ToolResult:
        scope, active = self._core.scope_of(context), self._core.active
        seen = active.changes
        more = await self._core.threads.read(active.tools)
        if active.changes != seen:
            self._core.changes.look_soon()
        if active.refusal:
            raise ToolFailedError(active.refusal)
        work = partial(call_tool, scope, name, arguments, more)
        own = built_in_tools(scope).get(name)
        tool = own or (more.find(name) if more else None)
        # Hooks of active skills may ask, around any tool.
        with asking(context, answers), prompting(client_prompter()):
            # `skill_NAME` changes no files.
            if tool is None or not tool.changes_files(arguments):
                return await self._core.threads.read(work)
            try:
                if tool.runs_scripts:
                    return await self._core.threads.script(work)
                return await self._core.threads.write(work)
            finally:
                if own is None or not tool.runs_scripts:
                    self._core.changes.look_soon()


def _definition(tool: Tool) -> mcp_types.Tool:
    schema: Shape = tool.result
    if schema.get("type") != "object":
        # Structured results of the protocol are objects: anything else becomes the value of `result`.
        schema = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    return mcp_types.Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize() if tool.skill is None else f"Skill: {tool.skill}",
        description=exact(tool.description),
        input_schema=dict(tool.parameters),
        output_schema=dict(schema),
        annotations=mcp_types.ToolAnnotations(read_only_hint=not tool.writes, destructive_hint=tool.destroys),
    )


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)
