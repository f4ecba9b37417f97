"""What a host asks of our plugin: read from the environment, from standard input, or from the words of direct use."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from skillbag.base.errors import UserError

HOOK, HOOK_DATA = "CHIBI_HOOK", "CHIBI_HOOK_DATA"
TOOL_NAME, TOOL_ARGS = "CHIBI_TOOL_NAME", "CHIBI_TOOL_ARGS"

MARKETPLACE = "skill_marketplace"

_UNNAMED = (
    (MARKETPLACE, {"action"}),
    ("run_skill_script", {"skill", "script"}),
    ("read_skill_file", {"skill", "path"}),
)
"""The tools that their arguments give away, where an older host does not name them; the first that fits counts."""

_TAKING = {"install": "skill_ref", "remove": "skill_ref", "search": "query", "list": "", "list_installed": ""}
"""The actions of direct use, and the argument that each takes."""


class BadCallError(UserError):
    """What the host gave is no call: no JSON, or no tool is named."""


class Call(NamedTuple):
    """A tool, and the arguments for it: any JSON value so far."""

    tool: str
    arguments: object


def read_call(environment: Mapping[str, str], piped: Callable[[], bytes]) -> Call:
    """The call that a host makes. `piped` reads standard input, and is asked only where the environment has nothing.

    Raises:
        BadCallError: the arguments are no JSON, or nothing says which tool is meant.
    """
    arguments = _given(environment, TOOL_ARGS, piped)
    return Call(environment.get(TOOL_NAME) or _tool_for(arguments), arguments)


def read_hook_data(environment: Mapping[str, str], piped: Callable[[], bytes]) -> Mapping[str, Any]:
    """The data of a hook. `piped` as for `read_call`.

    Raises:
        BadCallError: they are no JSON object.
    """
    data = _given(environment, HOOK_DATA, piped)
    if not isinstance(data, dict):
        raise BadCallError("the data of the hook is no JSON object")
    return data


def direct_call(words: Sequence[str]) -> Call:
    """What a person means by `agent-skills install owner/name`.

    Raises:
        BadCallError: there is no such action, or it takes something else.
    """
    action, *values = words
    if action not in _TAKING:
        raise BadCallError(f"there is no action {action!r}; the actions are {', '.join(sorted(_TAKING))}")
    argument = _TAKING[action]
    if not argument:
        if values:
            raise BadCallError(f"{action} takes nothing else")
        return Call(MARKETPLACE, {"action": action})
    if not values or (len(values) > 1 and action != "search"):
        raise BadCallError(f"{action} takes one {'query' if action == 'search' else 'skill, such as owner/name'}")
    return Call(MARKETPLACE, {"action": action, argument: " ".join(values)})


def _given(environment: Mapping[str, str], variable: str, piped: Callable[[], bytes]) -> object:
    """The JSON value in the variable, or else on standard input; `{}` where there is neither."""
    held = environment.get(variable)
    data: str | bytes = held if held and not held.isspace() else piped()
    if not data.strip():
        return {}
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise BadCallError(f"{variable if held else 'standard input'} is no JSON") from None
    return {} if value is None else value


def _tool_for(arguments: object) -> str:
    if isinstance(arguments, dict):
        for tool, needed in _UNNAMED:
            if needed <= arguments.keys():
                return tool
    raise BadCallError(f"nothing says which tool is called; name it in {TOOL_NAME}")
