"""The host functions of each active skill: behind the broker, and traced (skill runtime, sections 5 and 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.backends.backend import HostFunctions
from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.chain import callers, running_number
from skillbag.runtime.skill import FoundSkill, Grantee, Json
from skillbag.runtime.tracing import no_trace, traced
from skillbag.runtime.triggers.surroundings import Surroundings


class SkillHosts(NamedTuple):
    """What host functions need. `workflow` runs a workflow of another skill."""

    request: RuntimeRequest
    broker: Broker
    workflow: Callable[[str, Json], Json]
    surroundings: Surroundings

    def functions_of(self, found: FoundSkill, grantee: Grantee) -> HostFunctions:
        """The functions of a skill; each asks the broker first."""
        # Most commands activate no skill, and need none of what the functions import.
        from skillbag.runtime.host.functions import HostContext, host_functions

        trace = self.request.trace

        def demand(permission: Permission, detail: str) -> None:
            self.broker.demand(grantee, permission, detail, callers(grantee))

        def log(level: str, message: str) -> None:
            trace({"event": "log", "skill": found.name, "level": level, "message": message})

        functions = host_functions(
            HostContext(
                found.folder,
                self.request.workspace,
                demand,
                self.request.completer,
                self.workflow,
                log,
                self.surroundings.main_language,
                environment=self.request.environment,
                stand_in=self.request.stand_in,
                steering_files=found.manifest.steering_files,
                live=found.directory,
            )
        )

        def call(name: str, arguments: Mapping[str, Json]) -> Json:
            event = {"event": "host", "within": running_number(), "skill": found.name, "function": name}
            return traced(trace, {**event, "arguments": arguments}, partial(functions, name, arguments))

        return functions if trace is no_trace else call
