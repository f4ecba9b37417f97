"""A skill folder with its manifest: what the rules of `check` about manifests look at."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.manifest.reader import ManifestFile, read_manifest
from skillbag.workspace.skill import Skill


class ActiveSkill(NamedTuple):
    """A skill with a `SKILL.yaml`, and what was read of that."""

    skill: Skill
    file: ManifestFile


def read_active_skill(skill: Skill) -> ActiveSkill:
    """The skill with its manifest."""
    return ActiveSkill(skill, read_manifest(skill.directory, skill.root))
