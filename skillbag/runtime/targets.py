"""Which skill brings a tool or a workflow, where it need not be active yet (skill runtime, section 8)."""

from __future__ import annotations

from difflib import get_close_matches

from skillbag.manifest.names import SkillType
from skillbag.runtime.errors import NotFoundError
from skillbag.runtime.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, SkillSource
from skillbag.runtime.tools import is_allowed


def skill_of_tool(runtime: Runtime, name: str) -> str:
    """The skill whose manifest declares the tool, or the MCP server whose tools are named like it.

    Raises:
        NotFoundError: there is none, or there are several.
    """
    owners = [found.name for found in runtime.found.skills if _brings(found, name)]
    if len(owners) == 1:
        return owners[0]
    if owners:
        raise NotFoundError(f'several skills declare a tool "{name}": {", ".join(owners)}; name one with --skill')
    declared = {tool.name for found in runtime.found.skills for tool in found.manifest.tools}
    advice = "; if the code of a skill registers it, name the skill with --skill"
    raise NotFoundError(f'no skill declares a tool "{name}"{meant(name, declared) or advice}')


def skill_of_workflow(runtime: Runtime, target: str) -> str | None:
    """The skill that `SKILL` or `SKILL/WORKFLOW` names; None for the workflow of an active skill.

    Raises:
        NotFoundError: there is neither, or the skill has no workflows.
    """
    name = target.partition("/")[0]
    skills = [found.name for found in runtime.found.skills]
    if name in skills:
        types = runtime.skills.status(name).found.manifest.types
        if SkillType.WORKFLOW not in types:
            raise NotFoundError(f'skill "{name}" has no workflows: its types are {", ".join(types)}')
        return name
    if any(workflow.rpartition("/")[2] == target for workflow in runtime.workflows()):
        return None
    raise NotFoundError(f'there is no skill "{name}", and no active skill has such a workflow{meant(name, skills)}')


def meant(name: str, known: list[str] | set[str]) -> str:
    """The end of a message about a name that is not among the known ones; empty if none is like it."""
    close = get_close_matches(name, sorted(known), 1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _brings(found: FoundSkill, tool: str) -> bool:
    if found.source is SkillSource.MCP and found.manifest.implementation:
        return tool.startswith(f"mcp_{found.manifest.implementation.entrypoint}_")
    return any(declared.name == tool for declared in found.manifest.tools) and is_allowed(tool, found.manifest)
