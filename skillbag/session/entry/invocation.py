"""A run of a skill for an agent: instructions, effective parameters, files, companions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.documents.nodes import Scalar, Sequence
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.tree import FILE, LINK, left_out
from skillbag.session.inputs.inputs import ResolvedInputs
from skillbag.session.inputs.interface import Interface
from skillbag.session.inputs.questions import Question
from skillbag.session.order.order import ExecutionStep
from skillbag.session.remembering.memory_suggestions import MemorySuggestion, memory_suggestions
from skillbag.session.settings.settings import NO_SETTINGS, SessionSettings
from skillbag.session.skills.skills import execution_id


class Invocation(NamedTuple):
    """A run, or what must be asked first: with questions, `instructions` is empty and nothing may run yet.

    `run_as` is `convert_to_pdf`; `files` are the first `MAX_FILES` of all `file_count` supporting files, relative to
    the skill, with `/`; `places` are the folders (ending with `/`) and files directly below the skill that contain
    them; `companions` follow it in this order.
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
    )


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
    return " ".join(word for item in items if isinstance(item, Scalar) for word in item.value.split())
