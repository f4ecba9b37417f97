"""What the command line requests, as the resolution takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from skillbag.kernel.standard.declarations import Declaration, Level


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """One skill of the command line with its source and version; with `plain` the source may be a plain repository."""

    name: str
    source: str | None = None
    version: str | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class RequestSet:
    """What the command line requests.

    `upgraded` are the skills to look for newer versions of; None means all. The local state of `renewed` skills may be
    replaced; local edits of the `merged` ones among them are kept. `declared` skills are being added to `CONTEXT.md`,
    `assumed` are those of them without a given version. `listed` are skills that a context file lists for the reserved
    skill to install, each with the level of that file. `excluded` skills stay as they are. `folders` are those of the
    source (relative, with `/`) that named skills are taken from.
    """

    skills: tuple[SkillRequest, ...] = ()
    upgraded: frozenset[str] | None = frozenset()
    optional: bool = False
    renewed: frozenset[str] = frozenset()
    merged: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()
    listed: tuple[tuple[Declaration, Level], ...] = ()
    excluded: frozenset[str] = frozenset()
    folders: Mapping[str, str] = field(default_factory=dict)

    def upgrades(self, name: str) -> bool:
        """Whether a newer version of the skill is looked for."""
        return self.upgraded is None or name in self.upgraded
