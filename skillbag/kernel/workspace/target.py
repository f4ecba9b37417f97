"""What is checked: a workspace, a source, or a plain tree of Agent Skills."""

from __future__ import annotations

import os
import re
from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple


class TargetKind(StrEnum):
    """The three kinds of target, as `--config target=` names them."""

    WORKSPACE = "workspace"
    SOURCE = "source"
    SKILLS = "skills"


ENTRYPOINT = "SKILLBAG.md"
AGENTS = "AGENTS.md"
CONTEXT = "CONTEXT.md"
USER_CONTEXT = "USER_CONTEXT.md"
SKILL_ROOT = ".skills"
CATALOG = "SKILLS.md"
SKILL_FILE = "SKILL.md"
MANIFEST_FILE = "SKILL.yaml"
LOCK = "skillbag.lock"
_SKILL_FILES = (SKILL_FILE.lower(), MANIFEST_FILE.lower())
BOOTSTRAP_SKILL = "skillbag-get-skills"

MAX_NAME = 64
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

MARKETPLACE = ".claude-plugin/marketplace.json"
"""The list of what a repository offers, other repositories among it, relative to the repository, with `/`."""

CATALOG_PATH = f"{SKILL_ROOT}/{CATALOG}"
"""Where the catalog is, relative to the workspace, with `/`."""


def is_skill_name(name: str) -> bool:
    """Whether `name` is canonical (clause root.name-pattern)."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


def skill_path(name: str) -> str:
    """Where a skill's `SKILL.md` is, relative to the workspace, with `/`."""
    return f"{SKILL_ROOT}/{name}/{SKILL_FILE}"


class ListFault(NamedTuple):
    """A fault in the marketplace `file` (absolute): the words there that it is about, and what is wrong.

    `empty`: a path that it lists has no skill; else a part of it can't be used.
    """

    file: str
    words: str
    reason: str
    empty: bool


class HostFilePath(NamedTuple):
    """A file around skills that an agent reads: `path` absolute, `kind` as `host_files` names it.

    `root` is the folder of the plugin or project that it belongs to.
    """

    path: str
    kind: str
    root: str


class Target(NamedTuple):
    """One thing to check: its kind, its absolute root, and the folders whose children are skills.

    `skill_roots` are absolute; for workspaces and sources it is `.skills` alone. `only` narrows a plain tree to the
    skill folders that were named (absolute); empty means all. `loose` are skill folders of a plain tree that lie in
    none of its roots (absolute). `aside` is each `SKILL.md` that the search came across and that is not judged as a
    skill: its absolute path, and why not. `listed` are the faults of the marketplaces in it. `searched`: its skills are
    held to the security rules alone. `around` are the files of plugins and projects that agents read beside its skills.
    """

    kind: TargetKind
    root: str
    skill_roots: tuple[str, ...]
    only: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    listed: tuple[ListFault, ...] = ()
    searched: bool = False
    around: tuple[HostFilePath, ...] = ()

    @property
    def apart(self) -> tuple[Target, ...]:
        """The skills in `aside`, as a target: a skill that is set apart may do as much harm as any other."""
        folders = [os.path.dirname(path) for path, _ in self.aside if os.path.basename(path).lower() in _SKILL_FILES]
        if not folders:
            return ()
        return (
            Target(TargetKind.SKILLS, os.path.commonpath([self.root, *folders]), (), loose=(*folders,), searched=True),
        )


class SkillFolder(NamedTuple):
    """A folder in a skills root that may hold a skill: `path` absolute, `skills_root` the folder that holds it."""

    name: str
    path: str
    skills_root: str


def installed(kind: TargetKind, root: str) -> Target:
    """The workspace or source at `root`."""
    return Target(kind, root, (os.path.join(root, SKILL_ROOT),))
