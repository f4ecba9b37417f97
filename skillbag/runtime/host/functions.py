"""The functions that a skill may call in its host, as one table (skill runtime, section 7.2).

`call` checks the arguments by value, then demands the permission, and only then does anything. Each error names the
function.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

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


class HostFunction(NamedTuple):
    """A function: its parameters, in the order in which `run` takes them behind the host. What it needs is in
    `kernel.manifest.names`."""

    parameters: tuple[Parameter, ...]
    run: Callable[..., Json]


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
                context.demand(permission, _detail(function.parameters, values))
            run = partial(function.run, host, *values)
            if context.stand_in:
                names = [each.name for each in function.parameters]
                return context.stand_in(name, dict(zip(names, values, strict=True)), run)
            return run()
        except RuntimeFaultError as error:
            raise type(error)(f"{name}: {error}") from error
        except (UserError, OSError) as error:
            raise RuntimeFaultError(f"{name}: {format_error(error)}") from error

    return call


def _detail(parameters: tuple[Parameter, ...], values: tuple[Json, ...]) -> str:
    parts = [value for parameter, value in zip(parameters, values, strict=True) if parameter.is_detail]
    words = [word for part in parts for word in (part if isinstance(part, list) else [part])]
    # Cut before the search for secrets, which a skill could make long, and again behind any half secret.
    return mask(" ".join(words)[: 4 * _LONGEST_DETAIL])[:_LONGEST_DETAIL]


def _list_dir(host: _Host, path: str, details: bool) -> Json:
    return [item._asdict() if details else item.name for item in files.list_dir(host.places, path)]


def _exec(host: _Host, command: str, arguments: list[str]) -> Json:
    context = host.context
    variables = commands.command_environment(context.directory, context.workspace, context.environment, host.variables)
    seconds = context.limits.exec_seconds
    return commands.run_command(host.places, command, arguments, variables, seconds)._asdict()


def _fetch(host: _Host, url: str) -> Json:
    from skillbag.runtime.host.fetch import FetchLimits, fetch

    limits = host.context.limits
    return fetch(url, FetchLimits(limits.fetch_seconds, limits.fetch_bytes, host.context.allow_private))


def _set_env(host: _Host, key: str, value: str) -> None:
    commands.check_variable(key, value, host.variables)
    host.variables[key] = value


def _log(host: _Host, level: str, message: str) -> None:
    host.context.log(level, mask(message[:_LONGEST_LOG]))


def _word(name: str) -> Parameter:
    return Parameter(name, ParameterKind.WORD, is_detail=True)


_PATH = _word("path")
_ARGS = Parameter("args", ParameterKind.WORDS, default=[], is_detail=True)
_PROMPT = Parameter("prompt", ParameterKind.TEXT)

FUNCTIONS: Mapping[str, HostFunction] = {
    "read_file": HostFunction((_PATH,), lambda host, path: files.read_file(host.places, path)),
    "list_dir": HostFunction((_PATH, Parameter("details", ParameterKind.FLAG, default=False)), _list_dir),
    "search_files": HostFunction((_word("pattern"),), lambda host, pattern: search.search_files(host.places, pattern)),
    "write_file": HostFunction(
        (_PATH, Parameter("content", ParameterKind.TEXT)),
        lambda host, path, content: files.write_file(host.places, path, content, host.context.steering_files),
    ),
    "exec": HostFunction((_word("command"), _ARGS), _exec),
    "fetch": HostFunction((_word("url"),), _fetch),
    "llm_complete": HostFunction((_PROMPT,), lambda host, prompt: llm.complete(host.context.completer, prompt)),
    "llm_json": HostFunction(
        (_PROMPT, Parameter("schema", ParameterKind.OBJECT)),
        lambda host, prompt, schema: llm.complete_json(host.context.completer, prompt, schema),
    ),
    "git_diff": HostFunction((_ARGS,), lambda host, arguments: git.git_diff(host.workspace, arguments)),
    "git_log": HostFunction(
        (_ARGS,), lambda host, arguments: [each._asdict() for each in git.git_log(host.workspace, arguments)]
    ),
    "git_status": HostFunction((), lambda host: [each._asdict() for each in git.git_status(host.workspace)]),
    "git_add": HostFunction(
        (Parameter("paths", ParameterKind.WORDS, is_detail=True),),
        lambda host, paths: git.git_add(host.workspace, paths),
    ),
    "git_commit": HostFunction(
        (Parameter("message", ParameterKind.TEXT, is_detail=True),),
        lambda host, message: git.git_commit(host.workspace, message),
    ),
    "git_branch": HostFunction((_word("name"),), lambda host, name: git.git_branch(host.workspace, name)),
    "env": HostFunction(
        (_word("key"),),
        lambda host, key: commands.read_variable(key, host.context.environment, host.variables),
    ),
    "set_env": HostFunction((_word("key"), Parameter("value", ParameterKind.WORD)), _set_env),
    "invoke_skill": HostFunction(
        (_word("name"), Parameter("input", ParameterKind.VALUE, default=None)),
        lambda host, name, value: host.context.invoke(name, value),
    ),
    "project_root": HostFunction((), lambda host: host.workspace or ""),
    "load_file": HostFunction((_PATH,), lambda host, path: files.load_file(host.places, path)),
    "project_language": HostFunction((), lambda host: host.context.project_language()),
    "log": HostFunction(
        (Parameter("level", ParameterKind.LEVEL, default="info"), Parameter("message", ParameterKind.TEXT)), _log
    ),
}
"""Every function by its name."""
