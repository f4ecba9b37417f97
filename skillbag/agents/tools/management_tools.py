"""`skill_marketplace`, `skill_add` and `skill_remove`, and who is asked when they install: the user of the client whose
call is running, if that client can ask."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from skillbag.agents.personal.available import available_skills
from skillbag.agents.settings.scope import Scope, configured_personal
from skillbag.agents.tools.tool import BadArgumentsError, ToolResult, built_in
from skillbag.kernel.base.json_records import ABSENT, Absent, to_json

if TYPE_CHECKING:
    from skillbag.agents.marketplace.index import Offered
    from skillbag.supply.install.confirmation import Prompter

_MATCHES, _LISTED = 20, 100
"""Default limits of `search` and `list`, which the description of `limit` names."""


_current: ContextVar[Prompter | None] = ContextVar("prompter", default=None)


@contextmanager
def prompting(prompter: Prompter | None) -> Iterator[None]:
    """Within the block, also in threads that it waits for, installations ask through this prompter."""
    token = _current.set(prompter)
    try:
        yield
    finally:
        _current.reset(token)


def _prompter() -> Prompter:
    """What asks the user; it can't ask anybody where nothing was set."""
    from skillbag.supply.install.confirmation import Prompter

    return _current.get() or Prompter()


def _marketplace(scope: Scope, action: str, skill_ref: str = "", query: str = "", limit: int = 0) -> ToolResult:
    from skillbag.agents.marketplace import marketplace

    match action:
        case "install":
            from skillbag.agents.marketplace.install import install_skill

            return ToolResult(install_skill(scope, _required(action, skill_ref=skill_ref), _prompter()))
        case "remove":
            from skillbag.agents.marketplace.install import remove_skill

            return ToolResult(remove_skill(scope, _required(action, skill_ref=skill_ref)))
        case "search":
            matches = marketplace.search_everywhere(_required(action, query=query), limit or _MATCHES)
            return _offers(matches.skills)
        case "list":
            return _offers(marketplace.list_offered(limit or _LISTED))
        case _:
            installed = available_skills(scope).by_name.values()
            return ToolResult(to_json([_Listed(skill.name, skill.description) for skill in installed]))


def _required(action: str, **given: str) -> str:
    """The one argument that is given, which no schema lets be empty."""
    ((name, value),) = given.items()
    if not value:
        raise BadArgumentsError(f"skill_marketplace: `{name}` is missing, which {action} needs")
    return value


class _Listed(NamedTuple):
    """A skill in a list; of an installed one only the first two are known."""

    name: str
    description: str
    skill_ref: str | Absent = ABSENT
    source: str | Absent = ABSENT


def _offers(skills: Iterable[Offered]) -> ToolResult:
    return ToolResult(to_json([_Listed(skill.name, skill.description, skill.ref, skill.source) for skill in skills]))


def _add(scope: Scope, path: str) -> ToolResult:
    from skillbag.agents.personal.skills import add_personal_skill

    folder = os.path.join(scope.root or os.getcwd(), os.path.expanduser(path))
    return ToolResult(add_personal_skill(configured_personal(scope), folder, prompter=_prompter()).values())


def _remove(scope: Scope, name: str) -> ToolResult:
    from skillbag.agents.personal.skills import remove_personal_skill

    root = configured_personal(scope)
    return ToolResult(remove_personal_skill(root, name, prompter=_prompter()).values())


SKILL_MARKETPLACE = built_in("skill_marketplace", _marketplace)
SKILL_ADD = built_in("skill_add", _add)
SKILL_REMOVE = built_in("skill_remove", _remove)
