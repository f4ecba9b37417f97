"""What an activation, or a message, would do, where nothing is started, asked or written; and what triggers ask for,
activated for commands that need some skills (skill runtime, sections 8 and 13)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from skillbag.kernel.manifest.names import BackendKind, Permission, SkillType
from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.backends.starlark import DEFAULT_ENTRYPOINT
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.sessions.standings import active_names
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.triggers.budget import Budget, Fragment, allot
from skillbag.runtime.triggers.triggers import Scored, least_of, reaching


class PlannedSkill(NamedTuple):
    """A skill that would be activated: the permissions that it needs, those that the user would be asked for, why it
    would be refused (empty if it would not), and the words of the program that would run (none for a prompt)."""

    found: FoundSkill
    permissions: tuple[Permission, ...]
    missing: tuple[Permission, ...]
    refusal: str
    program: tuple[str, ...]


def preview(runtime: Runtime, name: str, active: Collection[str] = ()) -> tuple[PlannedSkill, ...]:
    """The skills that an activation would activate, in order; none if the skill is among the `active` ones.

    A skill that can't be activated is there alone, with the reason.

    Raises:
        NotFoundError: there is no such skill. RuntimeFaultError: the files of one can't be read.
    """
    found = runtime.skills.status(name).found
    if reason := runtime.resolution.blocked.get(name):
        return (_planned(runtime, found)._replace(refusal=reason),)
    names = (each for each in runtime.resolution.activation(name) if each not in active)
    return tuple(_planned(runtime, runtime.skills.status(each).found) for each in names)


def program_of(runtime: Runtime, found: FoundSkill) -> tuple[str, ...]:
    """The words of the program that runs the skill's code, as the manifest or the settings have them."""
    implementation = found.manifest.implementation
    if implementation is None:
        return ()
    match implementation.backend:
        case BackendKind.STARLARK:
            return (implementation.backend, implementation.entrypoint or DEFAULT_ENTRYPOINT)
        case BackendKind.MCP:
            servers = {server.name: server for server in runtime.request.settings.mcp_servers}
            server = servers.get(implementation.entrypoint)
            return (server.command or (server.url,)) if server else ()
        case BackendKind.PLUGIN:
            return (implementation.backend, implementation.entrypoint)
    return (implementation.entrypoint, *implementation.args)


def _planned(runtime: Runtime, found: FoundSkill) -> PlannedSkill:
    grantee = runtime.grantee(found.name)
    missing = runtime.approvals.missing(grantee, runtime.request.session)
    permissions = tuple(sorted(grantee.declared))
    refusal = runtime.approvals.refusal(grantee)
    return PlannedSkill(found, permissions, missing, refusal, program_of(runtime, found))


class Forecast(NamedTuple):
    """What a message would bring about: the scores of all skills, the best first; the skills that would be activated,
    in order; those that could not be, with the reasons; and what the prompt would take of them within `budget`.
    `project_threshold` is that of the project's skills."""

    scored: tuple[Scored, ...]
    threshold: int
    project_threshold: int
    activation: tuple[str, ...]
    refused: Mapping[str, str]
    fragments: tuple[Fragment, ...]
    budget: Budget

    def threshold_of(self, item: Scored) -> int:
        """The score from which the skill is activated."""
        return least_of(item.skill, self.threshold, self.project_threshold)


def forecast(runtime: Runtime, message: str, current_path: str, total: int | None = None) -> Forecast:
    """What a message would bring about in the runtime's session. `total` replaces the tokens of the whole budget."""
    settings = runtime.request.settings
    scored = runtime.explain(message, current_path)
    active = active_names(runtime)
    names, refused = list[str](active), dict[str, str]()
    for name in reaching(scored, *settings.thresholds):
        steps = preview(runtime, name, names)
        if refusal := next((step.refusal for step in steps if step.refusal), ""):
            refused[name] = refusal
        else:
            names += [step.found.name for step in steps]
    budget = settings.budget if total is None else settings.budget._replace(total=total)
    fragments = allot([item for item in scored if item.skill.name in names], budget)
    return Forecast(scored, *settings.thresholds, tuple(names[len(active) :]), refused, fragments, budget)


def triggered(runtime: Runtime, message: str = "") -> tuple[FoundSkill, ...]:
    """The skills that the workspace, the mode and a message trigger, in the order in which they are activated."""
    names = reaching(runtime.explain(message), *runtime.request.settings.thresholds)
    return tuple(runtime.skills.status(name).found for name in names)


def activate_triggered(
    runtime: Runtime, is_needed: Callable[[FoundSkill], bool], message: str = ""
) -> Mapping[str, str]:
    """Activate them. Returns why those that are needed could not be; the same of others is a remark.

    Raises:
        QuestionsError: the user must be asked before a needed skill can be activated.
    """
    failed: dict[str, str] = {}
    for found in triggered(runtime, message):
        try:
            runtime.activate(found.name)
        except (RuntimeFaultError, NotFoundError) as error:
            if not is_needed(found):
                runtime.remarks.append(f'skill "{found.name}" is not activated: {error}')
            elif isinstance(error, QuestionsError):
                raise
            else:
                failed[found.name] = str(error)
    return failed


def is_of(kind: SkillType) -> Callable[[FoundSkill], bool]:
    """Whether a skill is of a type."""
    return lambda found: kind in found.manifest.types


def plan(runtime: Runtime, names: Iterable[str]) -> tuple[PlannedSkill, ...]:
    """What would be activated for these skills, in order, beside what is active in the session.

    Raises:
        As `preview`.
    """
    active = list(active_names(runtime))
    steps: list[PlannedSkill] = []
    for name in names:
        added = preview(runtime, name, active)
        active += [step.found.name for step in added]
        steps += added
    return tuple(steps)


def plan_triggered(runtime: Runtime, message: str = "") -> tuple[PlannedSkill, ...]:
    """What `activate_triggered` would activate."""
    return plan(runtime, (found.name for found in triggered(runtime, message)))
