"""Workspace entry: what the standard has an agent do once a session, before any other work."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from skillbag.declarations import BadContextError, Wanted
from skillbag.documents.markdown import scan
from skillbag.documents.source import Document
from skillbag.lifecycle.dependencies import dependency_questions, missing_of_project, missing_of_skill
from skillbag.lifecycle.digests import document_digest, line_digests
from skillbag.lifecycle.inputs import resolve_inputs
from skillbag.lifecycle.interface import read_interface
from skillbag.lifecycle.invocation import Invocation, invoke
from skillbag.lifecycle.order import Order, Turn, companions, entry_order
from skillbag.lifecycle.questions import Question
from skillbag.lifecycle.settings import Remark, Settings, read_settings
from skillbag.lifecycle.skills import Listed, find_invoked, is_available, listed_skills, load_skill
from skillbag.lifecycle.state import SessionState
from skillbag.lifecycle.stated import Stated, all_stated
from skillbag.lifecycle.tags import ALWAYS, Tagging, effective_tags
from skillbag.workspace.model import ContextFile, Workspace
from skillbag.workspace.skill import Skill
from skillbag.workspace.target import CATALOG_PATH, CONTEXT, ENTRYPOINT, USER_CONTEXT, skill_path

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")
NO_TAGS, NO_ORDER = Tagging({}, ()), Order((), ())


class EntryStatus(StrEnum):
    """ENTERED now, ALREADY entered (nothing was read), or AGAIN: the report once more, because it was asked for."""

    ENTERED = "entered"
    ALREADY = "already"
    AGAIN = "again"


class EntryReport(NamedTuple):
    """What entry found, in the standard's order.

    `read`: paths relative to the workspace, in the order in which they were read. `stated`: what the context files say,
    with what counts of it. `prose`: the words of the context files outside their blocks, by path. `catalog`: the skills
    that are listed, and `tagging` the tags that hold for them. `order`: the skills to run now. `always`: those of them
    that run always, each with its instructions or its questions. `missing`: declared dependencies that are not in
    `.skills/`.
    """

    session: str
    root: str
    status: EntryStatus
    read: tuple[str, ...] = ()
    stated: tuple[Stated, ...] = ()
    prose: tuple[tuple[str, str], ...] = ()
    catalog: tuple[Listed, ...] = ()
    tagging: Tagging = NO_TAGS
    order: Order = NO_ORDER
    always: tuple[Invocation, ...] = ()
    missing: tuple[Wanted, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def questions(self) -> tuple[Question, ...]:
        """All that must be asked: whether to install what is missing, then what the `#run/always` skills need."""
        return (*dependency_questions(self.missing), *(one for run in self.always for one in run.questions))

    @property
    def ready(self) -> bool:
        """Whether work may begin: nothing is missing, and nothing has to be asked."""
        return not self.questions


def enter_workspace(
    workspace: Workspace, session: str, without: Collection[str] = (), *, again: bool = False
) -> tuple[EntryReport, SessionState]:
    """Carry out entry; its report, and the state of the session that follows (clauses entry.order, entry.missing).

    `without` are skills that the conversation bars.

    Raises:
        BadContextError, BadSkillError: a file that is read at entry can't be relied on.
    """
    settings, listed = read_settings(workspace), listed_skills(workspace)
    if workspace.entrypoint is None:
        raise BadContextError(f"{ENTRYPOINT}: it is not there, and entry begins with it; skillbag init writes it")
    barred = frozenset(find_invoked(workspace, listed, name).name for name in without)
    tagging = effective_tags(listed, settings, barred)
    available = partial(is_available, workspace, listed)
    order = entry_order(tagging, available)
    skills = {turn.name: load_skill(workspace, turn.name, "it runs always") for turn in _always(tagging, order)}
    runs = tuple(
        _run(workspace, settings, skill, companions(tagging, available, name)) for name, skill in skills.items()
    )
    documents = _documents(workspace)
    report = EntryReport(
        session,
        workspace.root,
        EntryStatus.AGAIN if again else EntryStatus.ENTERED,
        (*(path for path, document in documents.items() if document), *map(skill_path, skills)),
        all_stated(settings, tagging),
        tuple((path, words) for path in (ENTRYPOINT, CONTEXT, USER_CONTEXT) if (words := _words(documents[path]))),
        tuple(listed.values()),
        tagging,
        order,
        runs,
        missing_of_project(workspace, settings.declarations),
        (*settings.remarks, *(remark for run in runs for remark in run.resolution.remarks)),
    )
    return report, SessionState(
        session,
        os.path.realpath(workspace.root),
        {path: document_digest(document) for path, document in documents.items()},
        line_digests(listed),
        {name: document_digest(skill.document) for name, skill in skills.items()},
        # What the conversation bars it may bar or not another time; the state is about files.
        always_run(workspace, settings, listed) if barred else tuple(skills),
    )


def always_run(workspace: Workspace, settings: Settings, listed: Mapping[str, Listed]) -> tuple[str, ...]:
    """The skills that run always, in the order of entry; no `SKILL.md` is read."""
    tagging = effective_tags(listed, settings)
    order = entry_order(tagging, partial(is_available, workspace, listed))
    return tuple(turn.name for turn in _always(tagging, order))


def _always(tagging: Tagging, order: Order) -> Iterator[Turn]:
    """The turns without mere companions, which are read when they are run."""
    return (turn for turn in order.turns if tagging.has(turn.name, ALWAYS))


def _run(workspace: Workspace, settings: Settings, skill: Skill, following: tuple[Turn, ...]) -> Invocation:
    interface = read_interface(skill)
    resolution = resolve_inputs(interface, settings, workspace.root)
    missing = dependency_questions(missing_of_skill(workspace, settings.declarations, skill))
    return invoke(skill, interface, resolution, following, missing, settings)


def _documents(workspace: Workspace) -> dict[str, Document | None]:
    """What entry reads before any skill, in the standard's order; None for what is not there."""
    found = {
        ENTRYPOINT: workspace.entrypoint,
        CONTEXT: _document(workspace.context),
        USER_CONTEXT: _document(workspace.user_context),
        CATALOG_PATH: workspace.catalog_document,
    }
    # Whatever can't be read has stopped the entry by now.
    return {path: document if isinstance(document, Document) else None for path, document in found.items()}


def _document(context: object) -> Document | None:
    return context.document if isinstance(context, ContextFile) else None


def _words(document: Document | None) -> str:
    """A text without its fenced `yaml` blocks, which are reported by themselves, and headings that are left empty."""
    if document is None:
        return ""
    text = document.text.replace("\r\n", "\n")
    blocks = ((one.start, one.end) for one in scan(text).fences if one.info.split(" ")[0].lower() in ("yaml", "yml"))
    text = _without(text, blocks)
    starts = [one.start for one in scan(text).headings]
    empty = ((one, end) for one, end in zip(starts, [*starts[1:], len(text)], strict=False) if _is_bare(text[one:end]))
    return _BLANK_LINES.sub("\n\n", _without(text, empty)).strip()


def _is_bare(section: str) -> bool:
    """Whether nothing but a line (or the underlining of a heading) stands there."""
    return not section.partition("\n")[2].strip("=- \t\n")


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    kept, at = "", 0
    for start, end in spans:
        kept += text[at:start]
        at = end
    return kept + text[at:]
