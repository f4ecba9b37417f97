"""The skills that an agent can call: those of the project, and the user's personal ones that no project skill hides."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from skillbag.base.errors import UserError, format_error
from skillbag.personal.names import RESERVED, UnknownSkillError, check_name
from skillbag.settings.scope import Scope, configured_personal

if TYPE_CHECKING:
    from skillbag.lifecycle.skills import Listed
    from skillbag.personal.skills import PersonalSkill, PersonalSkills
    from skillbag.workspace.model import Workspace


class Home(StrEnum):
    """Where a skill lives."""

    PROJECT = "project"
    PERSONAL = "personal"


class AgentSkill(NamedTuple):
    """A skill that an agent can call. `directory` is a real path; `file` is `SKILL.md` (personal: or `skill.md`)."""

    name: str
    description: str
    directory: str
    file: str
    home: Home


class Skills(NamedTuple):
    """The skills by name, in order of names, and what an agent or its user should know: one sentence each.

    Told are why personal skills can't be read, personal skills that a project skill hides, skills whose name is a tool
    of ours (they stay readable, but have no tool), and personal folders that hold no valid skill.
    """

    by_name: Mapping[str, AgentSkill]
    remarks: tuple[str, ...] = ()


def available_skills(scope: Scope) -> Skills:
    """All skills of the scope; of the project's no `SKILL.md` is opened.

    Raises:
        UserError: the catalog can't be used.
    """
    from skillbag.personal.skills import PersonalSkills

    workspace = _workspace(scope)
    listed = _listed(workspace)
    project = {name: one for name in listed if (one := _of_project(workspace, listed, name))}
    try:
        personal = _personal(scope)
    except (UserError, OSError) as error:
        personal = PersonalSkills((), (format_error(error),))
    found = {one.name: _of_person(one) for one in personal.skills} | project
    remarks = (*_hidden(project, personal), *_without_tool(found), *personal.remarks)
    return Skills(dict(sorted(found.items())), remarks)


def find_skill(scope: Scope, name: str) -> AgentSkill:
    """The skill of this name. The name's pattern is looked at before anything else is.

    Raises:
        UnknownSkillError: `name` is no skill's name, or there is no such skill; with the name that may be meant.
        UserError: the catalog can't be used, or the personal root can't and no project skill has the name.
        OSError: the personal root can't be read, and no project skill has the name.
    """
    check_name(name)
    workspace = _workspace(scope)
    listed = _listed(workspace)
    if found := _of_project(workspace, listed, name):
        return found
    personal = {one.name: one for one in _personal(scope).skills}
    if name in personal:
        return _of_person(personal[name])
    if told := _why_missing(workspace, listed, name):
        raise UnknownSkillError(told)
    there = [one for one in listed if _of_project(workspace, listed, one)]
    meant = next(iter(difflib.get_close_matches(name, [*there, *personal], 1)), None)
    raise UnknownSkillError(f"{name}: there is no such skill; {_hint(meant)}", meant)


def workspace_of(root: str) -> Workspace:
    """The workspace at the root, read lazily and as it is now."""
    from skillbag.workspace.model import Workspace
    from skillbag.workspace.target import Kind, installed

    return Workspace(installed(Kind.WORKSPACE, root))


def _workspace(scope: Scope) -> Workspace | None:
    return None if scope.root is None else workspace_of(scope.root)


def _listed(workspace: Workspace | None) -> Mapping[str, Listed]:
    if workspace is None:
        return {}
    from skillbag.lifecycle.skills import listed_skills

    return listed_skills(workspace)


def _of_project(workspace: Workspace | None, listed: Mapping[str, Listed], name: str) -> AgentSkill | None:
    """The project's skill of this name, where the catalog lists it and it is there."""
    from skillbag.fs.read import is_within
    from skillbag.lifecycle.skills import is_available
    from skillbag.workspace.target import SKILL_FILE, SKILL_ROOT

    if workspace is None or not is_available(workspace, listed, name):
        return None
    # From here on nobody follows a link to it: what it leads to is looked at once, and that is handed on.
    directory = os.path.realpath(workspace.path(SKILL_ROOT, name))
    if not is_within(workspace.root, directory):
        return None
    return AgentSkill(name, listed[name].description, directory, SKILL_FILE, Home.PROJECT)


def _personal(scope: Scope) -> PersonalSkills:
    from skillbag.personal.skills import PersonalSkills, personal_skills

    return personal_skills(configured_personal(scope)) if scope.user else PersonalSkills(())


def _of_person(one: PersonalSkill) -> AgentSkill:
    return AgentSkill(one.name, one.description, os.path.realpath(one.directory), one.file, Home.PERSONAL)


def _hidden(project: Mapping[str, AgentSkill], personal: PersonalSkills) -> Iterator[str]:
    for one in personal.skills:
        if one.name in project:
            yield f"the personal skill {one.name} is hidden by the project's skill of that name"


def _without_tool(found: Mapping[str, AgentSkill]) -> Iterator[str]:
    for name in sorted(RESERVED & found.keys()):
        yield f"the skill {name} has no tool, since skill_{name} is a tool of skillbag's own; rename the skill"


def _why_missing(workspace: Workspace | None, listed: Mapping[str, Listed], name: str) -> str | None:
    """Why a skill that the workspace knows of can't be called; None where it knows of none of the name."""
    if name in listed:
        return (
            f"{name}: there is no such skill; the catalog lists it, and its SKILL.md is not there, or is a link out of "
            "the workspace"
        )
    if workspace is None:
        return None
    from skillbag.lifecycle.skills import why_unlisted

    return why_unlisted(workspace, name, name)


def _hint(meant: str | None) -> str:
    return f"did you mean {meant}?" if meant else "skill_marketplace with the action list_installed names all"
