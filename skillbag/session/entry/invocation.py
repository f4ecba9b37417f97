"""A run of a skill for an agent: instructions, effective parameters, files, companions."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from skillbag.kernel.documents.nodes import Scalar, Sequence
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.standard.tool_entries import tool_entries
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.tree import FILE, LINK, left_out
from skillbag.session.inputs.inputs import ResolvedInputs
from skillbag.session.inputs.interface import ASK_FIRST, Interface
from skillbag.session.inputs.questions import Question, prohibition_questions
from skillbag.session.order.order import (
    ExecutionStep,
    Order,
    companions,
    dependency_questions,
    dropped_companions,
    missing_before,
    response_order,
)
from skillbag.session.refresh.refresh import Refresh
from skillbag.session.remembering.memory_policy import MemorySuggestion, memory_suggestions
from skillbag.session.settings.effective_settings import ALWAYS, LAST, NO_TAGS, Dropped, Tagging
from skillbag.session.settings.settings import NO_SETTINGS, SessionSettings
from skillbag.session.skills.effective_tags import effective_tags
from skillbag.session.skills.skills import CatalogSkill, execution_id, find_invoked, is_available, listed_names


class Invocation(NamedTuple):
    """A run, or what must be asked first: with questions, `instructions` is empty and nothing may run yet.

    `run_as` is `convert_to_pdf`; `files` are the first `MAX_FILES` of all `file_count` supporting files, relative to
    the skill, with `/`; `places` are the folders (ending with `/`) and files directly below the skill that contain
    them; `companions` run before it in this order, those with `#run/last` after all other skills.
    `ask_first` says when to ask where the skill declares nothing about risk.
    """

    skill: str
    run_as: str
    resolution: ResolvedInputs
    questions: tuple[Question, ...]
    instructions: str
    files: tuple[str, ...]
    file_count: int
    allowed_tools: str
    companions: tuple[ExecutionStep, ...]
    worth: tuple[MemorySuggestion, ...] = ()
    places: tuple[str, ...] = ()
    ask_first: str = ""

    @property
    def ready(self) -> bool:
        """Whether it may run: nothing has to be asked."""
        return not self.questions


MAX_FILES = 50


def invoke(
    skill: Skill,
    interface: Interface,
    resolution: ResolvedInputs,
    companions: tuple[ExecutionStep, ...] = (),
    questions: tuple[Question, ...] = (),
    settings: SessionSettings = NO_SETTINGS,
) -> Invocation:
    """The invocation of a skill whose inputs are resolved (clause inputs.before-run).

    `questions` come before those of the resolution. `settings` say whether the user wants values to be remembered.
    """
    questions = (*questions, *resolution.questions)
    files = [] if questions else sorted(_supporting_files(skill))
    body = skill.document.text[skill.body_start :] if isinstance(skill.document, Document) and not questions else ""
    return Invocation(
        interface.skill,
        execution_id(interface.skill),
        resolution,
        questions,
        body.replace("\r\n", "\n").replace("\r", "\n").strip(),
        tuple(files[:MAX_FILES]),
        len(files),
        _allowed_tools(skill),
        companions,
        () if questions else tuple(memory_suggestions(interface, resolution, settings)),
        tuple(dict.fromkeys(first + slash for first, slash, _ in (file.partition("/") for file in files))),
        "" if questions or interface.declares_risk else ASK_FIRST,
    )


def withheld(name: str, dangers: tuple[Question, ...]) -> Invocation:
    """The invocation of a skill with errors about security: nothing that the skill says is in it."""
    resolution = ResolvedInputs(name, (), dangers)
    return Invocation(name, execution_id(name), resolution, dangers, "", (), 0, "", ())


def _supporting_files(skill: Skill) -> Iterator[str]:
    for entry in skill.listing.entries:
        hidden = any(part.startswith(".") for part in entry.relative.split("/"))
        if entry.relative == SKILL_FILE or hidden or left_out(entry.relative):
            continue
        stays = entry.kind is LINK and os.path.isfile(entry.path) and is_within(skill.directory, entry.path)
        if stays or entry.kind is FILE:
            yield entry.relative


def _allowed_tools(skill: Skill) -> str:
    node = skill.field("allowed-tools")
    items = node.items if isinstance(node, Sequence) else (node,)
    return " ".join(entry.text for item in items if isinstance(item, Scalar) for entry in tool_entries(item.value))


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
    tags that would bring in a prohibited skill that was not chosen. `tagging`: the tags that it follows.
    """

    order: Order
    pending: Refresh | None
    questions: tuple[Question, ...] = ()
    left_out: tuple[Dropped, ...] = ()
    tagging: Tagging = NO_TAGS


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
    without = dropped_companions(tagging, available, {name, *(step.name for step in following)})
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
    dropped = dropped_companions(tagging, available, reported, (ALWAYS, LAST))
    return Ordered(order, None, questions, dropped, tagging)
