"""The host's side of the executable plugin protocol: load plugins, call their tools, dispatch hooks.

Source: agent-tools, "The executable plugin protocol". Plugins run in process groups of their own, within limits of time
and output, and nothing that they print is trusted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from skillbag.base.errors import UserError, format_error
from skillbag.plugins.calls import HOOK, HOOK_DATA, TOOL_ARGS, TOOL_NAME

if TYPE_CHECKING:
    from skillbag.plugins.loading import Report

TIME_LIMIT = 30.0
"""Seconds that a plugin may take to answer."""

MOST_OUTPUT = 1 << 22
"""Bytes that a plugin may print (4 MiB)."""

_MOST_ERRORS = 1 << 14
"""Bytes of standard error that are kept, the last ones."""

_ERROR = "Error: "
_BLOCKED = "Tool call blocked by hook"
_OURS = (HOOK, HOOK_DATA, TOOL_NAME, TOOL_ARGS)
_LONGEST_VARIABLE = 1 << 17
"""Bytes of an environment variable with its name, its `=` and its end: no more are taken by Linux."""

_REPEATED = 2000
"""Characters of a plugin's own words that are repeated."""


class PluginError(UserError):
    """A plugin did not answer as the protocol asks: it failed, took too long, printed too much, or can't be run."""


class NoPluginToolError(UserError):
    """No plugin has a tool of this name."""


class PluginTool(NamedTuple):
    """A tool of a plugin. `path` is the real path of the executable, `hooks` those that the plugin asked for."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    hooks: tuple[str, ...]
    path: str


class HookAnswer(NamedTuple):
    """What a plugin answered to a hook, JSON or text; `tool` is the tool that asked for the hook."""

    tool: str
    value: Any


class GuardDecision(NamedTuple):
    """What the plugins say of a call before it is made: with which arguments, or the message that stands for it."""

    arguments: Mapping[str, Any]
    blocked: str | None = None


class Plugins(NamedTuple):
    """The tools of all plugins in order, and a sentence on each thing that was skipped and why.

    `hooked` are the tools whose hooks are dispatched, those among them that lost their name to an earlier one.
    `environment` is given to plugins beside the host's own (`SKILLBAG_SESSION`, say), `limit` is in seconds; both may
    be set otherwise by `_replace`.
    """

    tools: tuple[PluginTool, ...]
    warnings: tuple[str, ...] = ()
    hooked: tuple[PluginTool, ...] = ()
    environment: Mapping[str, str] = {}
    limit: float = TIME_LIMIT


def load_plugins(folder: str, *, environment: Mapping[str, str] = {}, limit: float = TIME_LIMIT) -> Plugins:
    """The plugins in a folder, `NAME` or `NAME/NAME`, each asked for its schema; none where there is no such folder.

    A plugin that can't be used is warned about and skipped. Of two tools of one name the first counts.

    Raises:
        UserError: this system has no process groups.
        OSError: the folder can't be read.
    """
    from skillbag.plugins.loading import plugin_files
    from skillbag.report.sanitize import shown

    if os.name != "posix":
        raise UserError("executable plugins need a system with process groups, which this one is not")
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


def call_plugin_tool(plugins: Plugins, name: str, arguments: Mapping[str, Any]) -> Any:
    """What the tool prints: JSON where it parses, else text, None where it prints nothing.

    Raises:
        NoPluginToolError: there is no such tool.
        PluginError: it fails, with what it says: by its exit code, or by a text that begins with `Error: `, which is
            how plugins fail for hosts that show nothing else of a failure.
        UserError: the arguments are no JSON.
    """
    tool = next((tool for tool in plugins.tools if tool.name == name), None)
    if tool is None:
        raise NoPluginToolError(f"no plugin has a tool {ascii(name)[:_REPEATED]}")
    answer = _value(_run(plugins, tool.path, {TOOL_NAME: name}, TOOL_ARGS, arguments))
    if isinstance(answer, str) and answer.startswith(_ERROR):
        from skillbag.report.sanitize import shown_page

        raise PluginError(f"the plugin says: {shown_page(answer.strip())}")
    return answer


def dispatch_hook(
    plugins: Plugins, hook: str, data: Mapping[str, Any], report: Report | None = None
) -> list[HookAnswer]:
    """The answers to a hook of all plugins that asked for it, each asked once, in order.

    One that fails or prints nothing is left out, and the others go on; `report` is told why.

    Raises:
        UserError: the data are no JSON.
    """
    return list(_answers(plugins, hook, data, report))


def guard_call(
    plugins: Plugins, name: str, arguments: Mapping[str, Any], report: Report | None = None
) -> GuardDecision:
    """What `pre_tool` of all plugins says of a call, be it of a plugin's tool or of the host's own.

    The first that blocks ends it; else the last arguments that one gives count. Raises as `dispatch_hook`.
    """
    changed = arguments
    for answer in _answers(plugins, "pre_tool", {"tool_name": name, "arguments": arguments}, report):
        said = answer.value if isinstance(answer.value, dict) else {}
        if said.get("block") is True:
            message = said.get("message")
            return GuardDecision(changed, message if isinstance(message, str) else _BLOCKED)
        if isinstance(said.get("arguments"), dict):
            changed = said["arguments"]
    return GuardDecision(changed)


def call_guarded(plugins: Plugins, name: str, arguments: Mapping[str, Any], report: Report | None = None) -> Any:
    """`guard_call`, then `call_plugin_tool`; the message of a block stands for the result. Raises as both."""
    verdict = guard_call(plugins, name, arguments, report)
    if verdict.blocked is not None:
        return verdict.blocked
    return call_plugin_tool(plugins, name, verdict.arguments)


def _tools_of(plugins: Plugins, path: str, warn: Report) -> list[PluginTool]:
    from skillbag.plugins.loading import parse_schema

    try:
        printed = _run(plugins, path, {}, None, None)
        return [PluginTool(*tool, path) for tool in parse_schema(printed, lambda why: warn(f"{path}: {why}"))]
    except UserError as error:
        warn(f"{path}: {error}; the plugin is skipped")
        return []


def _answers(plugins: Plugins, hook: str, data: Mapping[str, Any], report: Report | None) -> Iterator[HookAnswer]:
    asked: dict[str, PluginTool] = {}
    for tool in plugins.hooked:
        if hook in tool.hooks:
            asked.setdefault(tool.path, tool)
    for path, tool in asked.items():
        try:
            value = _value(_run(plugins, path, {HOOK: hook}, HOOK_DATA, data))
        except PluginError as error:
            if report:
                report(f"{tool.name}: the hook {hook} is left out: {error}")
            continue
        if value is not None:
            # A text is put into a prompt, where the line end of whoever printed it has no place.
            yield HookAnswer(tool.name, value.strip() if isinstance(value, str) else value)


def _run(
    plugins: Plugins, path: str, more: Mapping[str, str], variable: str | None, given: Mapping[str, Any] | None
) -> bytes:
    """Run a plugin: with what is given both in the variable and on standard input, or with `--schema`."""
    inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment = {**inherited, **plugins.environment, **more}
    if variable is None:
        return _output(plugins, [path, "--schema"], b"", environment)
    text = _json(given)
    if len(f"{variable}={text}") < _LONGEST_VARIABLE:
        environment[variable] = text
    return _output(plugins, [path], text.encode("ascii"), environment)


def _output(plugins: Plugins, command: list[str], stdin: bytes, environment: Mapping[str, str]) -> bytes:
    from skillbag.report.sanitize import shown_page
    from skillbag.scripts.output_capture import OutputLimit
    from skillbag.scripts.processes import Command, Excess, Limits, run_bounded

    limits = Limits(plugins.limit, OutputLimit(MOST_OUTPUT, 0, ends=True), OutputLimit(0, _MOST_ERRORS))
    try:
        ended = run_bounded(Command(command, environment, stdin), limits)
    except OSError as error:
        raise PluginError(f"the plugin can't be run: {format_error(error)}") from error
    except ValueError as error:
        raise PluginError(f"the plugin can't be run: {error}") from error
    if ended.excess is Excess.TIME:
        raise PluginError(f"the plugin gave no answer within {plugins.limit:g} s, so it was ended")
    if ended.excess is Excess.OUTPUT:
        raise PluginError(f"the plugin printed more than {MOST_OUTPUT >> 20} MiB, so it was ended")
    if ended.code:
        words = (ended.errors.data or ended.output.data).decode("utf-8", "replace").strip()[-_REPEATED:]
        raise PluginError(f"the plugin failed with exit code {ended.code}: {shown_page(words) or 'it says nothing'}")
    return ended.output.data


def _json(value: object) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(f"what is given to a plugin must be JSON: {error}") from error


def _value(printed: bytes) -> Any:
    text = printed.decode("utf-8", "replace")
    if not text.strip():
        return None
    try:
        value = json.loads(text, parse_constant=_no_constant)
        # Half a surrogate pair can be written as an escape, and would fail wherever the value is written again.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return text
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
