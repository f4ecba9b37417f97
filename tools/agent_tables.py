"""Tables of the pages about agents: tools out of their definitions, folders of agents, limits of doors, scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tables import table

from skillbag.agents.hosts.telling import LIMITS
from skillbag.agents.personal.available import AgentSkill, Home
from skillbag.agents.scripts.interpreters import ENDINGS
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import offered_tools
from skillbag.agents.tools.skill_tools import skill_tool
from skillbag.agents.tools.tool import Tool
from skillbag.kernel.processes.environment import PASSED
from skillbag.kernel.workspace.agents import AGENTS, BASES


def agent_tables() -> dict[str, str]:
    """The tables of `docs/agent.md`, by name."""
    return {
        "tools": _tools(),
        "interpreters": table(
            ("Ending", "Run by the first that is there"),
            *((f"`{ending}`", _listed(_named(words))) for ending, words in ENDINGS.items()),
        ),
        "script-environment": f"{_listed(PASSED)}\n",
    }


def door_tables() -> dict[str, str]:
    """The tables of `docs/runtime-hosts.md`, by name."""
    limits = ((f"`{door}`", f"`{phase}`", text) for door, phases in LIMITS.items() for phase, text in phases.items())
    return {"door-limits": table(("Door", "Phase", "Limit"), *limits)}


def agent_folder_tables() -> dict[str, str]:
    """The tables of `docs/agent-folders.md`, by name."""
    agents = (
        (agent.title, _listed((agent.name, *agent.aliases)), f"`{agent.folder}`", _first(agent.user_folders))
        for agent in AGENTS.values()
    )
    bases = ((f"`{variable}`", f"`{usual}`") for variable, usual in BASES.values() if usual)
    return {
        "agents": table(("Agent", "Names", "In a project", "Its user's"), *agents),
        "agent-bases": table(("Variable", "Without it"), *bases),
    }


def _first(folders: tuple[str, ...]) -> str:
    shown = [f"`{folder.format(**{name: f'${base[0]}' for name, base in BASES.items()})}`" for folder in folders]
    return " or ".join(shown) or "none"


def _tools() -> str:
    own = offered_tools(Scope(root=None, personal=None, limited=True)).tools
    of_a_skill = skill_tool(AgentSkill("NAME", "Does what the skill NAME is for.", "", "", Home.PROJECT))
    rows = ((f"`{tool.name}`", _arguments(tool), _result(tool.result)) for tool in (*own, of_a_skill))
    return table(("Tool", "Arguments (those in bold are required)", "Result"), *rows)


def _arguments(tool: Tool) -> str:
    required = tool.parameters.get("required", ())
    names = tool.parameters.get("properties", {})
    return ", ".join(f"**`{name}`**" if name in required else f"`{name}`" for name in names) or "none"


def _result(shape: Mapping[str, Any]) -> str:
    if "anyOf" in shape:
        return " or ".join(dict.fromkeys(_result(one) for one in shape["anyOf"]))
    if shape.get("type") == "object":
        return f"object: {_listed(shape.get('properties', {}))}"
    return {"string": "text", "array": "list"}.get(str(shape.get("type")), "a value")


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _named(words: Iterable[str]) -> list[str]:
    """Programs by name: the interpreter that runs us has a path that is none of the page's business."""
    return [word for word in words if "/" not in word and "\\" not in word]
