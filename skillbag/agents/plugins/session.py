"""The session of a host of plugins, which is many short processes: its id where the host names none, and the tools of
its active skills."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillbag.agents.hosts.active_skills import door_request, has_active_skills
from skillbag.agents.hosts.guards import recorded_guards
from skillbag.agents.settings.scope import Scope

if TYPE_CHECKING:
    # Nothing of the runtime is imported where no active skill is.
    from skillbag.agents.tools.active_tools import ActiveTools

MODE = "plugin"
"""Of triggers, and the name of the door."""


def host_session() -> str:
    """An id of the parent process, which is the same at each of its calls and is not reused."""
    parent = os.getppid()
    return f"host-{parent}-{_start_of(parent)}"


def _start_of(process: int) -> str:
    """When a process started, in any unit. Process ids are reused; a pair of id and start is not."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            # The name of the program comes second, in parentheses, and may hold anything.
            fields = file.read().rpartition(b")")[2].split()
        return fields[19].decode("ascii")
    except (OSError, IndexError):
        return _start_by_ps(process)


def _start_by_ps(process: int) -> str:
    import subprocess

    try:
        result = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(process)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=5,
            env={**os.environ, "LC_ALL": "C", "TZ": "UTC"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return "-".join(result.stdout.split()) or "unknown"


@contextmanager
def session_tools(scope: Scope) -> Iterator[ActiveTools | None]:
    """The tools of active skills; None where no skill can be active, and the session has no guard. What
    was active in the session is active, and what the workspace triggers.

    Raises:
        UserError, OSError: the settings or the session can't be used.
    """
    if not has_active_skills(scope) and not recorded_guards(scope):
        yield None
        return
    from skillbag.agents.tools.active_tools import ActiveTools
    from skillbag.agents.tools.tool import own_names
    from skillbag.runtime.sessions.resumption import resumed
    from skillbag.runtime.sessions.runtime import Runtime

    request, _ = door_request(scope, MODE)
    runtime = Runtime(request._replace(foreign_tools=own_names()))
    with resumed(runtime):
        runtime.trigger()
        yield ActiveTools(runtime, MODE)
