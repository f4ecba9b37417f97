"""Find the plugins of a folder and parse their schemas, neither of which is trusted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from skillbag.agents.tools.tool import Shape
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import is_within

DISABLED = ".disabled"

_LONGEST_NAME = 128
"""Characters of a tool's name."""

_NO_PARAMETERS: Shape = {"type": "object", "properties": {}}

Report = Callable[[str], None]
"""Called with a sentence about what was skipped or failed."""


class PluginTool(NamedTuple):
    """A tool of a plugin. `path` is the real path of the executable, `hooks` those that the plugin subscribed to."""

    name: str
    description: str
    parameters: Shape
    hooks: tuple[str, ...]
    path: str


class BadSchemaError(UserError):
    """A plugin's output is no schema, or one without a valid tool."""


def plugin_files(folder: str, report: Report) -> Iterator[str]:
    """The real paths of the executables in the absolute plugins folder, in order of names.

    A plugin is `NAME` or `NAME/NAME`. Names that end in `.disabled` are ignored; files that are not executable, or
    whose real path is outside of the folder, are skipped and reported.

    Raises:
        OSError: the folder can't be read.
    """
    real = os.path.realpath(folder)
    if _is_disabled(os.path.basename(folder), os.path.basename(real)):
        report(f"{folder}: the folder is disabled by its name, so its plugins are not loaded")
        return
    for name in sorted(os.listdir(real)):
        path = os.path.join(real, name)
        if _is_disabled(name):
            continue
        if os.path.isdir(path):
            path = os.path.join(path, name)
        if reason := _skip_reason(path, real):
            report(f"{path}: {reason}, so it is skipped")
        elif not _is_disabled(*os.path.relpath(os.path.realpath(path), real).split(os.sep)):
            yield os.path.realpath(path)


def parse_schema(path: str, printed: bytes, report: Report) -> list[PluginTool]:
    """The tools in the schema that the plugin printed, one object or a list; invalid entries are skipped and reported.

    Raises:
        BadSchemaError: it is no JSON, or there is no valid entry.
    """
    try:
        value = json.loads(printed.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadSchemaError("its schema is not valid JSON") from None
    tools = []
    for number, entry in enumerate(value if isinstance(value, list) else [value], 1):
        if fault := _fault(entry):
            report(f"{path}: entry {number} of its schema {fault}, so it is skipped")
            continue
        parameters, hooks = entry.get("parameters"), entry.get("hooks")
        named = dict.fromkeys(hook for hook in hooks if isinstance(hook, str)) if isinstance(hooks, list) else ()
        shape = _NO_PARAMETERS if parameters is None else parameters
        tools.append(PluginTool(entry["name"], entry["description"], shape, tuple(named), path))
    if not tools:
        raise BadSchemaError("there is no valid tool in its schema")
    return tools


def _is_disabled(*names: str) -> bool:
    return any(name.endswith(DISABLED) for name in names)


def _skip_reason(path: str, folder: str) -> str | None:
    if not is_within(folder, path):
        return "its real path is outside of the plugins folder"
    if not os.path.isfile(path):
        return "there is no such file"
    return None if os.access(path, os.X_OK) else "it is not executable"


def _fault(entry: object) -> str | None:
    if not isinstance(entry, dict):
        return "is not an object"
    name, parameters = entry.get("name"), entry.get("parameters")
    if not isinstance(name, str) or not isinstance(entry.get("description"), str):
        return "needs a `name` and a `description`, both text"
    # The name is used in an environment variable, in logs and in prompts.
    if not (0 < len(name) <= _LONGEST_NAME and name.isprintable() and not any(map(str.isspace, name))):
        return "has an invalid `name`"
    if parameters is not None and not isinstance(parameters, dict):
        return "has `parameters` that are not an object"
    return None
