"""The plan of an installation: what happens to each skill and file, decided before anything is written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from skillbag.documents.edit.change import FileChange
from skillbag.install.outcome import SkillRow
from skillbag.sources.fetched import Fetched
from skillbag.workspace.lock_file import Locked


class Act(StrEnum):
    """What a step does to `.skills/<name>/`."""

    KEEP = "keep"
    PUT = "put"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class SkillChange:
    """One skill: what is done, and the row of the report (None for the reserved skill).

    `folder` (absolute) is what is put there, `tree` its tree hash, `before` that of what is there now (None: nothing).
    `backup` keeps a copy of what gives way. `locked` is the lock's new entry, None where it has none. `moved` says that
    a tag means another content than it did, where it does.
    """

    name: str
    act: Act
    row: SkillRow | None
    folder: str = ""
    tree: str = ""
    before: str | None = None
    backup: bool = False
    locked: Locked | None = None
    fetched: Fetched | None = None
    moved: str = ""


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """All that is to be done in the workspace `root`, decided before anything is."""

    root: str
    steps: tuple[SkillChange, ...]
    files: tuple[FileChange, ...]

    @property
    def changes(self) -> tuple[SkillChange, ...]:
        """The steps that touch a skill's folder."""
        return tuple(step for step in self.steps if step.act is not Act.KEEP)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be written."""
        return not self.changes and not self.files

    @property
    def fetched(self) -> dict[str, tuple[Fetched, list[str]]]:
        """The sources that something is taken from, with the names taken, by their folders."""
        sources: dict[str, tuple[Fetched, list[str]]] = {}
        for step in self.steps:
            if step.fetched is not None:
                sources.setdefault(step.fetched.root, (step.fetched, []))[1].append(step.name)
        return sources


@dataclass(frozen=True, slots=True)
class OverwritePolicy:
    """Which local states may give way: names to overwrite, and names to merge."""

    overwrite: frozenset[str] = frozenset()
    merge: frozenset[str] = frozenset()


class MergedSkill(NamedTuple):
    """A folder (absolute) in which local edits and a new version are joined, and its files with conflict markers."""

    folder: str
    marked: tuple[str, ...]
