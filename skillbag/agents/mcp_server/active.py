"""The active skills of a server, which all its clients share.

Nothing of the runtime is imported where no active skill is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from skillbag.agents.hosts.active_skills import door_request, has_active_skills
from skillbag.agents.hosts.guards import UNKNOWN, known_guards, recorded_guards
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.tool import own_names
from skillbag.kernel.base.errors import UserError, format_error

if TYPE_CHECKING:
    from skillbag.agents.tools.active_tools import ActiveTools
    from skillbag.runtime.activation.request import Turn
    from skillbag.runtime.sessions.hot_reload import HotReload
    from skillbag.runtime.sessions.runtime import Runtime

_WINDOW = 60.0
"""Seconds that count as a turn: the protocol has no messages of a user."""


class ServerRuntime:
    """The runtime of a server, opened when tools are first asked for. Call its methods in threads."""

    def __init__(self, scope: Scope, remark: Callable[[str], None]) -> None:
        """`scope` has the session; `remark` gets sentences for the user."""
        self._scope = scope
        self._remark = remark
        self._lock = threading.Lock()
        self._tools: ActiveTools | None = None
        self._hot_reload: HotReload | None = None
        self.refusal = ""
        """Why no tool may be called: the runtime can't be used, and the session has guards."""
        self.changes = 0
        """How many changes of the skills on the disk were seen."""

    def tools(self) -> ActiveTools | None:
        """The tools of active skills, as these are on the disk now; None if no skill can be active, or the runtime
        can't be used."""
        with self._lock:
            guards: tuple[str, ...] = ()
            # Other threads read `refusal` meanwhile.
            refusal = UNKNOWN if self._hot_reload is None else ""
            try:
                if self._hot_reload is not None:
                    self._reload(self._hot_reload)
                else:
                    guards = recorded_guards(self._scope)
                    refusal = _refusal(guards)
                    if guards or has_active_skills(self._scope):
                        self._tools, refusal = self._opened(), ""
                    elif self._scope.problem and known_guards(own=False):
                        raise UserError(self._scope.problem)
            except (UserError, OSError) as error:
                self._remark(f"active skills can't be used: {format_error(error)}")
                self._tell_ways_out(guards)
                if self._tools is None and not refusal:
                    refusal = UNKNOWN
                    refusal = _refusal(known_guards(own=False))
            finally:
                self.refusal = refusal
            return self._tools

    def close(self) -> None:
        """Deactivate all skills."""
        with self._lock:
            if self._tools:
                self._tools.runtime.close()

    def _opened(self) -> ActiveTools:
        from skillbag.agents.mcp_server.asking import ask, complete, confirm
        from skillbag.agents.tools.active_tools import ActiveTools
        from skillbag.runtime.sessions.hot_reload import HotReload
        from skillbag.runtime.sessions.resumption import resume_guards
        from skillbag.runtime.sessions.runtime import Runtime

        request, fault = door_request(self._scope, "mcp")
        if fault:
            self._remark(fault)
        request = request._replace(window=_WINDOW, foreign_tools=own_names(), ask=ask, confirm=confirm)
        # The command of the user's settings comes first: the user chose it for skills.
        runtime = Runtime(request._replace(completer=request.completer or complete))
        resume_guards(runtime)
        turn = runtime.trigger()
        self._tell(runtime, turn)
        self._hot_reload = HotReload(runtime, turn.failed)
        return ActiveTools(runtime, "mcp")

    def _reload(self, hot_reload: HotReload) -> None:
        turn = hot_reload.reload()
        if turn is not None and self._tools is not None:
            self.changes += 1
            self._tell(self._tools.runtime, turn)

    def _tell(self, runtime: Runtime, turn: Turn) -> None:
        from skillbag.runtime.broker.questions import sentence_for_hosts

        for skill, reason in turn.failed.items():
            self._remark(f'the skill "{skill}" is not active: {reason}')
        for question in turn.questions:
            self._remark(sentence_for_hosts(question))
        for remark in runtime.remarks:
            self._remark(remark)
        self._tell_ways_out(runtime.skills.lost.guards)

    def _tell_ways_out(self, guards: Collection[str]) -> None:
        """Tell the user how calls pass again: this server reads its session only when it starts."""
        from skillbag.runtime.hooks.guards import ways_out

        for sentence in ways_out(guards, self._scope.session):
            self._remark(f"{sentence} Then restart this server.")


def _refusal(guards: tuple[str, ...]) -> str:
    if not guards:
        return ""
    from skillbag.runtime.hooks.guards import can_t_ask

    return can_t_ask(guards)
