"""The skills that an agent can call: those of the project, and the user's personal ones that no project skill hides."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from skillbag.agent.scope import Scope

RESERVED = frozenset({"marketplace", "add", "remove"})
"""Names whose `skill_NAME` is a tool of ours: a skill of that name gets none of its own."""


class Home(StrEnum):
    """Where a skill lives."""

    PROJECT = "project"
    PERSONAL = "personal"


class AgentSkill(NamedTuple):
    """A skill that an agent can call. `directory` is absolute; `file` is `SKILL.md` (personal: or `skill.md`)."""

    name: str
    description: str
    directory: str
    file: str
    home: Home


class Skills(NamedTuple):
    """The skills by name, in order of names, and what an agent or its user should know: one sentence each.

    Told are personal skills that a project skill hides, skills whose name is a tool of ours (they stay readable, but
    have no tool), and personal folders that hold no valid skill.
    """

    by_name: Mapping[str, AgentSkill]
    remarks: tuple[str, ...] = ()


def available_skills(scope: Scope) -> Skills:
    """All skills of the scope; of the project's no `SKILL.md` is opened.

    Raises:
        UserError: the catalog or the personal root can't be used.
    """
    raise NotImplementedError


def find_skill(scope: Scope, name: str) -> AgentSkill:
    """The skill of this name. The name's pattern is looked at before anything else is.

    Raises:
        UserError: `name` is no skill's name, or there is no such skill; with the name that may be meant.
    """
    raise NotImplementedError
