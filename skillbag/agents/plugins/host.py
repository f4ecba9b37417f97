"""The host's side of the executable plugin protocol: load plugins, call their tools, dispatch hooks.

Source: agent-tools, "The executable plugin protocol". Plugins run in their own process groups, within limits of time
and output, and their output is not trusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from skillbag.agents.plugins.calls import HOOK, HOOK_DATA, TOOL_ARGS, TOOL_NAME
from skillbag.agents.plugins.loading import PluginTool, Report, parse_schema, plugin_files
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.posix import need_posix
from skillbag.report.sanitize import shown, shown_page

TIME_LIMIT = 30.0
"""Seconds that a plugin may take to answer."""

MAX_OUTPUT = 1 << 22
"""Bytes that a plugin may print (4 MiB)."""

_MAX_ERRORS = 1 << 14
"""Last bytes of standard error that are kept."""

_ERROR = "Error: "
_BLOCKED = "Tool call blocked by hook"
_OURS = (HOOK, HOOK_DATA, TOOL_NAME, TOOL_ARGS)
_LONGEST_VARIABLE = 1 << 17
"""Linux's limit for an environment variable: bytes of name, `=`, value and terminator."""

_REPEATED = 2000
"""Characters of a plugin's error output that a message repeats."""


class PluginError(UserError):
    """A plugin violated the protocol: it failed, took too long, printed too much, or can't be run."""


class NoPluginToolError(UserError):
    """No plugin has a tool of this name."""


class HookAnswer(NamedTuple):
    """A plugin's answer to a hook, JSON or text; `tool` is the tool that subscribed to it."""

    tool: str
    value: Any


class GuardDecision(NamedTuple):
    """The plugins' decision on a call: the arguments to use, or the message of a block."""

    arguments: CallInput
    blocked: str | None = None


class Plugins(NamedTuple):
    """The tools of all plugins in order, with a warning for each plugin or entry that was skipped.

    `hooked` are the tools with hooks, including those skipped because an earlier tool has their name. `environment` is
    added to the host's own (`SKILLBAG_SESSION`, say), `limit` is in seconds; set both by `_replace`.
    """

    tools: tuple[PluginTool, ...]
    warnings: tuple[str, ...] = ()
    hooked: tuple[PluginTool, ...] = ()
    environment: Mapping[str, str] = {}
    limit: float = TIME_LIMIT


def load_plugins(folder: str, *, environment: Mapping[str, str] = {}, limit: float = TIME_LIMIT) -> Plugins:
    """Load the plugins in a folder, `NAME` or `NAME/NAME`, by their schemas; none if the folder does not exist.

    A plugin that can't be used is skipped with a warning. Of two tools with the same name the first counts.

    Raises:
        OSError: the folder can't be read, or this system can't run plugins.
    """
    need_posix("an executable plugin")
    warnings: list[str] = []

    def warn(sentence: str) -> None:
        warnings.append(shown(sentence))

    plugins = Plugins((), environment=environment, limit=limit)
    absolute = os.path.abspath(folder)
    if not os.path.lexists(absolute):
        return plugins
    tools: dict[str, PluginTool] = {}
    hooked = []
    for path in plugin_files(absolute, warn):
        for tool in _tools_of(plugins, path, warn):
            if tool.hooks:
                hooked.append(tool)
            if tools.setdefault(tool.name, tool) is not tool:
                warn(f"{path}: {tools[tool.name].path} has a tool {tool.name} already, so this one is skipped")
    return plugins._replace(tools=tuple(tools.values()), warnings=tuple(warnings), hooked=tuple(hooked))


def call_plugin_tool(plugins: Plugins, name: str, arguments: CallInput) -> Any:
    """Call the tool: JSON if its output parses, else text, None if it is empty.

    Raises:
        NoPluginToolError: there is no such tool.
        PluginError: it fails, by its exit code or by a text that begins with `Error: `, for hosts that show no other
            failure.
        UserError: the arguments are not JSON.
    """
    tool = next((tool for tool in plugins.tools if tool.name == name), None)
    if tool is None:
        raise NoPluginToolError(f"no plugin has a tool {ascii(name)[:_REPEATED]}")
    answer = _value(_give(plugins, tool.path, {TOOL_NAME: name}, TOOL_ARGS, arguments))
    if isinstance(answer, str) and answer.startswith(_ERROR):
        raise PluginError(f"the plugin reports: {shown_page(answer.strip())}")
    return answer


def dispatch_hook(plugins: Plugins, hook: str, data: CallInput, report: Report | None = None) -> list[HookAnswer]:
    """Dispatch a hook to each plugin that subscribed to it, in order.

    One that fails or prints nothing is skipped; `report` gets the reason.

    Raises:
        UserError: the data are not JSON.
    """
    return list(_answers(plugins, hook, data, report))


def guard_call(plugins: Plugins, name: str, arguments: CallInput, report: Report | None = None) -> GuardDecision:
    """Ask the `pre_tool` hooks about a call of a plugin's tool or of the host's own.

    The first block wins; else the last changed arguments. Raises as `dispatch_hook`.
    """
    changed = arguments
    for answer in _answers(plugins, "pre_tool", {"tool_name": name, "arguments": arguments}, report):
        reply = answer.value if isinstance(answer.value, dict) else {}
        if reply.get("block") is True:
            message = reply.get("message")
            return GuardDecision(changed, message if isinstance(message, str) else _BLOCKED)
        if isinstance(reply.get("arguments"), dict):
            changed = reply["arguments"]
    return GuardDecision(changed)


def call_guarded(plugins: Plugins, name: str, arguments: CallInput, report: Report | None = None) -> Any:
    """`guard_call`, then `call_plugin_tool`; the message of a block replaces the result. Raises as both."""
    decision = guard_call(plugins, name, arguments, report)
    if decision.blocked is not None:
        return decision.blocked
    return call_plugin_tool(plugins, name, decision.arguments)


def _tools_of(plugins: Plugins, path: str, warn: Report) -> list[PluginTool]:
    try:
        return parse_schema(path, _output(plugins, [path, "--schema"]), warn)
    except UserError as error:
        warn(f"{path}: {error}; the plugin is skipped")
        return []


def _answers(plugins: Plugins, hook: str, data: CallInput, report: Report | None) -> Iterator[HookAnswer]:
    subscribed: dict[str, PluginTool] = {}
    for tool in plugins.hooked:
        if hook in tool.hooks:
            subscribed.setdefault(tool.path, tool)
    for path, tool in subscribed.items():
        try:
            value = _value(_give(plugins, path, {HOOK: hook}, HOOK_DATA, data))
        except PluginError as error:
            if report:
                report(f"{tool.name}: the hook {hook} is left out: {error}")
            continue
        if value is not None:
            # A text becomes part of a prompt: without the final line end.
            yield HookAnswer(tool.name, value.strip() if isinstance(value, str) else value)


def _give(plugins: Plugins, path: str, named: Mapping[str, str], variable: str, values: CallInput) -> bytes:
    """Run a plugin with the values in the variable, if they fit, and on standard input."""
    try:
        text = json.dumps(values, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(f"the data for a plugin must be JSON: {error}") from error
    if len(f"{variable}={text}") < _LONGEST_VARIABLE:
        named = {**named, variable: text}
    return _output(plugins, [path], text.encode("ascii"), named)


def _output(plugins: Plugins, command: list[str], stdin: bytes = b"", named: Mapping[str, str] = {}) -> bytes:
    from skillbag.kernel.processes.bounded import CommandLimits, CommandLine, Excess, run_bounded
    from skillbag.kernel.processes.output_capture import OutputLimit

    inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment = {**inherited, **plugins.environment, **named}
    limits = CommandLimits(plugins.limit, OutputLimit(MAX_OUTPUT, 0, ends=True), OutputLimit(0, _MAX_ERRORS))
    try:
        ended = run_bounded(CommandLine(command, environment, stdin), limits)
    except (OSError, ValueError) as error:
        raise PluginError(f"the plugin can't be run: {format_error(error)}") from error
    if ended.excess is Excess.TIME:
        raise PluginError(f"the plugin gave no answer within {plugins.limit:g} s, so it was ended")
    if ended.excess is Excess.OUTPUT:
        raise PluginError(f"the plugin printed more than {MAX_OUTPUT >> 20} MiB, so it was ended")
    if ended.code:
        message = (ended.errors.data or ended.output.data).decode("utf-8", "replace").strip()[-_REPEATED:]
        raise PluginError(
            f"the plugin failed with exit code {ended.code}: {shown_page(message) or 'it printed no message'}"
        )
    return ended.output.data


def _value(printed: bytes) -> Any:
    text = printed.decode("utf-8", "replace")
    if not text.strip():
        return None
    try:
        value = json.loads(text)
        # What is no JSON, as NaN or an escaped lone surrogate, would fail wherever the value is written again.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (ValueError, RecursionError):
        return text
    return value
