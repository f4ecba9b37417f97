"""What to say about a tool that no active skill has (skill runtime, section 8)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from skillbag.runtime.activation.active import SkillStates
from skillbag.runtime.activation.tools import is_allowed
from skillbag.runtime.discovery.discovery import BadSkill
from skillbag.runtime.discovery.skill_folders import MANIFEST_NAMES
from skillbag.runtime.errors import meant
from skillbag.runtime.skill import FoundSkill, SkillSource

_MAX_NAMES = 20
"""So many names are listed at most."""


def brings(found: FoundSkill, tool: str) -> bool:
    """Whether a skill announces the tool in its manifest, or is the MCP server whose tools are named like it."""
    if found.source is SkillSource.MCP and found.manifest.implementation:
        return tool.startswith(f"mcp_{found.manifest.implementation.entrypoint}_")
    return any(declared.name == tool for declared in found.manifest.tools) and is_allowed(tool, found.manifest)


def owner_hint(skills: SkillStates, tool: str) -> str:
    """Which skill has the tool once it is activated, and why it is not active, if that is known. Empty if none is known
    to."""
    owners = [skills.status(found.name) for found in skills.idle() if brings(found, tool)]
    return "; ".join(f'skill "{each.found.name}" has it once it is activated{_because(each.reason)}' for each in owners)


def listed(names: Collection[str]) -> str:
    """The names, sorted; at most some of them."""
    shown = sorted(names)[:_MAX_NAMES]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def unusable(bad: Iterable[BadSkill]) -> str:
    """The end of a message about something missing, which one of these skills may have; empty if there are none."""
    names = {
        os.path.basename(os.path.dirname(each.file) if each.file.endswith(MANIFEST_NAMES) else each.file)
        for each in bad
    }
    return f"; can't be used: {listed(names)} (skillbag runtime list says why)" if names else ""


def no_active_tool(skills: SkillStates, name: str) -> str:
    """The message that no active skill has the tool."""
    there = {spec.name for active in skills for spec in active.tools}
    said = f'no active skill has a tool "{name}"'
    if hint := owner_hint(skills, name):
        return f"{said}; {hint}"
    if close := meant(name, there):
        return f"{said}{close}"
    # Its code may have registered the tool.
    ended = [skills.status(found.name) for found in skills.idle() if found.name in skills.withdrawn]
    said += "".join(f'; skill "{each.found.name}" is not active any more{_because(each.reason)}' for each in ended)
    return f"{said}; active skills have {listed(there)}" if there else said


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""
