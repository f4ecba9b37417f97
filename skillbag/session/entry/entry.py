"""Workspace entry, which an agent carries out once a session, before any other work."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.declarations import BadContextError, Declaration
from skillbag.kernel.transaction.agreed_steps import ExtraSteps, agreed_steps
from skillbag.kernel.workspace.model import ContextFile, Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import CATALOG_PATH, CONTEXT, ENTRYPOINT, USER_CONTEXT, skill_path
from skillbag.session.entry.free_text import Prose, prose_of
from skillbag.session.entry.invocation import Invocation, invoke, withheld
from skillbag.session.inputs.dangers import danger_questions
from skillbag.session.inputs.inputs import resolve_inputs
from skillbag.session.inputs.interface import read_interface
from skillbag.session.inputs.questions import Question
from skillbag.session.order.order import (
    ExecutionStep,
    Order,
    always,
    companions,
    dependency_questions,
    entry_order,
    missing_before,
    missing_of_project,
)
from skillbag.session.refresh.refresh import document_digest, line_digests
from skillbag.session.refresh.state import SessionState
from skillbag.session.settings.effective_settings import NO_TAGS, EffectiveSetting, Tagging, all_stated
from skillbag.session.settings.settings import Remark, SessionSettings, catalog_remarks
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.skills.effective_tags import effective_tags
from skillbag.session.skills.skills import (
    CatalogSkill,
    find_invoked,
    is_available,
    listed_skills,
    load_skill,
    unlisted_skills,
)


class EntryStatus(StrEnum):
    """ENTERED now, ALREADY entered (nothing was read), or AGAIN: the report was requested once more."""

    ENTERED = "entered"
    ALREADY = "already"
    AGAIN = "again"


class EntryReport(NamedTuple):
    """The result of entry, in the standard's order.

    `read`: paths relative to the workspace, in the order of reading. `stated`: the statements of the context files.
    `prose`: the text of the context files outside their blocks. `catalog`: the listed skills; `tagging`: their tags.
    `order`: the skills to run now. `always`: those of them that run always. `missing`: declared dependencies that are
    not in `.skills/`. `steps`: the extra installation steps of installed skills that the user has agreed to here.
    """

    session: str
    root: str
    status: EntryStatus
    read: tuple[str, ...] = ()
    stated: tuple[EffectiveSetting, ...] = ()
    prose: tuple[Prose, ...] = ()
    catalog: tuple[CatalogSkill, ...] = ()
    tagging: Tagging = NO_TAGS
    order: Order = Order((), ())
    always: tuple[Invocation, ...] = ()
    missing: tuple[Declaration, ...] = ()
    remarks: tuple[Remark, ...] = ()
    steps: tuple[ExtraSteps, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """Whether to install what is missing, then the other questions of the `#run/always` skills."""
        first = self.missing_questions
        return (*first, *(question for run in self.always for question in run.questions if question not in first))

    @property
    def missing_questions(self) -> tuple[Question, ...]:
        """Whether to install what is missing."""
        return dependency_questions(self.missing)

    @property
    def ready(self) -> bool:
        """Whether work may begin."""
        return not self.questions


def enter_workspace(
    workspace: Workspace, session: str, without: Collection[str] = (), *, again: bool = False
) -> tuple[EntryReport, SessionState]:
    """Carry out entry `without` some skills; return the report and the session's new state (clause entry.order)."""
    settings, listed = read_settings(workspace), listed_skills(workspace)
    if workspace.entrypoint is None:
        raise BadContextError(f"{ENTRYPOINT}: it is not there, and entry begins with it; skillbag init writes it")
    barred = frozenset(find_invoked(workspace, listed, name).name for name in without)
    tagging = effective_tags(listed, settings, barred)
    available = partial(is_available, workspace, listed)
    order = entry_order(tagging, available)
    skills = {name: load_skill(workspace, name, "it runs always") for name in always(tagging, order)}
    following = {name: companions(tagging, available, name) for name in skills}
    runs = tuple(_run(workspace, settings, skill, following[name]) for name, skill in skills.items())
    documents = _documents(workspace)
    of_runs = (remark for run in runs for remark in run.resolution.remarks)
    report = EntryReport(
        session,
        workspace.root,
        EntryStatus.AGAIN if again else EntryStatus.ENTERED,
        read=(*(path for path, document in documents.items() if document), *map(skill_path, skills)),
        stated=all_stated(settings, tagging),
        prose=prose_of_files(workspace, (ENTRYPOINT, CONTEXT, USER_CONTEXT)),
        catalog=tuple(listed.values()),
        tagging=tagging,
        order=order,
        always=runs,
        missing=missing_of_project(workspace, settings.declarations),
        remarks=(*settings.remarks, *catalog_remarks(workspace, unlisted_skills(workspace, listed)), *of_runs),
        steps=tuple(_steps(workspace)),
    )
    # The state is about files; what the conversation rules out may differ the next time.
    unbarred = effective_tags(listed, settings) if barred else tagging
    return report, _state(report, documents, listed, skills, always(unbarred, entry_order(unbarred, available)))


def prose_of_files(workspace: Workspace, paths: Iterable[str]) -> tuple[Prose, ...]:
    """The words of those of the entrypoint and the context files that have any."""
    documents = _documents(workspace)
    return tuple(prose for prose in (prose_of(path, documents[path]) for path in paths) if prose.words)


def _state(
    report: EntryReport,
    documents: Mapping[str, Document | None],
    listed: Mapping[str, CatalogSkill],
    skills: Mapping[str, Skill],
    runs_always: tuple[str, ...],
) -> SessionState:
    return SessionState(
        report.session,
        os.path.realpath(report.root),
        files={path: document_digest(document) for path, document in documents.items()},
        catalog=line_digests(listed),
        loaded={name: document_digest(skill.document) for name, skill in skills.items()},
        always=runs_always,
    ).giving({run.skill: document_digest(skills[run.skill].document) for run in report.always if run.ready})


def _steps(workspace: Workspace) -> Iterator[ExtraSteps]:
    """The agreed steps of skills that are still installed."""
    for steps in agreed_steps(workspace.root):
        here = tuple(name for name in steps.skills if os.path.isdir(workspace.path(os.path.dirname(skill_path(name)))))
        if here:
            yield steps._replace(skills=here)


def _run(
    workspace: Workspace, settings: SessionSettings, skill: Skill, following: tuple[ExecutionStep, ...]
) -> Invocation:
    if dangers := danger_questions(skill.folder, skill.directory, workspace.root):
        return withheld(skill.folder, dangers)
    interface = read_interface(skill)
    resolution = resolve_inputs(interface, settings, workspace.root)
    missing = dependency_questions(missing_before(workspace, settings.declarations, skill))
    return invoke(skill, interface, resolution, following, missing, settings)


def _documents(workspace: Workspace) -> dict[str, Document | None]:
    """What entry reads before any skill, in the standard's order; None if missing."""
    contexts = {CONTEXT: workspace.context, USER_CONTEXT: workspace.user_context}
    found = {
        ENTRYPOINT: workspace.entrypoint,
        **{path: file.document if isinstance(file, ContextFile) else None for path, file in contexts.items()},
        CATALOG_PATH: workspace.catalog_document,
    }
    # An unreadable document has stopped the entry before.
    return {path: document if isinstance(document, Document) else None for path, document in found.items()}
