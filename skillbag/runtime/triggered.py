"""Activate what triggers ask for, for commands that need skills of one type (skill runtime, section 8)."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.manifest.names import SkillType
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.outcomes import QuestionsError
from skillbag.runtime.preview import PlannedSkill, preview
from skillbag.runtime.runtime import Runtime
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.standings import active_names


def triggered(runtime: Runtime, message: str = "") -> tuple[FoundSkill, ...]:
    """The skills that the workspace, the mode and a message trigger, the best first."""
    threshold = max(runtime.request.settings.activation_threshold, 1)
    return tuple(item.skill for item in runtime.explain(message) if item.score.total >= threshold)


def activate_triggered(runtime: Runtime, needed: SkillType | None = None, message: str = "") -> Mapping[str, str]:
    """Activate them. Returns why skills of the type `needed` could not be; the same of others is a remark. Without
    a type, all are needed.

    Raises:
        QuestionsError: the user must be asked before a skill of this type can be activated.
    """
    failed: dict[str, str] = {}
    for found in triggered(runtime, message):
        is_needed = needed is None or needed in found.manifest.types
        try:
            runtime.activate(found.name)
        except QuestionsError as error:
            if is_needed:
                raise
            runtime.remarks.append(f'skill "{found.name}" is not activated: {error}')
        except (RuntimeFaultError, NotFoundError) as error:
            if is_needed:
                failed[found.name] = str(error)
            else:
                runtime.remarks.append(f'skill "{found.name}" is not activated: {error}')
    return failed


def plan_triggered(runtime: Runtime, message: str = "") -> tuple[PlannedSkill, ...]:
    """What `activate_triggered` would activate, in order, beside what is active in the session."""
    active = list(active_names(runtime))
    steps: list[PlannedSkill] = []
    for found in triggered(runtime, message):
        added = preview(runtime, found.name, active)
        active += [step.found.name for step in added]
        steps += added
    return tuple(steps)
