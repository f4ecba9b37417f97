"""`skill_marketplace`, `skill_add` and `skill_remove`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skillbag.agent.tool import (
    ANY_CASE_PATTERN,
    NAME,
    TEXT,
    BadArgumentsError,
    Result,
    Shape,
    Tool,
    described,
    object_of,
    text_of,
)
from skillbag.settings.scope import Scope, configured_personal

if TYPE_CHECKING:
    from skillbag.marketplace.index import Offered

_MATCHES, _LISTED = 20, 100
"""Default limits of `search` and `list`."""


def _marketplace(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.marketplace import marketplace

    match arguments["action"]:
        case "install":
            return Result(marketplace.install_skill(scope, _required(arguments, "skill_ref")))
        case "remove":
            return Result(marketplace.remove_skill(scope, _required(arguments, "skill_ref")))
        case "search":
            matches = marketplace.search(_required(arguments, "query"), arguments.get("limit", _MATCHES))
            return Result([_offer(skill) for skill in matches.skills])
        case "list":
            return Result([_offer(skill) for skill in marketplace.list_offered(arguments.get("limit", _LISTED))])
        case _:
            return Result(list(marketplace.list_installed(scope)))


def _required(arguments: Mapping[str, Any], name: str) -> str:
    if name not in arguments:
        raise BadArgumentsError(f"skill_marketplace: `{name}` is missing, which {arguments['action']} needs")
    return str(arguments[name])


def _offer(skill: Offered) -> dict[str, str]:
    return {"name": skill.name, "description": skill.description, "skill_ref": skill.ref, "source": skill.source}


def _add(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.personal.skills import add_personal_skill

    folder = os.path.join(scope.root or os.getcwd(), os.path.expanduser(arguments["path"]))
    return Result(add_personal_skill(configured_personal(scope), folder).values())


def _remove(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.personal.skills import remove_personal_skill

    return Result(remove_personal_skill(configured_personal(scope), arguments["name"]).values())


def _change_schema(*statuses: str) -> Shape:
    properties = {"summary": TEXT, "skillName": TEXT, "status": {"type": "string", "enum": list(statuses)}}
    return object_of(properties, tuple(properties))


SKILL_MARKETPLACE = Tool(
    "skill_marketplace",
    "Find, install and remove skills of the workspace. Use search when no installed skill fits the task, and "
    "install once the user agrees to a match. search and list return name, description, skill_ref and source "
    "of each skill that the user's sources offer, list_installed name and description of the installed skills, "
    "install and remove what was done.",
    object_of(
        {
            "action": {
                "type": "string",
                "enum": ["install", "remove", "search", "list", "list_installed"],
                "description": "What to do.",
            },
            "skill_ref": text_of(
                2000,
                "The skill to install or remove: owner/name, SOURCE/name, a name, or ADDRESS#name; "
                "search and list give it.",
            ),
            "query": text_of(1000, "What to search for, in words."),
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "description": f"How many skills search ({_MATCHES}) and list ({_LISTED}) return at most.",
            },
        },
        ("action",),
    ),
    {
        "anyOf": [
            TEXT,
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"name": TEXT, "description": TEXT, "skill_ref": TEXT, "source": TEXT},
                    "required": ["name", "description"],
                },
            },
        ]
    },
    _marketplace,
    writes=True,
    destroys=True,
    writing_actions=frozenset({"install", "remove"}),
)
SKILL_ADD = Tool(
    "skill_add",
    "Copy the skill in a folder into the user's personal skills, replacing one of the same name. Use it when the user "
    "wants to have a skill in every workspace.",
    object_of(
        {"path": text_of(4096, "The folder that holds SKILL.md; a relative one counts from the workspace.")},
        ("path",),
    ),
    _change_schema("installed", "replaced"),
    _add,
    writes=True,
    destroys=True,
    user_only=True,
)
SKILL_REMOVE = Tool(
    "skill_remove",
    "Delete one of the user's personal skills. Use it when the user asks for that.",
    object_of(
        {
            "name": {
                **described(NAME, "The name of the personal skill, in any case of letters."),
                "pattern": ANY_CASE_PATTERN,
            }
        },
        ("name",),
    ),
    _change_schema("removed"),
    _remove,
    writes=True,
    destroys=True,
    user_only=True,
)
