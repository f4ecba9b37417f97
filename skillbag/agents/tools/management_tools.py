"""`skill_marketplace`, `skill_add` and `skill_remove`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from skillbag.agents.settings.scope import Scope, configured_personal
from skillbag.agents.tools.consent import current_prompter
from skillbag.agents.tools.tool import BadArgumentsError, ToolResult, built_in

if TYPE_CHECKING:
    from skillbag.agents.marketplace.index import Offered

_MATCHES, _LISTED = 20, 100
"""Default limits of `search` and `list`, which the description of `limit` names."""


def _marketplace(scope: Scope, action: str, skill_ref: str = "", query: str = "", limit: int = 0) -> ToolResult:
    from skillbag.agents.marketplace import marketplace

    match action:
        case "install":
            return ToolResult(
                marketplace.install_skill(scope, _required(action, skill_ref=skill_ref), current_prompter())
            )
        case "remove":
            return ToolResult(marketplace.remove_skill(scope, _required(action, skill_ref=skill_ref)))
        case "search":
            matches = marketplace.search_everywhere(_required(action, query=query), limit or _MATCHES)
            return ToolResult([_offer(skill) for skill in matches.skills])
        case "list":
            return ToolResult([_offer(skill) for skill in marketplace.list_offered(limit or _LISTED)])
        case _:
            return ToolResult(list(marketplace.list_installed(scope)))


def _required(action: str, **given: str) -> str:
    """The one argument that is given, which no schema lets be empty."""
    ((name, value),) = given.items()
    if not value:
        raise BadArgumentsError(f"skill_marketplace: `{name}` is missing, which {action} needs")
    return value


def _offer(skill: Offered) -> dict[str, str]:
    return {"name": skill.name, "description": skill.description, "skill_ref": skill.ref, "source": skill.source}


def _add(scope: Scope, path: str) -> ToolResult:
    from skillbag.agents.personal.skills import add_personal_skill

    folder = os.path.join(scope.root or os.getcwd(), os.path.expanduser(path))
    return ToolResult(add_personal_skill(configured_personal(scope), folder, prompter=current_prompter()).values())


def _remove(scope: Scope, name: str) -> ToolResult:
    from skillbag.agents.personal.skills import remove_personal_skill

    root = configured_personal(scope)
    return ToolResult(remove_personal_skill(root, name, prompter=current_prompter()).values())


SKILL_MARKETPLACE = built_in("skill_marketplace", _marketplace)
SKILL_ADD = built_in("skill_add", _add)
SKILL_REMOVE = built_in("skill_remove", _remove)
