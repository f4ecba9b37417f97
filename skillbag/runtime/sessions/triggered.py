"""Activate what triggers ask for, for commands that need some skills (skill runtime, section 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skillbag.kernel.manifest.names import SkillType
from skillbag.runtime.activation.outcomes import QuestionsError
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.sessions.preview import PlannedSkill, preview
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.sessions.standings import active_names
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.triggers.triggers import reaching


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


def plan_triggered(runtime: Runtime, message: str = "") -> tuple[PlannedSkill, ...]:
    """What `activate_triggered` would activate, in order, beside what is active in the session."""
    active = list(active_names(runtime))
    steps: list[PlannedSkill] = []
    for found in triggered(runtime, message):
        added = preview(runtime, found.name, active)
        active += [step.found.name for step in added]
        steps += added
    return tuple(steps)
