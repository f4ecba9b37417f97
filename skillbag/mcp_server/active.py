"""The active skills of a server, which all its clients share.

Nothing of the runtime is imported where no active skill is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import anyio
from mcp.shared.exceptions import MCPError
from mcp_types import ClientCapabilities, ElicitationCapability, ElicitRequestedSchema

from skillbag.agent.active_skills import has_active_skills
from skillbag.agent.hosts.guards import recorded_guards
from skillbag.base.errors import UserError, format_error
from skillbag.settings.scope import Scope

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from skillbag.agent.active_tools import ActiveTools
    from skillbag.runtime.approvals import Scope as ApprovalScope
    from skillbag.runtime.questions import PermissionQuestion
    from skillbag.runtime.request import ToolRequest

_WINDOW = 60.0
"""Seconds that count as a turn: the protocol has no messages of a user."""

_client: ContextVar[ServerRequestContext[Any, Any] | None] = ContextVar("client", default=None)


class ActiveSkills:
    """The runtime of a server, opened when tools are first asked for. Call its methods in threads."""

    def __init__(self, scope: Scope, remark: Callable[[str], None]) -> None:
        """`scope` has the session; `remark` gets sentences for the user."""
        self._scope = scope
        self._remark = remark
        self._lock = threading.Lock()
        self._tools: ActiveTools | None = None
        self.is_known = False
        self.refusal = ""
        """Why no tool may be called: the runtime can't be used, and the session has guards."""

    @property
    def known(self) -> ActiveTools | None:
        """What `tools` has returned; does nothing."""
        return self._tools

    def tools(self) -> ActiveTools | None:
        """The tools of active skills; None if no skill can be active, or the runtime can't be used."""
        with self._lock:
            self.is_known = True
            if self._tools is None and ((guards := recorded_guards(self._scope)) or has_active_skills(self._scope)):
                try:
                    self._tools, self.refusal = self._opened(), ""
                except (UserError, OSError) as error:
                    self.refusal = _refusal(guards)
                    self._remark(f"active skills can't be used: {format_error(error)}")
            return self._tools

    def close(self) -> None:
        """Deactivate all skills."""
        with self._lock:
            if self._tools:
                self._tools.runtime.close()

    def _opened(self) -> ActiveTools:
        from skillbag.agent.active_skills import runtime_request
        from skillbag.agent.active_tools import ActiveTools, foreign_tools
        from skillbag.runtime.questions import sentence_for_hosts
        from skillbag.runtime.resumption import resume_guards
        from skillbag.runtime.runtime import Runtime

        request = runtime_request(self._scope, mode="mcp")
        taken = foreign_tools(self._scope)
        runtime = Runtime(request._replace(window=_WINDOW, foreign_tools=taken, ask=_ask, confirm=_confirm))
        resume_guards(runtime)
        turn = runtime.trigger()
        for skill, reason in turn.failed.items():
            self._remark(f'the skill "{skill}" is not active: {reason}')
        for question in turn.questions:
            self._remark(sentence_for_hosts(question, self._scope.session))
        for remark in runtime.remarks:
            self._remark(remark)
        return ActiveTools(runtime, "mcp")


def _refusal(guards: tuple[str, ...]) -> str:
    from skillbag.runtime.guards import can_t_ask

    return can_t_ask(guards) if guards else ""


@contextmanager
def asking(context: ServerRequestContext[Any, Any]) -> Iterator[None]:
    """Within the block, questions go to the user of this client, if the client can ask."""
    token = _client.set(context)
    try:
        yield
    finally:
        _client.reset(token)


def _ask(question: PermissionQuestion) -> ApprovalScope | None:
    from skillbag.runtime.approvals import Scope as ApprovalScope
    from skillbag.runtime.questions import question_text

    answer = _elicited(question_text(question), list(map(str, question.scopes)))
    return ApprovalScope(answer) if answer in question.scopes else None


def _confirm(request: ToolRequest) -> bool:
    from skillbag.runtime.printable import input_text, printable

    asked = printable(f'The tool "{request.tool}" of the skill "{request.skill}" asks before each call.')
    return _elicited(f"{asked} Input: {input_text(request.value)}", ["allow", "deny"]) == "allow"


def _elicited(text: str, answers: list[str]) -> str | None:
    """The user's choice; None if nobody can be asked, or nobody chose. Waits in the thread of a request."""
    context = _client.get()
    if context is None:
        return None
    capability = ClientCapabilities(elicitation=ElicitationCapability())
    if not context.session.check_client_capability(capability):
        return None
    choice = {"type": "string", "title": "Answer", "enum": answers}
    schema: ElicitRequestedSchema = {"type": "object", "properties": {"answer": choice}, "required": ["answer"]}
    try:
        result = anyio.from_thread.run(context.session.elicit_form, text, schema, context.request_id)
    except MCPError:
        return None
    given = (result.content or {}).get("answer") if result.action == "accept" else None
    return given if isinstance(given, str) else None
