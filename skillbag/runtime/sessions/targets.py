"""Which skill brings a tool or a workflow, where it need not be active yet (skill runtime, section 8)."""

from __future__ import annotations

from skillbag.kernel.manifest.names import SkillType
from skillbag.runtime.activation.missing_tools import brings, listed, unusable
from skillbag.runtime.errors import NotFoundError, meant
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, SkillSource


def skill_of_tool(runtime: Runtime, name: str) -> str:
    """The skill whose manifest declares the tool, or the MCP server whose tools are named like it.

    Raises:
        NotFoundError: there is none, or there are several.
    """
    owners = [found.name for found in runtime.found.skills if brings(found, name)]
    if len(owners) == 1:
        return owners[0]
    if owners:
        raise NotFoundError(f'several skills declare a tool "{name}": {", ".join(owners)}; name one with --skill')
    declared = {tool.name for found in runtime.found.skills for tool in found.manifest.tools}
    known = declared | {tool.spec.name for tool in runtime.tools()}
    usable = known - {tool.name for found in _blocked_built_in(runtime) for tool in found.manifest.tools}
    there = f"; there are {listed(usable)}" if usable else ""
    advice = f"{there}; if the code of a skill registers it, name the skill with --skill"
    advice = f"{meant(name, known) or advice}{unusable(runtime.found.faults)}"
    raise NotFoundError(f'no skill declares a tool "{name}"{advice}')


def _blocked_built_in(runtime: Runtime) -> list[FoundSkill]:
    """The skills of this program that the user has not named."""
    blocked = runtime.resolution.blocked
    return [each for each in runtime.found.skills if each.source is SkillSource.BUILTIN and each.name in blocked]


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
    if any(workflow.name == target for workflow in runtime.workflows()):
        return None
    advice = f"{meant(name, skills)}{unusable(runtime.found.faults)}"
    raise NotFoundError(f'there is no skill "{name}", and no active skill has such a workflow{advice}')
