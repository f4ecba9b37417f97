"""Read a host's call of our plugin: from the environment, standard input, or the words of direct use."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError

HOOK, HOOK_DATA = "CHIBI_HOOK", "CHIBI_HOOK_DATA"
TOOL_NAME, TOOL_ARGS = "CHIBI_TOOL_NAME", "CHIBI_TOOL_ARGS"

MARKETPLACE = "skill_marketplace"

_UNNAMED = (
    (MARKETPLACE, {"action"}),
    ("run_skill_script", {"skill", "script"}),
    ("read_skill_file", {"skill", "path"}),
)
"""Tools by the arguments that identify them, for older hosts that send no name; the first match counts."""

_TAKING = {"install": "skill_ref", "remove": "skill_ref", "search": "query", "list": "", "list_installed": ""}
"""The actions of direct use, each with the argument that it takes."""


class BadCallError(UserError):
    """The host sent no valid call: no JSON, or no name of a tool."""


class PluginCall(NamedTuple):
    """A tool's name and its arguments, any JSON value."""

    tool: str
    arguments: object


def read_call(environment: Mapping[str, str], piped: Callable[[], bytes]) -> PluginCall:
    """The call of a host. `piped` reads standard input; it is called only if the environment has no arguments.

    Raises:
        BadCallError: the arguments are no JSON, or the tool can't be determined.
    """
    arguments = _read_json(environment, TOOL_ARGS, piped)
    return PluginCall(environment.get(TOOL_NAME) or _tool_for(arguments), arguments)


class HookData(NamedTuple):
    """What a host says at a hook; a text that it does not give is empty. `arguments` are any JSON value."""

    tool_name: str = ""
    prompt: str = ""
    response: str = ""
    output: str = ""
    arguments: Any = None


def read_hook_data(environment: Mapping[str, str], piped: Callable[[], bytes]) -> HookData:
    """The data of a hook. `piped`: as for `read_call`.

    Raises:
        BadCallError: they are no JSON object.
    """
    data = _read_json(environment, HOOK_DATA, piped)
    if not isinstance(data, dict):
        raise BadCallError("the hook's data is not a JSON object")
    named = {key: text for key in HookData._fields[:-1] if isinstance(text := data.get(key), str)}
    return HookData(**named, arguments=data.get("arguments"))


def names_tool(environment: Mapping[str, str]) -> bool:
    """Whether a host calls a tool by its variables."""
    return not environment.get(HOOK) and any(environment.get(variable) for variable in (TOOL_NAME, TOOL_ARGS))


def direct_call(words: Sequence[str]) -> PluginCall:
    """The call for the words of direct use, such as `install owner/name`.

    Raises:
        BadCallError: there is no such action, or it takes something else.
    """
    action, *values = words
    if action not in _TAKING:
        raise BadCallError(f"there is no action {action!r}; the actions are {', '.join(sorted(_TAKING))}")
    argument = _TAKING[action]
    if not argument:
        if values:
            raise BadCallError(f"{action} takes no argument")
        return PluginCall(MARKETPLACE, {"action": action})
    if not values or (len(values) > 1 and action != "search"):
        raise BadCallError(f"{action} takes one {'query' if action == 'search' else 'skill, such as owner/name'}")
    return PluginCall(MARKETPLACE, {"action": action, argument: " ".join(values)})


def _read_json(environment: Mapping[str, str], variable: str, piped: Callable[[], bytes]) -> object:
    """The JSON value in the variable, else on standard input; `{}` if both are empty."""
    text = environment.get(variable)
    data: str | bytes = text if text and not text.isspace() else piped()
    if not data.strip():
        return {}
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise BadCallError(f"{variable if text else 'standard input'} is not valid JSON") from None
    return {} if value is None else value


def _tool_for(arguments: object) -> str:
    if isinstance(arguments, dict):
        for tool, needed in _UNNAMED:
            if needed <= arguments.keys():
                return tool
    raise BadCallError(f"the call names no tool; name it in {TOOL_NAME}")
