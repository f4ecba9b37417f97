"""The tools of active skills: what a skill registers, as its manifest limits it (skill runtime, sections 1 and 8)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from skillbag.kernel.manifest.names import SkillType
from skillbag.kernel.manifest.values import Manifest
from skillbag.runtime.activation.input_checks import InputCheck, check_schema
from skillbag.runtime.backends.backend import Registration, ToolSpec
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import FoundSkill


class SelectedTools(NamedTuple):
    """The tools of a skill that are offered, the checks of their input by name, and sentences about those that are
    not."""

    tools: tuple[ToolSpec, ...]
    checks: Mapping[str, InputCheck]
    remarks: tuple[str, ...] = ()


def check_types(found: FoundSkill, registration: Registration) -> None:
    """Check that the skill registers only what its types say.

    Raises:
        RuntimeFaultError: it registers something else.
    """
    registered = (
        (registration.tools, SkillType.TOOL, "tools"),
        (registration.workflows, SkillType.WORKFLOW, "workflows"),
        (registration.scanners, SkillType.SECURITY_RULE, "scanners"),
    )
    for things, needed, name in registered:
        if things and needed not in found.manifest.types:
            raise RuntimeFaultError(f'skill "{found.name}" registers {name}, and its types do not have "{needed}"')


def select_tools(found: FoundSkill, registration: Registration, taken: Mapping[str, str]) -> SelectedTools:
    """The tools that the skill offers, within `tools_allow` and `tools_deny`. `taken` are the names of all other tools,
    each with its owner.

    Raises:
        RuntimeFaultError: a name is taken or registered twice, or a schema can't be used.
    """
    tools: dict[str, ToolSpec] = {}
    for spec in registration.tools:
        if spec.name in tools:
            raise RuntimeFaultError(f'skill "{found.name}" registers the tool "{spec.name}" twice')
        if not is_allowed(spec.name, found.manifest):
            continue
        if owner := taken.get(spec.name):
            raise RuntimeFaultError(f'the tool "{spec.name}" of skill "{found.name}" has the name of one of {owner}')
        if spec.name.startswith("skill_"):
            message = "has a name of this program's tools, which no list of allowed tools limits; give it another one"
            raise RuntimeFaultError(f'the tool "{spec.name}" of skill "{found.name}" {message}')
        check_schema(spec.input_schema, f'the tool "{spec.name}" of skill "{found.name}"')
        tools[spec.name] = spec
    registered = {spec.name for spec in registration.tools}
    checks = {name: InputCheck(spec) for name, spec in tools.items()}
    return SelectedTools(tuple(tools.values()), checks, tuple(_unregistered(found, registered)))


def is_allowed(name: str, manifest: Manifest) -> bool:
    """Whether `tools_allow` and `tools_deny` let a tool pass; case does not count, and a denial wins."""
    folded = name.casefold()
    if folded in map(str.casefold, manifest.tools_deny):
        return False
    return not manifest.tools_allow or folded in map(str.casefold, manifest.tools_allow)


def _unregistered(found: FoundSkill, registered: Collection[str]) -> Iterator[str]:
    for tool in found.manifest.tools:
        if tool.name not in registered:
            yield f'skill "{found.name}" declares the tool "{tool.name}", and its code does not register it'
