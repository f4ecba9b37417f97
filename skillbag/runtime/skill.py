"""What the parts of the runtime know of a skill: where it is from, and who it is to the broker."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from skillbag.kernel.manifest.names import Permission
from skillbag.kernel.manifest.values import Manifest

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, a list or a dict of them."""


class SkillSource(StrEnum):
    """Where a skill is found, those that win first (skill runtime, section 2)."""

    BUILTIN = "builtin"
    BUNDLED = "bundled"
    USER = "user"
    PROJECT = "project"
    CONFIGURED = "configured"
    MCP = "mcp"


PRECEDENCE = {source: place for place, source in enumerate(SkillSource)}
"""The place of each source: of two skills, the one that comes earlier counts, or is activated first."""


TRUSTED = frozenset({SkillSource.BUILTIN, SkillSource.USER})
"""Sources whose hooks need no permission for the calls of others."""


def is_of_user(origin: str) -> bool:
    """Whether a skill of this origin is built in or the user's own; see `FoundSkill`."""
    return origin.partition(":")[0] in TRUSTED


def own_origin(personal: str | None) -> str:
    """The origin of the skills in the user's folder; empty without one."""
    return f"{SkillSource.USER}:{os.path.realpath(personal)}" if personal else ""


class FoundSkill(NamedTuple):
    """A skill that discovery found, with a valid manifest.

    `directory` is a real path, `file` the absolute path of what it was read from (`SKILL.yaml` or `SKILL.md`); both are
    empty for the skill that stands for an MCP server.
    `origin` is the kind of source and its address, such as `project:/home/me/w`: approvals hold for it alone. `inline`:
    it was named explicitly. `hides` are the files of skills of the same name in sources that come later. `instructions`
    is the body of `SKILL.md`, where there is one and the manifest names no other prompt. `copy` is the folder with its
    files as they were approved, while it is active (`copies.py`).
    """

    manifest: Manifest
    source: SkillSource
    directory: str
    file: str
    origin: str
    inline: bool = False
    hides: tuple[str, ...] = ()
    instructions: str = ""
    copy: str = ""

    @property
    def folder(self) -> str:
        """Where its code and files are read; messages name the `directory`."""
        return self.copy or self.directory

    @property
    def name(self) -> str:
        """The skill's name."""
        return self.manifest.name


class Grantee(NamedTuple):
    """A skill as the broker knows it: what it declares, and the content that approvals hold for (`tree_hash`)."""

    skill: str
    origin: str
    tree_hash: str
    source: SkillSource
    declared: frozenset[Permission]
