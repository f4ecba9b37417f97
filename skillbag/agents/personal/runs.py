"""Runs of personal skills, with the settings of the workspace around, if any."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from typing import NamedTuple

from skillbag.agents.personal.available import AgentSkill, dangers_of, workspace_of
from skillbag.agents.personal.folders import read_personal_skill
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.workspace.skill import Skill
from skillbag.session.entry.invocation import Invocation, invoke, withheld
from skillbag.session.inputs.cli_inputs import read_conversation
from skillbag.session.inputs.inputs import ResolvedInputs, resolve_inputs
from skillbag.session.inputs.interface import Interface, read_interface
from skillbag.session.inputs.questions import prohibition_questions
from skillbag.session.settings.settings import NO_SETTINGS, SessionSettings
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.skills.skills import BadSkillError


def resolve_personal(
    skill: AgentSkill, root: str | None, values: CallInput | None, prohibits: Iterable[str]
) -> ResolvedInputs:
    """Resolve the inputs of a personal skill; `root` is the workspace whose context files apply, if any.

    Raises:
        BadSkillError, BadContextError, BadAnswerError: as `Session.resolve`.
    """
    if dangers := dangers_of(root, skill):
        return ResolvedInputs(skill.name, (), dangers)
    return _prepare(skill, root, values, prohibits).resolution


def run_personal(
    skill: AgentSkill,
    root: str | None,
    values: CallInput | None,
    prohibits: Iterable[str],
    allow: Collection[str] = (),
    says: Iterable[str] = (),
) -> Invocation:
    """The invocation of a personal or fetched skill. It has no companions and suggests no values to remember.

    `allow` are skills that the user allows although a context file of the workspace prohibits them; `says` are values
    as text (`name=value`), above the `values`.

    Raises:
        BadSkillError, BadContextError, BadAnswerError: as `Session.run`.
    """
    if dangers := dangers_of(root, skill):
        return withheld(skill.name, dangers)
    read, interface, settings, resolution = _prepare(skill, root, values, prohibits, says)
    questions = prohibition_questions([skill.name], settings.declarations, allowed=allow)
    return invoke(read, interface, resolution, questions=questions)._replace(worth=())


class _Prepared(NamedTuple):
    skill: Skill
    interface: Interface
    settings: SessionSettings
    resolution: ResolvedInputs


def _prepare(
    skill: AgentSkill,
    root: str | None,
    values: CallInput | None,
    prohibits: Iterable[str],
    says: Iterable[str] = (),
) -> _Prepared:
    read = _read(skill)
    settings = NO_SETTINGS if root is None else read_settings(workspace_of(root))
    interface = read_interface(read)._replace(skill=skill.name)
    if root is None:
        # Without a workspace there is nothing to search.
        parameters = tuple(parameter._replace(discover=()) for parameter in interface.parameters)
        interface = interface._replace(parameters=parameters)
    conversation = read_conversation(interface, says, prohibits, values)
    return _Prepared(
        read, interface, settings, resolve_inputs(interface, settings, root or skill.directory, conversation)
    )


def _read(skill: AgentSkill) -> Skill:
    read = read_personal_skill(skill.directory)
    if (problem := read.problem) is not None:
        path = os.path.join(skill.directory, skill.file)
        raise BadSkillError(f"{path}:{problem.line}: {problem.detail}; fix the personal skill {skill.name}")
    # Its instructions are no supporting file, whichever name they go by.
    others = tuple(entry for entry in read.listing.entries if entry.relative != skill.file)
    return read._replace(listing=read.listing._replace(entries=others))
