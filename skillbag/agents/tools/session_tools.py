"""The tools of active skills in one of many short processes of a session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillbag.agents.hosts.active_skills import door_request, has_active_skills
from skillbag.agents.hosts.guards import recorded_guards
from skillbag.agents.settings.scope import Scope

if TYPE_CHECKING:
    # Nothing of the runtime is imported where no active skill is.
    from skillbag.agents.tools.active_tools import ActiveTools


@contextmanager
def session_tools(scope: Scope, door: str) -> Iterator[ActiveTools | None]:
    """The tools at a door that is a mode, too; None where no skill can be active, and the session has no guard. What
    was active in the session is active, and what the workspace triggers.

    Raises:
        UserError, OSError: the settings or the session can't be used.
    """
    if not has_active_skills(scope) and not recorded_guards(scope):
        yield None
        return
    from skillbag.agents.tools.active_tools import ActiveTools, foreign_tools
    from skillbag.runtime.sessions.resumption import resumed
    from skillbag.runtime.sessions.runtime import Runtime

    request, _ = door_request(scope, door)
    runtime = Runtime(request._replace(foreign_tools=foreign_tools(scope)))
    with resumed(runtime):
        runtime.trigger()
        yield ActiveTools(runtime, door)
