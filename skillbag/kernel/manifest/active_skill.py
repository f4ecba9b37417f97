"""A skill folder with its manifest: what the rules of `check` about manifests look at."""

from __future__ import annotations

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.manifest.reader import ManifestFile, read_manifest
from skillbag.kernel.workspace.skill import Skill


class ActiveSkill(NamedTuple):
    """A skill with a `SKILL.yaml`, and what was read of that."""

    skill: Skill
    file: ManifestFile

    @cached_property
    def found(self) -> dict[str, object]:
        """What rules found out about the skill for each other, by their own keys."""
        return {}


def read_active_skill(skill: Skill) -> ActiveSkill:
    """The skill with its manifest."""
    return ActiveSkill(skill, read_manifest(skill.directory, skill.root))
