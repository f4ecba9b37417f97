"""What a skill says of itself: `allowed-tools`, the permissions of `SKILL.yaml`, `compatibility`, required programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillbag.kernel.documents.nodes import Node, Scalar, core_value
from skillbag.kernel.manifest.reader import read_manifest
from skillbag.kernel.standard.blocks import scalars_of
from skillbag.kernel.standard.tool_entries import tool_entries
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.capabilities.facts import DeclaredCapabilities

_DEPTH = 6


def declared(skill: Skill) -> DeclaredCapabilities:
    """What `SKILL.md` and `SKILL.yaml` declare."""
    tools = skill.field("allowed-tools")
    compatibility = skill.field("compatibility")
    programs: list[str] = []
    variables: list[str] = []
    metadata = skill.field("metadata")
    for binaries, environment in _required(core_value(metadata), 0) if metadata is not None else ():
        programs += binaries
        variables += environment
    return DeclaredCapabilities(
        tuple(tools_of(tools)) if tools is not None else (),
        _permissions(skill),
        compatibility.value if isinstance(compatibility, Scalar) else "",
        tuple(sorted(set(programs))),
        tuple(sorted(set(variables))),
    )


def tools_of(node: Node) -> list[str]:
    """The entries of a value of `allowed-tools`, as they are written; pieces without a tool are left out."""
    return [entry.text for scalar in scalars_of(node) for entry in tool_entries(scalar.value) if entry.tool]


def _permissions(skill: Skill) -> tuple[str, ...]:
    if not skill.has_manifest:
        return ()
    manifest = read_manifest(skill.directory, skill.root).manifest
    return tuple(sorted(str(permission) for permission in manifest.permissions)) if manifest else ()


def _required(value: Any, depth: int) -> Iterator[tuple[list[str], list[str]]]:
    """The programs and variables of each mapping `requires` anywhere in `metadata`."""
    if not isinstance(value, dict) or depth > _DEPTH:
        return
    for key, item in value.items():
        if key == "requires" and isinstance(item, dict):
            yield _texts(item.get("bins")) + _texts(item.get("anyBins")), _texts(item.get("env"))
        else:
            yield from _required(item, depth + 1)


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
