"""Skills as prompts, which return what `skill_NAME` returns."""

from __future__ import annotations

from functools import partial

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
)

from skillbag.agent.registry import call_tool
from skillbag.mcp_server.core import Context, Core
from skillbag.personal.names import check_name
from skillbag.report.sanitize import exact
from skillbag.settings.scope import Scope

_ARGUMENTS = "arguments"


class Prompts:
    """The handlers of `prompts/list` and `prompts/get`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        """One for each skill that has a tool, on one page."""
        offer = await self._core.ask(context, self._core.offer)
        self._core.changes.note_listed(offer)
        return ListPromptsResult(
            prompts=[_prompt(tool.skill, tool.description) for tool in offer.tools if tool.skill is not None]
        )

    async def get(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """The skill's instructions, or the questions to answer first."""
        arguments = params.arguments or {}
        if arguments.keys() - {_ARGUMENTS}:
            raise MCPError(INVALID_PARAMS, f"a skill's prompt takes one argument, `{_ARGUMENTS}`")
        text = await self._core.ask(context, partial(_text, params.name, arguments))
        return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])


def _prompt(skill: str, description: str) -> Prompt:
    label = "What the skill is to work on or to heed, in your words."
    return Prompt(
        name=skill,
        description=exact(description),
        arguments=[PromptArgument(name=_ARGUMENTS, description=label, required=False)],
    )


def _text(name: str, arguments: dict[str, str], scope: Scope) -> str:
    check_name(name)
    return call_tool(scope, f"skill_{name}", dict(arguments)).text
