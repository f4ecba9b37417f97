"""The run of one skill, and the order of the skills of a response: with what has to be asked first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import NamedTuple

from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.session.entry.invocation import Invocation, invoke
from skillbag.session.inputs.inputs import ResolvedInputs
from skillbag.session.inputs.interface import Interface
from skillbag.session.inputs.questions import Question, prohibition_questions
from skillbag.session.order.missing_skills import dependency_questions, missing_before
from skillbag.session.order.order import Order, companions, left_out, response_order
from skillbag.session.refresh.refresh import Refresh
from skillbag.session.settings.settings import SessionSettings
from skillbag.session.settings.tags import ALWAYS, LAST, Dropped
from skillbag.session.skills.effective_tags import effective_tags
from skillbag.session.skills.skill_search import find_invoked, listed_names
from skillbag.session.skills.skills import CatalogSkill, is_available


class Run(NamedTuple):
    """An invocation, and what the session should read again before it relies on it (None outside of a session).

    `left_out`: tags that would bring in a companion which a context file prohibits.
    """

    invocation: Invocation
    pending: Refresh | None
    left_out: tuple[Dropped, ...] = ()


class Ordered(NamedTuple):
    """An order, and what the session should read again before it relies on it (None outside of a session).

    `questions`: whether chosen skills may run that a context file prohibits; they are not in the order. `left_out`:
    tags that would bring in a prohibited skill that was not chosen.
    """

    order: Order
    pending: Refresh | None
    questions: tuple[Question, ...] = ()
    left_out: tuple[Dropped, ...] = ()


def run_skill(
    workspace: Workspace,
    catalog: Mapping[str, CatalogSkill],
    settings: SessionSettings,
    skill: Skill,
    interface: Interface,
    resolution: ResolvedInputs,
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


def order_skills(
    workspace: Workspace,
    catalog: Mapping[str, CatalogSkill],
    settings: SessionSettings,
    skills: Iterable[str],
    *,
    without: Collection[str] = (),
    allow: Collection[str] = (),
) -> Ordered:
    """The order of a response with these skills; the options are those of `Session.order`."""
    available = partial(is_available, workspace, catalog)
    chosen = [find_invoked(workspace, catalog, skill).name for skill in skills]
    allowed = listed_names(catalog, allow)
    tagging = effective_tags(catalog, settings, without, allowed)
    wanted = [name for name in chosen if name not in tagging.barred]
    questions = prohibition_questions(wanted, settings.declarations, tagging, allowed)
    questioned = {question.about for question in questions}
    order = response_order(tagging, available, [name for name in chosen if name not in questioned])
    # A skill with a question is reported by it.
    reported = questioned.union(step.name for step in order.turns)
    return Ordered(order, None, questions, left_out(tagging, available, reported, (ALWAYS, LAST)))
