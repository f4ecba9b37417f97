"""The client whose request is running, questions to its user, and what an installation asks through them."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types import (
    ClientCapabilities,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestedSchema,
    ElicitRequestFormParams,
    ElicitResult,
)
from pydantic import ValidationError

from skillbag.agents.mcp_server.open_calls import Answers, UnansweredError

if TYPE_CHECKING:
    from skillbag.supply.install.confirmation import Prompter
    from skillbag.supply.install.outcome import Outcome, Problem

Context = ServerRequestContext[Any, Any]

log = logging.getLogger(__name__)

_MAX_SHOWN = 20_000
"""Characters of a plan that a question shows."""

_current: ContextVar[Context | None] = ContextVar("client", default=None)
_answers: ContextVar[Answers | None] = ContextVar("answers", default=None)


@contextmanager
def asking(context: Context, answers: Answers | None = None) -> Iterator[None]:
    """Within the block, also in threads that it waits for, this client is asked. `answers` are those that the call has
    brought with it; None if it can't come again."""
    tokens = _current.set(context), _answers.set(answers)
    try:
        yield
    finally:
        _current.reset(tokens[0])
        _answers.reset(tokens[1])


def client_that_can(capability: ClientCapabilities) -> Context | None:
    """The client, if there is one and it has the capability."""
    context = _current.get()
    return context if context and context.session.check_client_capability(capability) else None


def client_prompter() -> Prompter | None:
    """What asks the client's user about an installation; None if the client can't ask."""
    if client_that_can(ClientCapabilities(elicitation=ElicitationCapability())) is None:
        return None
    from skillbag.supply.install.confirmation import Prompter

    def agreed(text: str, question: str) -> bool:
        rest = "\n… and more, which is not shown" if len(text) > _MAX_SHOWN else ""
        return elicited(f"{text[:_MAX_SHOWN]}{rest}\n{question}", ["no", "yes"]) == "yes"

    def plan(outcome: Outcome) -> bool:
        from skillbag.report.outcome_text import render_text

        return agreed(render_text(outcome, planned=True), "Go ahead?")

    def problem(found: Problem) -> bool:
        from skillbag.report.outcome_text import render_question

        return agreed(render_question(found), "Do you agree?")

    return Prompter(True, plan, problem, problem)


def elicited(text: str, answers: list[str]) -> str | None:
    """The choice of the client's user; None if nobody can be asked, or nobody chose. Call it in a request's thread.

    Raises:
        UnansweredError: the client is asked when the call has ended, which comes again then.
    """
    context = client_that_can(ClientCapabilities(elicitation=ElicitationCapability()))
    if context is None:
        return None
    choice = {"type": "string", "title": "Answer", "enum": answers}
    schema: ElicitRequestedSchema = {"type": "object", "properties": {"answer": choice}, "required": ["answer"]}
    brought = _answers.get()
    if brought and text in brought:
        return brought[text] or None
    params = ElicitRequestFormParams(message=text, requested_schema=schema)
    try:
        result = anyio.from_thread.run(_answered, context, params)
    except NoBackChannelError:
        if brought is None:
            return None
        raise UnansweredError(params) from None
    except (MCPError, ValidationError):
        return None
    except (AttributeError, TypeError) as error:
        # The SDK's channel is private: a release may change it.
        log.warning("no person can be asked with this version of the package mcp: %s", error)
        return None
    given = (result.content or {}).get("answer") if result.action == "accept" else None
    return given if isinstance(given, str) else None


async def _answered(context: Context, params: ElicitRequestFormParams) -> ElicitResult:
    """The client's answer to a request whose id nobody knows before. The SDK counts its requests, so that whoever
    writes all lines of a client in advance could answer them; only its channel takes an id."""
    request = ElicitRequest(params=params).model_dump(by_alias=True, mode="json", exclude_none=True)
    channel = context.session._request_outbound
    name = f"ask-{secrets.token_hex(8)}"
    raw = await channel.send_raw_request(request["method"], request["params"], {"request_id": name})
    return ElicitResult.model_validate(raw, by_name=False)
