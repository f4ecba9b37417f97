"""The run of one skill in a session: its invocation, what comes with it, and what has to be asked first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import NamedTuple

from skillbag.lifecycle.allowing import prohibition_questions
from skillbag.lifecycle.dependencies import dependency_questions, missing_before
from skillbag.lifecycle.inputs import Resolution
from skillbag.lifecycle.interface import Interface
from skillbag.lifecycle.invocation import Invocation, invoke
from skillbag.lifecycle.order import companions, left_out
from skillbag.lifecycle.refresh import Refresh
from skillbag.lifecycle.settings import Settings
from skillbag.lifecycle.skills import Listed, is_available, listed_names
from skillbag.lifecycle.tags import Dropped, effective_tags
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import Skill


class Run(NamedTuple):
    """An invocation, and what the session should read again before it relies on it (None outside of a session).

    `left_out`: tags that would bring in a companion which a context file prohibits.
    """

    invocation: Invocation
    pending: Refresh | None
    left_out: tuple[Dropped, ...] = ()


def run_skill(
    workspace: Workspace,
    catalog: Mapping[str, Listed],
    settings: Settings,
    skill: Skill,
    interface: Interface,
    resolution: Resolution,
    *,
    incomplete: bool = False,
    allow: Collection[str] = (),
) -> Run:
    """The invocation of a skill whose inputs are resolved; the options are those of `Session.run`."""
    name, declarations = skill.folder, settings.declarations
    available = partial(is_available, workspace, catalog)
    missing = () if incomplete else missing_before(workspace, declarations, skill)
    allowed = listed_names(catalog, allow)
    tagging = effective_tags(catalog, settings, allowed=allowed)
    following = companions(tagging, available, name)
    without = left_out(tagging, available, {name, *(step.name for step in following)})
    prohibited = prohibition_questions([name], declarations, tagging, allowed)
    questions = (*prohibited, *dependency_questions(missing))
    return Run(invoke(skill, interface, resolution, following, questions, settings), None, without)
