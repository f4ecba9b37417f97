"""What active skills ask of the client whose call is running: questions to its user, and completions of its model."""

from __future__ import annotations

import anyio
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    SamplingCapability,
    SamplingMessage,
    TextContent,
)
from pydantic import ValidationError

from skillbag.agents.mcp_server.eliciting import Context, client_that_can, elicited
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.activation.request import ToolRequest
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.questions import PermissionQuestion, question_text
from skillbag.runtime.errors import RuntimeFaultError, TimeLimitError
from skillbag.runtime.hooks.guards import ending
from skillbag.runtime.printable import input_text, printable

COMPLETION_SECONDS = 300.0
"""Limit of one completion by a client, in seconds: its user may be asked first."""

_MAX_TOKENS = 8192
_SHOWN = 300


def ask(question: PermissionQuestion) -> ApprovalScope | None:
    """Ask the client's user for permissions (`RuntimeRequest.ask`). Call it in the thread of a request."""
    answer = elicited(question_text(question), list(map(str, question.scopes)))
    return ApprovalScope(answer) if answer in question.scopes else None


def confirm(request: ToolRequest) -> bool:
    """Ask the client's user whether a tool may be called (`RuntimeRequest.confirm`). As `ask`."""
    asks = f'The tool "{request.tool}" of the skill "{request.skill}" asks before each call.'
    text = printable(f"An agent asks for {ending(request.ends)}." if request.ends else asks)
    return elicited(f"{text} Input: {input_text(request.value)}", ["allow", "deny"]) == "allow"


def complete(prompt: str) -> str:
    """Let the client's model complete a prompt (`RuntimeRequest.completer`; skill runtime, section 17, Q9). As `ask`.

    Raises:
        RuntimeFaultError: the client can't, or does not want to. TimeLimitError: it took too long.
    """
    context = client_that_can(ClientCapabilities(sampling=SamplingCapability()))
    if context is None:
        raise RuntimeFaultError("no LLM completer configured: set `llm.command`, or use an MCP client with sampling")
    try:
        result = anyio.from_thread.run(_sampled, context, prompt)
    except TimeoutError:
        raise TimeLimitError(f"the MCP client did not complete the prompt within {COMPLETION_SECONDS:g} s") from None
    except MCPError as error:
        said = printable(mask(error.message)[:_SHOWN])
        raise RuntimeFaultError(f"the MCP client did not complete the prompt: {said}") from None
    except ValidationError:
        raise RuntimeFaultError("the MCP client's completion is not in the form of the protocol") from None
    if not isinstance(result.content, TextContent):
        raise RuntimeFaultError(f"the MCP client completed the prompt with {result.content.type}, which is no text")
    return result.content.text


async def _sampled(context: Context, prompt: str) -> CreateMessageResult:
    messages = [SamplingMessage(role="user", content=TextContent(text=prompt))]
    parameters = CreateMessageRequestParams(messages=messages, max_tokens=_MAX_TOKENS)
    with anyio.fail_after(COMPLETION_SECONDS):
        return await context.session.send_request(
            CreateMessageRequest(params=parameters),
            CreateMessageResult,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
