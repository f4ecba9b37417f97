"""What a skill depends on: the declarations of `SKILL.md`, and `dependencies` of an active skill's `SKILL.yaml` (skill
runtime, section 1).

A manifest names skills and ranges, and no source. So an installation follows it where the skill comes from a registry,
which has versions by name; else it says what is missing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Container, Iterable, Iterator

from skillbag.sources.fetched import FetchSpec
from skillbag.sources.source import SourceKind
from skillbag.standard.declarations import Place, Wanted, skill_wants
from skillbag.standard.names import is_name
from skillbag.workspace.skill import SkillSummary
from skillbag.workspace.target import MANIFEST_FILE, skill_path

BUILT_IN = frozenset({"core-tools", "git"})
"""The skills of this program, which no source has."""

_SERVERS = "mcp-"
"""How the names of MCP servers in the user's settings begin."""


def skill_needs(card: SkillSummary) -> tuple[Wanted, ...]:
    """A skill's own dependencies: those of `SKILL.md`, then those of `SKILL.yaml`. A manifest that can't be used has
    none; the rules report it."""
    wants, directory = skill_wants(card), os.path.dirname(card.path)
    if not os.path.lexists(os.path.join(directory, MANIFEST_FILE)):
        return wants
    return (*wants, *_of_manifest(directory, card))


def _of_manifest(directory: str, card: SkillSummary) -> Iterator[Wanted]:
    from skillbag.manifest.reader import read_manifest

    read = read_manifest(directory, directory)
    node = read.mapping.get("dependencies") if read.mapping else None
    line = read.document.position(node.start).line if read.document and node else 1
    place = Place(f"{os.path.dirname(skill_path(card.folder))}/{MANIFEST_FILE}", line)
    for needed in read.manifest.dependencies if read.manifest else ():
        if is_name(needed.name) and needed.name not in BUILT_IN and not needed.name.startswith(_SERVERS):
            version = None if needed.version == "*" else needed.version
            yield Wanted(needed.name, None, version, not needed.optional, place)


def followed(wants: Iterable[Wanted], home: FetchSpec | None) -> tuple[Wanted, ...]:
    """Those that an installation can follow for a skill from `home`; None if that is not known."""
    has_versions = home is not None and home.source.kind is SourceKind.REGISTRY
    return tuple(wanted for wanted in wants if has_versions or not _is_of_manifest(wanted))


def missing_notes(name: str, wants: Iterable[Wanted], present: Container[str]) -> Iterator[str]:
    """Which dependencies of a manifest nothing installs, and what to do."""
    for wanted in wants:
        if _is_of_manifest(wanted) and wanted.name not in present:
            needs = "needs" if wanted.required else "can use"
            version = f"@{wanted.version}" if wanted.version else ""
            command = shlex.join(["skillbag", "install", f"registry:{wanted.name}{version}"])
            yield (
                f"{name} {needs} {wanted.name}{version} ({wanted.place}), which is not in this workspace: "
                f"{command}, or name another source of it."
            )


def _is_of_manifest(wanted: Wanted) -> bool:
    return os.path.basename(wanted.place.file) == MANIFEST_FILE
