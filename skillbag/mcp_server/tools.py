"""The tools, listed and called over the protocol; and skills as prompts, which return what `skill_NAME` returns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import mcp_types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, PaginatedRequestParams, TextContent

from skillbag.agent.registry import built_in_tools, call_tool
from skillbag.agent.skill_tools import PREFIX
from skillbag.agent.tool import BadArgumentsError, Offer, Result, Tool, UnknownToolError
from skillbag.base.errors import UserError, format_error
from skillbag.mcp_server.core import Context, Core, internal, log
from skillbag.personal.names import check_name
from skillbag.report.sanitize import exact
from skillbag.settings.scope import Scope

_ARGUMENTS = "arguments"


class Tools:
    """The handlers of `tools/list`, `tools/call`, `prompts/list` and `prompts/get`. A list has one page: some clients
    ask for no second one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def _offer(self, context: Context) -> Offer:
        offer = await self._core.ask(context, self._core.offer)
        self._core.changes.note_listed(offer)
        return offer

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> mcp_types.ListToolsResult:
        """All tools."""
        offer = await self._offer(context)
        return mcp_types.ListToolsResult(tools=[_definition(tool) for tool in offer.tools])

    async def call(self, context: Context, params: mcp_types.CallToolRequestParams) -> CallToolResult:
        """Call a tool. Its failure is a result; an unknown tool or bad arguments are an error of the protocol."""
        try:
            result = await self._call(self._core.scope_of(context), params.name, params.arguments or {})
        except (UnknownToolError, BadArgumentsError) as error:
            raise MCPError(INVALID_PARAMS, exact(str(error))) from error
        except (UserError, OSError) as error:
            return _failed(f"Error: {exact(format_error(error))}")
        except Exception as error:
            log.exception("the tool %s failed", ascii(params.name[:80]))
            return _failed(internal(error))
        structured = result.value if isinstance(result.value, dict) else {"result": result.value}
        return CallToolResult(content=[TextContent(text=result.text)], structured_content=structured)

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

    async def prompts(self, context: Context, params: PaginatedRequestParams | None) -> mcp_types.ListPromptsResult:
        """A prompt for each skill that has a tool."""
        offer = await self._offer(context)
        return mcp_types.ListPromptsResult(
            prompts=[_prompt(tool.skill, tool.description) for tool in offer.tools if tool.skill is not None]
        )

    async def prompt(self, context: Context, params: mcp_types.GetPromptRequestParams) -> mcp_types.GetPromptResult:
        """The skill's instructions, or the questions to answer first."""
        arguments = params.arguments or {}
        if arguments.keys() - {_ARGUMENTS}:
            raise MCPError(INVALID_PARAMS, f"a skill's prompt takes one argument, `{_ARGUMENTS}`")
        text = await self._core.ask(context, partial(_instructions, params.name, arguments))
        message = mcp_types.PromptMessage(role="user", content=TextContent(text=text))
        return mcp_types.GetPromptResult(messages=[message])


def _definition(tool: Tool) -> mcp_types.Tool:
    schema: Mapping[str, Any] = tool.result
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


def _prompt(skill: str, description: str) -> mcp_types.Prompt:
    label = "What the skill is to work on, and what to consider, in your words."
    argument = mcp_types.PromptArgument(name=_ARGUMENTS, description=label, required=False)
    return mcp_types.Prompt(name=skill, description=exact(description), arguments=[argument])


def _instructions(skill: str, arguments: dict[str, str], scope: Scope) -> str:
    check_name(skill)
    return call_tool(scope, PREFIX + skill, dict(arguments)).text
