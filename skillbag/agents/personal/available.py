"""The skills that an agent can call: the project's, and the personal ones that no project skill hides."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from skillbag.agents.personal.names import PREFIX, RESERVED, UnknownSkillError, check_name
from skillbag.agents.personal.skills import PersonalSkill, PersonalSkills, personal_skills
from skillbag.agents.settings.scope import Scope, configured_personal
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.standard.cut_names import is_cut, tool_name
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT, TargetKind, installed
from skillbag.session.skills.skills import CatalogSkill, is_available, listed_skills, unlisted_skills, why_unlisted

if TYPE_CHECKING:
    from skillbag.session.inputs.questions import Question


class Home(StrEnum):
    """Where a skill belongs."""

    PROJECT = "project"
    PERSONAL = "personal"


class AgentSkill(NamedTuple):
    """A skill that an agent can call. `directory` is a real path; `file` is `SKILL.md` (personal: or `skill.md`).

    `source` is the address of one that was fetched for this run alone.
    """

    name: str
    description: str
    directory: str
    file: str
    home: Home
    source: str = ""


class Skills(NamedTuple):
    """The skills by name, sorted, and remarks for the agent or its user, one sentence each.

    Remarks: why personal skills can't be read, personal skills that a project skill hides, skills with the name of a
    built-in tool (readable, but without a tool), personal folders without a valid skill. `unlisted` are the skills in
    `.skills/` that the catalog lacks, which nobody can call.
    """

    by_name: Mapping[str, AgentSkill]
    remarks: tuple[str, ...] = ()
    unlisted: tuple[str, ...] = ()


def available_skills(scope: Scope) -> Skills:
    """All skills of the scope; opens no `SKILL.md` of the project.

    Raises:
        UserError: the catalog can't be used.
    """
    # A server starts before it is asked for any skill.
    from skillbag.report.catalog import described_skills

    workspace = _workspace(scope)
    listed = {} if workspace is None else described_skills(workspace, listed_skills(workspace))
    project = {name: skill for name in listed if (skill := _project_skill(workspace, listed, name))}
    try:
        personal = _personal(scope)
    except (UserError, OSError) as error:
        personal = PersonalSkills((), (format_error(error),))
    by_name = {skill.name: _agent_skill(skill) for skill in personal.skills} | project
    unlisted = () if workspace is None else unlisted_skills(workspace, listed)
    hidden = [skill.name for skill in personal.skills if skill.name in project]
    remarks = (
        *(f"the personal skill {name} is hidden by the project's skill of that name" for name in hidden),
        *(
            f"the skill {name} has no tool, since skill_{name} is a tool of skillbag's own; rename the skill"
            for name in sorted(RESERVED & by_name.keys())
        ),
        *personal.remarks,
    )
    return Skills(dict(sorted(by_name.items())), remarks, unlisted)


def available_skill(scope: Scope, name: str) -> AgentSkill:
    """The skill of this name, or of what its tool's name has of it; it is checked against the pattern first.

    Raises:
        UnknownSkillError: there is no such skill, or the name is malformed.
        UserError: the catalog can't be used, or the personal root can't and no project skill has the name.
        OSError: the personal root can't be read, and no project skill has the name.
    """
    if is_cut(PREFIX + name):
        skills = available_skills(scope).by_name
        name = next((each for each in skills if tool_name(PREFIX + each) == PREFIX + name), name)
    check_name(name)
    workspace = _workspace(scope)
    listed = {} if workspace is None else listed_skills(workspace)
    if skill := _project_skill(workspace, listed, name):
        return skill
    personal = {skill.name: skill for skill in _personal(scope).skills}
    if name in personal:
        return _agent_skill(personal[name])
    if reason := _missing_reason(workspace, listed, name):
        raise UnknownSkillError(reason)
    project = [other for other in listed if _project_skill(workspace, listed, other)]
    meant = next(iter(difflib.get_close_matches(name, [*project, *personal], 1)), None)
    hint = f"did you mean {meant}?" if meant else "skill_marketplace with the action list_installed names all"
    raise UnknownSkillError(f"{name}: there is no such skill; {hint}", meant)


def dangers_of(root: str | None, skill: AgentSkill) -> tuple[Question, ...]:
    """The question about errors about security in a skill; none if it has none, or the user has accepted them.

    `root` is the workspace, if there is one.
    """
    from skillbag.session.inputs.dangers import danger_questions

    if skill.home is Home.PROJECT and root is not None:
        return danger_questions(skill.name, skill.directory, root)
    remove = "" if skill.source else "agent personal remove"
    source, around = skill.source or skill.directory, os.path.dirname(skill.directory)
    return danger_questions(skill.name, skill.directory, around, source=source, remove=remove)


def workspace_of(root: str) -> Workspace:
    """The workspace at the root, read lazily."""
    return Workspace(installed(TargetKind.WORKSPACE, root))


def _workspace(scope: Scope) -> Workspace | None:
    return None if scope.root is None else workspace_of(scope.root)


def _project_skill(workspace: Workspace | None, listed: Mapping[str, CatalogSkill], name: str) -> AgentSkill | None:
    """The project's skill of this name, if the catalog lists it and its folder exists."""
    if workspace is None or not is_available(workspace, listed, name):
        return None
    # Resolve links once: what is checked here is what is used later.
    directory = os.path.realpath(workspace.path(SKILL_ROOT, name))
    if not is_within(workspace.root, directory):
        return None
    return AgentSkill(name, listed[name].description, directory, SKILL_FILE, Home.PROJECT)


def _personal(scope: Scope) -> PersonalSkills:
    return personal_skills(configured_personal(scope)) if scope.user else PersonalSkills(())


def _agent_skill(skill: PersonalSkill) -> AgentSkill:
    return AgentSkill(skill.name, skill.description, os.path.realpath(skill.directory), skill.file, Home.PERSONAL)


def _missing_reason(workspace: Workspace | None, listed: Mapping[str, CatalogSkill], name: str) -> str | None:
    """Why a skill of the workspace can't be called; None if it has none of this name."""
    if name in listed:
        return (
            f"{name}: there is no such skill; the catalog lists it, and its SKILL.md is missing, or is a link out of "
            "the workspace"
        )
    return None if workspace is None else why_unlisted(workspace, name, name)
