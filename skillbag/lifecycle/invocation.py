"""A run of a skill as an agent is given it: instructions, effective parameters, files, companions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.documents.nodes import Scalar, Sequence
from skillbag.documents.source import Document
from skillbag.fs.read import is_within
from skillbag.lifecycle.inputs import Input, Resolution
from skillbag.lifecycle.interface import Declared, Interface
from skillbag.lifecycle.order import ExecutionStep
from skillbag.lifecycle.persistence.policy import where_unwanted, why_not_kept
from skillbag.lifecycle.persistence.secret_detection import why_secret
from skillbag.lifecycle.questions import Question
from skillbag.lifecycle.settings import NO_SETTINGS, Settings
from skillbag.lifecycle.skills import execution_id
from skillbag.lifecycle.value import Value, same
from skillbag.standard.declarations import Level
from skillbag.workspace.skill import Skill
from skillbag.workspace.target import SKILL_FILE
from skillbag.workspace.tree import FILE, LINK, Entry, left_out


class MemorySuggestion(NamedTuple):
    """A value of the conversation that is worth remembering: `skillbag remember NAME=VALUE --skill SKILL`."""

    name: str
    value: Value


class Invocation(NamedTuple):
    """What is run, or what must be asked first: with questions, `instructions` is empty and nothing may run yet.

    `run_as` is `convert_to_pdf`; `files` are the supporting files relative to the skill, with `/`, at most `MOST_FILES`
    of the `file_count` that there are; `places` are the folders (with a `/` at the end) and files right below the skill
    in which they are; `companions` follow it in this order.
    """

    skill: str
    run_as: str
    resolution: Resolution
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


MOST_FILES = 50


def invoke(
    skill: Skill,
    interface: Interface,
    resolution: Resolution,
    companions: tuple[ExecutionStep, ...] = (),
    questions: tuple[Question, ...] = (),
    settings: Settings = NO_SETTINGS,
) -> Invocation:
    """The invocation of a skill whose inputs are resolved (clause inputs.before-run).

    `questions` are further ones, such as missing skills; they come first. `settings` say whether the user wants values
    to be remembered.
    """
    questions = (*questions, *resolution.questions)
    files = [] if questions else sorted(_supporting_files(skill))
    return Invocation(
        interface.skill,
        execution_id(interface.skill),
        resolution,
        questions,
        "" if questions else _instructions(skill),
        tuple(files[:MOST_FILES]),
        len(files),
        _allowed_tools(skill),
        companions,
        () if questions else tuple(_memory_suggestions(interface, resolution, settings)),
        tuple(dict.fromkeys(_place(file) for file in files)),
    )


def _place(file: str) -> str:
    first, slash, _ = file.partition("/")
    return first + slash


def _instructions(skill: Skill) -> str:
    """The body of `SKILL.md`; what stands in the front matter is no part of it."""
    text = skill.document.text[skill.body_start :] if isinstance(skill.document, Document) else ""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _supporting_files(skill: Skill) -> Iterator[str]:
    for entry in skill.listing.entries:
        hidden = any(part.startswith(".") for part in entry.relative.split("/"))
        if entry.relative != SKILL_FILE and not hidden and not left_out(entry.relative) and _is_file(entry, skill):
            yield entry.relative


def _is_file(entry: Entry, skill: Skill) -> bool:
    """Whether it is a file, or a link to one that stays in the skill."""
    if entry.kind is LINK:
        return os.path.isfile(entry.path) and is_within(skill.directory, entry.path)
    return entry.kind is FILE


def _allowed_tools(skill: Skill) -> str:
    node = skill.field("allowed-tools")
    items = node.items if isinstance(node, Sequence) else (node,)
    return " ".join(word for item in items if isinstance(item, Scalar) for word in item.value.split())


def _memory_suggestions(interface: Interface, resolution: Resolution, settings: Settings) -> Iterator[MemorySuggestion]:
    """What the conversation gives, no level below does, and lasts (clause inputs.persist-stable)."""
    if where_unwanted(settings, resolution.skill, resolution):
        return
    for input_ in resolution.inputs:
        parameter = interface.parameter(input_.name)
        if parameter and input_.effective and input_.effective.level is Level.CONVERSATION:
            value = input_.effective.value
            if _lasts(parameter, value) and not _is_given_below(input_, value) and _may_be_shown(input_.name, value):
                yield MemorySuggestion(input_.name, value)


def _lasts(parameter: Declared, value: Value) -> bool:
    """Whether the skill says so (clause inputs.skill-persistence); else an optional value that is no one-off."""
    if parameter.persist is not None:
        return parameter.persist
    return not parameter.required and why_not_kept(parameter.name, value) is None


def _is_given_below(input_: Input, value: Value) -> bool:
    below = (found for found in input_.hidden if found.level is not Level.CONVERSATION and not found.dropped)
    best = next(below, None)
    return best is not None and same(best.value, value)


def _may_be_shown(name: str, value: Value) -> bool:
    """Whether a command may hold it: no secret, and one line."""
    return value.written.isprintable() and why_secret(name, value) is None
