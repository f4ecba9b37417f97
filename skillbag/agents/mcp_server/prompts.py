"""Prompts over the protocol: skills, which return what `skill_NAME` returns, and what active skills offer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

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

from skillbag.agents.mcp_server.core import Context, Core
from skillbag.agents.personal.names import PREFIX, check_name
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import call_tool
from skillbag.agents.tools.tool import OfferedTools, ToolFailedError
from skillbag.report.sanitize import exact

if TYPE_CHECKING:
    from skillbag.agents.tools.active_prompts import ActivePrompt

_ARGUMENTS = "arguments"


class Prompts:
    """The handlers of `prompts/list` and `prompts/get`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(self, context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        """A prompt for each skill that has a tool, then those of active skills."""
        offer = await self._core.listed(context)
        prompts = [_of_skill(tool.skill, tool.description) for tool in offer.tools if tool.skill is not None]
        active = await self._core.ask(context, lambda scope: self._active(offer))
        return ListPromptsResult(prompts=[*prompts, *map(_of_active, active)])

    async def get(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        """The instructions, or the questions to answer first."""
        arguments = params.arguments or {}
        text = await self._core.ask(context, partial(self._text, params.name, arguments))
        message = PromptMessage(role="user", content=TextContent(text=text))
        return GetPromptResult(messages=[message])

    def _active(self, offer: OfferedTools) -> tuple[ActivePrompt, ...]:
        more = self._core.active.tools()
        if more is None:
            return ()
        from skillbag.agents.tools.active_prompts import active_prompts

        return active_prompts(more.runtime, {tool.skill for tool in offer.tools if tool.skill is not None})

    def _text(self, name: str, arguments: dict[str, str], scope: Scope) -> str:
        for prompt in self._active(self._core.offer(scope)) if self._core.active.tools() else ():
            if prompt.name == name:
                return exact(prompt.filled(arguments))
        if arguments.keys() - {_ARGUMENTS}:
            raise MCPError(INVALID_PARAMS, f"a skill's prompt takes one argument, `{_ARGUMENTS}`")
        check_name(name)
        more = self._core.active.tools()
        if self._core.active.refusal:
            raise ToolFailedError(self._core.active.refusal)
        return call_tool(scope, PREFIX + name, dict(arguments), more).full_text


def _of_skill(skill: str, description: str) -> Prompt:
    label = "What the skill is to work on, and what to consider, in your words."
    argument = PromptArgument(name=_ARGUMENTS, description=label, required=False)
    return Prompt(name=skill, description=exact(description), arguments=[argument])


def _of_active(prompt: ActivePrompt) -> Prompt:
    arguments = [
        PromptArgument(name=each.name, description=exact(each.description), required=each.required)
        for each in prompt.arguments
    ]
    return Prompt(name=prompt.name, description=exact(prompt.description), arguments=arguments)
