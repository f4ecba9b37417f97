"""The plan of an installation: all changes of skills and files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.workspace.lock_file import Locked
from skillbag.supply.install.changed_versions import ChangedVersion
from skillbag.supply.install.outcome import SkillRow
from skillbag.supply.sources.fetched import Fetched


class SkillChangeKind(StrEnum):
    """What a step does to `.skills/<name>/`."""

    KEEP = "keep"
    PUT = "put"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class SkillChange:
    """The change of one skill, and its row of the report (None for the reserved skill).

    `folder` (absolute) is put in place, `tree` is its tree hash, `before` the state of the present folder (None: there
    is none), of which `backup` keeps a copy. `locked` is the lock's new entry or None. `changed` says
    how the content of the version has changed, if it has.
    """

    name: str
    act: SkillChangeKind
    row: SkillRow | None
    folder: str = ""
    tree: str = ""
    before: str | None = None
    backup: bool = False
    locked: Locked | None = None
    fetched: Fetched | None = None
    changed: ChangedVersion | None = None


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """All changes of the workspace `root`; `home` is the folder of its skills, relative with `/`."""

    root: str
    home: str
    steps: tuple[SkillChange, ...]
    files: tuple[FileChange, ...]

    def at(self, name: str) -> str:
        """Where a skill is, relative to the root, with `/`."""
        return f"{self.home}/{name}"

    @property
    def changes(self) -> tuple[SkillChange, ...]:
        """The steps that change a skill's folder."""
        return tuple(step for step in self.steps if step.act is not SkillChangeKind.KEEP)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that change, relative to the root, with `/`."""
        return (*(self.at(step.name) for step in self.changes), *(file.path for file in self.files))


class MergedSkill(NamedTuple):
    """A folder (absolute) with the merge of local edits and a new version, and its files with conflict markers."""

    folder: str
    marked: tuple[str, ...]
