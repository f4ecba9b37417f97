"""Whether a skill fits this program and this system (skill runtime, section 1)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from importlib.util import find_spec

from skillbag import __version__
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.extras import to_install
from skillbag.kernel.base.posix import is_posix, not_here
from skillbag.kernel.manifest.names import BackendKind, Platform
from skillbag.kernel.manifest.values import Compatibility, Implementation
from skillbag.kernel.manifest.versions import parse_range, satisfies
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.discovery.builtin import unnamed
from skillbag.runtime.skill import FoundSkill

_PLATFORMS = {"linux": Platform.LINUX, "darwin": Platform.DARWIN, "win32": Platform.WINDOWS}


def incompatibility(needs: Compatibility, version: str = __version__, system: str = sys.platform) -> str | None:
    """Why a skill can't be activated here; None if it can.

    `version` is that of this program, of which the first three numbers count; `system` is named as by `sys.platform`.
    """
    if needs.platforms and _PLATFORMS.get(system) not in needs.platforms:
        return f"it is for {', '.join(needs.platforms)}, and this system is {_PLATFORMS.get(system, system)}"
    return _version_fault(needs.agent_version, version) if needs.agent_version else None


def unusable(skills: Sequence[FoundSkill], request: RuntimeRequest) -> dict[str, str]:
    """The skills that can't be activated here, with the reasons: built-in ones that the user has not named, and those
    that don't fit."""
    return unnamed(skills, request.approved | request.settings.approved_skills) | _incompatible(skills)


def _incompatible(skills: Iterable[FoundSkill]) -> dict[str, str]:
    """The skills that can't be activated here, with the reasons."""
    return {
        skill.name: why
        for skill in skills
        if (why := incompatibility(skill.manifest.compatibility) or _missing_here(skill.manifest.implementation))
    }


_EXTRAS = {BackendKind.STARLARK: ("starlark", "Starlark", "runtime"), BackendKind.MCP: ("mcp", "The MCP SDK", "mcp")}
"""The package that a backend needs, its name, and the extra that brings it."""


def _missing_here(implementation: Implementation | None) -> str | None:
    if implementation and implementation.backend is not BackendKind.MCP and not is_posix():
        return not_here("its code")
    needed = _EXTRAS.get(implementation.backend) if implementation else None
    if needed is None or find_spec(needed[0]) is not None:
        return None
    return f"{needed[1]} is not installed: {to_install(needed[2])}"


def _version_fault(needed: str, version: str) -> str | None:
    triple = re.match(r"\d+\.\d+\.\d+", version)
    try:
        wanted = parse_range(needed)
        fits = wanted is not None and triple is not None and satisfies(triple[0], wanted)
    except UserError as error:
        return str(error)
    return None if fits else f"it needs skillbag {needed}, and this is {version}"
