"""What a host asks of our plugin, and the answer to a hook, whatever goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from skillbag.agents.plugins.calls import HOOK, TOOL_ARGS, TOOL_NAME, read_hook_data
from skillbag.agents.plugins.plugin import PRE_TOOL, handle_hook, refusal
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.errors import UserError, format_error


def names_tool(environment: Mapping[str, str]) -> bool:
    """Whether a host calls a tool by its variables."""
    return not environment.get(HOOK) and any(environment.get(variable) for variable in (TOOL_NAME, TOOL_ARGS))


def answer_hook(
    scope: Callable[[], Scope],
    hook: str,
    environment: Mapping[str, str],
    piped: Callable[[], bytes],
    remark: Callable[[str], None] = lambda sentence: None,
) -> dict[str, Any]:
    """The answer to a hook. Of our own, only `pre_tool` needs its data, which `piped` may read; if anything fails, it
    blocks. `remark` gets what active skills have to tell the user.

    Raises:
        UserError, OSError: another hook can't be answered.
    """
    data: Mapping[str, Any] = {}
    try:
        try:
            data = read_hook_data(environment, piped)
        except UserError:
            if hook == PRE_TOOL:
                raise
        return handle_hook(scope(), hook, data, remark)
    except Exception as error:
        if hook != PRE_TOOL:
            raise
        return blocked(error)


def blocked(error: Exception) -> dict[str, Any]:
    """The answer to `pre_tool` if it failed: no error may look like permission."""
    if isinstance(error, UserError | OSError):
        return refusal(f"Tool call blocked, since it is unknown whether it is allowed: {format_error(error)}")
    import traceback

    traceback.print_exc()
    return refusal(f"Tool call blocked by a bug in skillbag ({type(error).__name__})")
