"""The functions that a skill may call in its host, as one table (skill runtime, section 7.2).

`call` checks the arguments by value, then demands the permission, and only then does anything. Each error names the
function.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.manifest.names import STARLARK_FUNCTIONS, Permission
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.backends.backend import HostFunctions, StandIn
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.host import commands, files, git, llm, search
from skillbag.runtime.host.parameters import Parameter, ParameterKind, check_arguments
from skillbag.runtime.skill import Json

_LONGEST_DETAIL = 200
_LONGEST_LOG = 10_000


class HostLimits(NamedTuple):
    """Seconds of a program and of a fetch, and bytes of a fetched answer (skill runtime, section 5)."""

    exec_seconds: float = 30.0
    fetch_seconds: float = 15.0
    fetch_bytes: int = 1 << 20


class HostContext(NamedTuple):
    """What the functions of one skill need.

    `directory` (with `live`) and `workspace` are as in `files.HostFolders`. `demand` is the broker: it gets the
    permission and a short detail (masked), and raises `NotPermittedError` or `RateLimitedError`.
    `invoke` runs a workflow of another skill. `log` gets a level and a message (masked). `project_language` gives the
    main language of the workspace, "" if it is unknown. `allow_private` is for tests: `fetch` from loopback. For
    `environment` and `stand_in` see `RuntimeRequest`, for `steering_files` the manifest.
    """

    directory: str
    workspace: str | None
    demand: Callable[[Permission, str], None]
    completer: llm.Completer | None
    invoke: Callable[[str, Json], Json]
    log: Callable[[str, str], None]
    project_language: Callable[[], str]
    limits: HostLimits = HostLimits()
    allow_private: bool = False
    environment: Mapping[str, str] = os.environ
    stand_in: StandIn | None = None
    steering_files: tuple[str, ...] = ()
    live: str = ""


class _Host(NamedTuple):
    """The context, and the variables that the skill has set for its programs."""

    context: HostContext
    variables: dict[str, str]

    @property
    def places(self) -> files.HostFolders:
        return files.HostFolders(self.context.directory, self.context.workspace, self.context.live)

    @property
    def workspace(self) -> str | None:
        return self.context.workspace


Values = Mapping[str, Any]
"""Checked arguments by name; each parameter has a value."""


class HostFunction(NamedTuple):
    """A function: its parameters, and those that are its detail for the broker. What it needs is in
    `kernel.manifest.names`."""

    parameters: tuple[Parameter, ...]
    run: Callable[[_Host, Values], Json]
    detail: tuple[str, ...] = ()


def host_functions(context: HostContext) -> HostFunctions:
    """The functions of one skill, behind its broker. They may be called from several threads."""
    host = _Host(context, {})

    def call(name: str, arguments: Mapping[str, Json]) -> Json:
        function = FUNCTIONS.get(name)
        if function is None:
            raise NotFoundError(f"the host has no function {name[:80]!r}")
        try:
            values = check_arguments(function.parameters, arguments)
            if permission := STARLARK_FUNCTIONS.get(name):
                context.demand(permission, _detail(function, values))
            if context.stand_in:
                return context.stand_in(name, values, lambda: function.run(host, values))
            return function.run(host, values)
        except RuntimeFaultError as error:
            raise type(error)(f"{name}: {error}") from error
        except (UserError, OSError) as error:
            raise RuntimeFaultError(f"{name}: {format_error(error)}") from error

    return call


def _detail(function: HostFunction, values: Values) -> str:
    parts = [values[name] for name in function.detail]
    words = [word for part in parts for word in (part if isinstance(part, list) else [part])]
    # Cut before the search for secrets, which a skill could make long, and again behind any half secret.
    return mask(" ".join(words)[: 4 * _LONGEST_DETAIL])[:_LONGEST_DETAIL]


def _list_dir(host: _Host, values: Values) -> Json:
    items = files.list_dir(host.places, values["path"])
    return [item._asdict() if values["details"] else item.name for item in items]


def _exec(host: _Host, values: Values) -> Json:
    context = host.context
    variables = commands.command_environment(context.directory, context.workspace, context.environment, host.variables)
    seconds = context.limits.exec_seconds
    return commands.run_command(host.places, values["command"], values["args"], variables, seconds)._asdict()


def _fetch(host: _Host, values: Values) -> Json:
    from skillbag.runtime.host.fetch import FetchLimits, fetch

    limits = host.context.limits
    return fetch(values["url"], FetchLimits(limits.fetch_seconds, limits.fetch_bytes, host.context.allow_private))


def _set_env(host: _Host, values: Values) -> None:
    commands.check_variable(values["key"], values["value"], host.variables)
    host.variables[values["key"]] = values["value"]


def _log(host: _Host, values: Values) -> None:
    host.context.log(values["level"], mask(values["message"][:_LONGEST_LOG]))


_PATH = Parameter("path", ParameterKind.WORD)
_ARGS = Parameter("args", ParameterKind.WORDS, default=[])
_PROMPT = Parameter("prompt", ParameterKind.TEXT)

FUNCTIONS: Mapping[str, HostFunction] = {
    "read_file": HostFunction((_PATH,), lambda host, values: files.read_file(host.places, values["path"]), ("path",)),
    "list_dir": HostFunction((_PATH, Parameter("details", ParameterKind.FLAG, default=False)), _list_dir, ("path",)),
    "search_files": HostFunction(
        (Parameter("pattern", ParameterKind.WORD),),
        lambda host, values: search.search_files(host.places, values["pattern"]),
        ("pattern",),
    ),
    "write_file": HostFunction(
        (_PATH, Parameter("content", ParameterKind.TEXT)),
        lambda host, values: files.write_file(
            host.places, values["path"], values["content"], host.context.steering_files
        ),
        ("path",),
    ),
    "exec": HostFunction((Parameter("command", ParameterKind.WORD), _ARGS), _exec, ("command", "args")),
    "fetch": HostFunction((Parameter("url", ParameterKind.WORD),), _fetch, ("url",)),
    "llm_complete": HostFunction(
        (_PROMPT,), lambda host, values: llm.complete(host.context.completer, values["prompt"])
    ),
    "llm_json": HostFunction(
        (_PROMPT, Parameter("schema", ParameterKind.OBJECT)),
        lambda host, values: llm.complete_json(host.context.completer, values["prompt"], values["schema"]),
    ),
    "git_diff": HostFunction((_ARGS,), lambda host, values: git.git_diff(host.workspace, values["args"]), ("args",)),
    "git_log": HostFunction(
        (_ARGS,),
        lambda host, values: [each._asdict() for each in git.git_log(host.workspace, values["args"])],
        ("args",),
    ),
    "git_status": HostFunction((), lambda host, _: [each._asdict() for each in git.git_status(host.workspace)]),
    "git_add": HostFunction(
        (Parameter("paths", ParameterKind.WORDS),),
        lambda host, values: git.git_add(host.workspace, values["paths"]),
        ("paths",),
    ),
    "git_commit": HostFunction(
        (Parameter("message", ParameterKind.TEXT),),
        lambda host, values: git.git_commit(host.workspace, values["message"]),
        ("message",),
    ),
    "git_branch": HostFunction(
        (Parameter("name", ParameterKind.WORD),),
        lambda host, values: git.git_branch(host.workspace, values["name"]),
        ("name",),
    ),
    "env": HostFunction(
        (Parameter("key", ParameterKind.WORD),),
        lambda host, values: commands.read_variable(values["key"], host.context.environment, host.variables),
        ("key",),
    ),
    "set_env": HostFunction(
        (Parameter("key", ParameterKind.WORD), Parameter("value", ParameterKind.WORD)), _set_env, ("key",)
    ),
    "invoke_skill": HostFunction(
        (Parameter("name", ParameterKind.WORD), Parameter("input", ParameterKind.VALUE, default=None)),
        lambda host, values: host.context.invoke(values["name"], values["input"]),
        ("name",),
    ),
    "project_root": HostFunction((), lambda host, _: host.workspace or ""),
    "load_file": HostFunction((_PATH,), lambda host, values: files.load_file(host.places, values["path"])),
    "project_language": HostFunction((), lambda host, _: host.context.project_language()),
    "log": HostFunction(
        (Parameter("level", ParameterKind.LEVEL, default="info"), Parameter("message", ParameterKind.TEXT)), _log
    ),
}
"""Every function by its name."""
