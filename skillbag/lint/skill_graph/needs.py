"""What a skill depends on: the declarations of `SKILL.md`, and `dependencies` of an active skill's `SKILL.yaml` (skill
runtime, section 1)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.standard.declarations import Declaration, Place, skill_wants
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import MANIFEST_FILE, skill_path

BUILT_IN = frozenset({"core-tools", "git"})
"""The skills of this program, which no source has."""

_SERVERS = "mcp-"
"""How the names of MCP servers in the user's settings begin."""


def skill_needs(card: SkillSummary) -> tuple[Declaration, ...]:
    """A skill's own dependencies: those of `SKILL.md`, then those of `SKILL.yaml`. A manifest that can't be used has
    none; the rules report it."""
    wants, directory = skill_wants(card), os.path.dirname(card.path)
    if not os.path.lexists(os.path.join(directory, MANIFEST_FILE)):
        return wants
    return (*wants, *_of_manifest(directory, card))


def _of_manifest(directory: str, card: SkillSummary) -> Iterator[Declaration]:
    from skillbag.kernel.manifest.reader import read_manifest

    read = read_manifest(directory, directory)
    node = read.mapping.get("dependencies") if read.mapping else None
    line = read.document.position(node.start).line if read.document and node else 1
    place = Place(f"{os.path.dirname(skill_path(card.folder))}/{MANIFEST_FILE}", line)
    for needed in read.manifest.dependencies if read.manifest else ():
        if is_name(needed.name) and needed.name not in BUILT_IN and not needed.name.startswith(_SERVERS):
            version = None if needed.version == "*" else needed.version
            yield Declaration(needed.name, None, version, not needed.optional, place)
