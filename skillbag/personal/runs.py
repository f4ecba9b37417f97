"""Runs of personal skills, with the settings of the workspace around, if any."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from skillbag.fs.read import overlay, read
from skillbag.lifecycle.allowing import prohibition_questions
from skillbag.lifecycle.cli_inputs import read_conversation
from skillbag.lifecycle.inputs import Resolution, resolve_inputs
from skillbag.lifecycle.interface import Interface, read_interface
from skillbag.lifecycle.invocation import Invocation, invoke
from skillbag.lifecycle.settings import NO_SETTINGS, Settings
from skillbag.lifecycle.settings_reader import read_settings
from skillbag.lifecycle.skills import BadSkillError
from skillbag.personal.available import AgentSkill, workspace_of
from skillbag.workspace.skill import Skill, read_skill
from skillbag.workspace.target import SKILL_FILE


def resolve_personal(
    skill: AgentSkill, root: str | None, values: Mapping[str, object] | None, prohibits: Iterable[str]
) -> Resolution:
    """Resolve the inputs of a personal skill; `root` is the workspace whose context files apply, if any.

    Raises:
        BadSkillError, BadContextError, BadAnswerError: as `Session.resolve`.
    """
    return _resolve(_interface(_read(skill), skill.name, root), skill, root, values, prohibits)


def run_personal(
    skill: AgentSkill,
    root: str | None,
    values: Mapping[str, object] | None,
    prohibits: Iterable[str],
    allow: Collection[str] = (),
) -> Invocation:
    """The invocation of a personal skill. It has no companions and suggests no values to remember.

    `allow` are skills that the user allows although a context file of the workspace prohibits them.

    Raises:
        BadSkillError, BadContextError, BadAnswerError: as `Session.run`.
    """
    read = _read(skill)
    interface = _interface(read, skill.name, root)
    resolution = _resolve(interface, skill, root, values, prohibits)
    questions = prohibition_questions([skill.name], _settings(root).declarations, allowed=allow)
    return invoke(read, interface, resolution, questions=questions)._replace(worth=())


def _resolve(
    interface: Interface,
    skill: AgentSkill,
    root: str | None,
    values: Mapping[str, object] | None,
    prohibits: Iterable[str],
) -> Resolution:
    conversation = read_conversation(interface, (), prohibits, values)
    return resolve_inputs(interface, _settings(root), root or skill.directory, conversation)


def _settings(root: str | None) -> Settings:
    return NO_SETTINGS if root is None else read_settings(workspace_of(root))


def _interface(read: Skill, name: str, root: str | None) -> Interface:
    interface = read_interface(read)._replace(skill=name)
    if root is not None:
        return interface
    # Without a workspace there is nothing to search.
    return interface._replace(parameters=tuple(parameter._replace(discover=()) for parameter in interface.parameters))


def _read(skill: AgentSkill) -> Skill:
    """Read the personal skill; its file may be `skill.md`.

    Raises:
        BadSkillError: it can't be read, or its front matter can't.
    """
    path = os.path.join(skill.directory, skill.file)
    data = read(path, skill.directory)
    shown_as = {os.path.join(skill.directory, SKILL_FILE): data} if isinstance(data, bytes) else {}
    with overlay(shown_as):
        opened = read_skill(skill.directory, os.path.dirname(skill.directory), skill.directory)
    if (problem := opened.problem) is not None:
        raise BadSkillError(f"{path}:{problem.line}: {problem.detail}; fix the personal skill {skill.name}")
    if skill.file == SKILL_FILE:
        return opened
    others = tuple(entry for entry in opened.listing.entries if entry.relative != skill.file)
    return opened._replace(listing=opened.listing._replace(entries=others))
