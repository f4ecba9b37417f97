"""The activation of one skill: every step, and its undoing when a later one fails; and the functions of the host that
it gets, behind the broker and traced (skill runtime, sections 4, 5 and 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.time_limit import is_over
from skillbag.kernel.manifest.names import BackendKind, Permission, Phase
from skillbag.runtime.activation.grantees import check_startable
from skillbag.runtime.activation.input_checks import InputCheck
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.activation.tools import check_types, select_tools
from skillbag.runtime.backends.backend import Backend, CallKind, HostFunctions, Launch, Registration, ToolSpec
from skillbag.runtime.backends.choose import make_backend
from skillbag.runtime.broker.admission import Admission
from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.broker.copies import held_copy
from skillbag.runtime.chain import Running, callers, running_number
from skillbag.runtime.errors import RuntimeFaultError, TimeLimitError
from skillbag.runtime.hooks.hook_dispatch import Hook, hook_priority
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.phases import PHASES
from skillbag.runtime.skill import TRUSTED, FoundSkill, Grantee, Json
from skillbag.runtime.tracing import no_trace, traced
from skillbag.runtime.triggers.surroundings import Surroundings


class ActivatedSkill(NamedTuple):
    """An active skill. `undo` ends everything that its activation began, the last first. `backend` is None for a skill
    that is a prompt alone. `tools` are those that it offers, with the `checks` of their input by name, `remarks`
    sentences about those that it does not, and about its hooks."""

    found: FoundSkill
    grantee: Grantee
    backend: Backend | None
    registration: Registration
    tools: tuple[ToolSpec, ...]
    hooks: tuple[Hook, ...]
    checks: Mapping[str, InputCheck]
    remarks: tuple[str, ...]
    undo: ExitStack

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of its hooks, without those in which they may see nothing but calls of its own tools."""
        hooks = dict.fromkeys(self.registration.hooks)
        return tuple(each for each in hooks if not PHASES[each].calls or sees_others(self.found))

    @property
    def is_guard(self) -> bool:
        """Whether it has a hook before the calls of others."""
        return Phase.BEFORE_TOOL_CALL in self.phases


class Activator(NamedTuple):
    """What activations need. `host_of` gives the host functions of a skill, `taken` the names of the tools of all other
    skills with their owners."""

    request: RuntimeRequest
    broker: Broker
    hooks: Hooks
    host_of: Callable[[FoundSkill, Grantee], HostFunctions]
    taken: Callable[[], Mapping[str, str]]
    remark: Callable[[str], None]

    def activate(self, found: FoundSkill, grantee: Grantee, admission: Admission | None = None) -> ActivatedSkill:
        """Give the skill its permissions, load its code, and register what that brings. After an error, nothing of it
        is left. An `admission` is that of an activation which another process of the session began.

        Raises:
            RuntimeFaultError: with the reason. TimeLimitError: no time is left for it; nothing was consumed.
        """
        if is_over():
            raise TimeLimitError("the time of this step is over")
        active = self.prepare(found, grantee, admission)
        for hook in active.hooks:
            self.hooks.register(hook)
        return active

    def prepare(
        self,
        found: FoundSkill,
        grantee: Grantee,
        admission: Admission | None = None,
        replaced: ActivatedSkill | None = None,
    ) -> ActivatedSkill:
        """As `activate`, but its hooks don't fire yet. The tools of the one that it takes the place of, if any, are no
        clash."""
        with ExitStack() as undo:
            found = undo.enter_context(self._held(found, grantee))
            check_startable(found, self.request)
            granted = self.broker.resume(grantee, admission) if admission else self.broker.admit(grantee)
            undo.callback(self.broker.release, grantee)
            self.request.trace({"event": "loading", "skill": found.name, "content": grantee.tree_hash})
            backend = self._backend(found, grantee, granted)
            registration = Registration()
            if backend:
                registration = backend.load()
                undo.callback(self._unload, found, backend)
            check_types(found, registration)
            freed = {tool.name for tool in replaced.tools} if replaced else set()
            taken = {name: owner for name, owner in self.taken().items() if name not in freed}
            selection = select_tools(found, registration, taken)
            hooks = tuple(self._hooks(found, grantee, granted, backend, registration.hooks)) if backend else ()
            undo.callback(self.hooks.unregister, found.name, hooks)
            self.request.trace(loaded_event(found, registration))
            remarks = (*selection.remarks, *(() if admission else _own_alone(found, registration)))
            tools, checks, rest = selection.tools, selection.checks, undo.pop_all()
            return ActivatedSkill(found, grantee, backend, registration, tools, hooks, checks, remarks, rest)

    def _backend(self, found: FoundSkill, grantee: Grantee, granted: frozenset[Permission]) -> Backend | None:
        if found.manifest.implementation is None:
            return None
        request = self.request
        launch = Launch(
            found.manifest,
            found.folder,
            request.workspace,
            granted,
            self.host_of(found, grantee),
            self.remark,
            request.settings.requires_sandbox(found.origin),
            request.session,
            partial(self._verify, found, grantee),
            partial(self._has_all, found, grantee, granted),
            request.environment,
            request.offline,
        )
        return make_backend(launch, request.settings.mcp_servers)

    def _verify(self, found: FoundSkill, grantee: Grantee) -> None:
        with self._held(found, grantee):
            pass

    def _held(self, found: FoundSkill, grantee: Grantee) -> AbstractContextManager[FoundSkill]:
        return held_copy(found, grantee.tree_hash, self.request.copies or self.request.state)

    def _has_all(self, found: FoundSkill, grantee: Grantee, granted: frozenset[Permission]) -> bool:
        """Whether everything is approved still. Of Starlark the broker is asked at each operation: it has no other."""
        implementation = found.manifest.implementation
        if implementation is not None and implementation.backend is BackendKind.STARLARK:
            return True
        return all(self.broker.is_approved(grantee, permission) for permission in granted)

    def _hooks(
        self,
        found: FoundSkill,
        grantee: Grantee,
        rights: frozenset[Permission],
        backend: Backend,
        phases: Sequence[Phase],
    ) -> Iterator[Hook]:
        """Each phase, with the number of its handler among those of the phase."""
        for at, phase in enumerate(phases):
            number, priority = phases[:at].count(phase), hook_priority(found.source, inline=found.inline)
            run = partial(self._run_hook, grantee, backend, phase, number)
            yield Hook(found.name, found.source, priority, phase, number, run, rights)

    def _run_hook(
        self, grantee: Grantee, backend: Backend, phase: Phase, number: int, data: dict[str, Json], timeout: float
    ) -> Json:
        event = {"event": "hook", "skill": grantee.skill, "phase": phase, "number": number, "data": data}
        with Running(grantee):
            event["run"] = running_number()
            work = partial(backend.call, CallKind.HOOK, phase, data, number=number, timeout=timeout)
            return traced(self.request.trace, event, work)

    def _unload(self, found: FoundSkill, backend: Backend) -> None:
        try:
            backend.unload()
        except RuntimeFaultError as error:
            # It has ended all the same.
            self.remark(f'skill "{found.name}": {error}')


def sees_others(found: FoundSkill) -> bool:
    """Whether the hooks of a skill may see calls of tools that are not its own, if it is approved."""
    return found.source in TRUSTED or Permission.HOOK_OBSERVE in found.manifest.permissions


def _own_alone(found: FoundSkill, registration: Registration) -> tuple[str, ...]:
    if sees_others(found) or not any(PHASES[phase].calls for phase in registration.hooks):
        return ()
    needed = Permission.HOOK_OBSERVE
    return (f'skill "{found.name}": its hooks see calls of its own tools alone, since it does not declare {needed}',)


def why_failed(error: Exception) -> str:
    """Why an activation failed, as a sentence; of an error that a skill should not be able to bring about, its kind."""
    if isinstance(error, (UserError, OSError)):
        return format_error(error)
    return f"the activation failed: {type(error).__name__}"


def loaded_event(found: FoundSkill, registration: Registration) -> dict[str, Json]:
    """The event of a trace that says which version of a skill was loaded, and what it registered."""
    return {
        "event": "loaded",
        "skill": found.name,
        "version": found.manifest.version,
        "tools": sorted(tool.name for tool in registration.tools),
        "hooks": list(registration.hooks),
        "workflows": sorted(registration.workflows),
        "scanners": sorted(registration.scanners),
    }


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
