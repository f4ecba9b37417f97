"""What a child's answers mean: what it registered, and the results of calls (skill runtime, section 7.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TypeVar

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.fs.confined import read_beneath
from skillbag.kernel.manifest.names import Phase
from skillbag.kernel.manifest.values import Manifest, ToolDeclaration
from skillbag.runtime.backends.backend import CallKind, Registration, ToolOutput, ToolSpec
from skillbag.runtime.backends.jsonrpc import RpcResponse, encode, nests_deeper
from skillbag.runtime.errors import BadParametersError, ChildError
from skillbag.runtime.skill import Json

_TOOL_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_LONGEST_SCHEMA = 1 << 20
_DEEPEST_SCHEMA = 32
"""Objects and lists within each other in the schema of a tool."""

_MAX = 1000
"""Tools, hooks, workflows and scanners, of each, that a skill may register."""

_T = TypeVar("_T")


def read_registration(result: Json, manifest: Manifest, directory: str) -> Registration:
    """What a child registered. A tool without a description or schema has those of the manifest.

    Raises:
        ChildError: it has not the required shape.
    """
    if not isinstance(result, dict):
        raise ChildError("initialize: the result is no object")
    declared = {tool.name: tool for tool in manifest.tools}
    tools = tuple(_tool(entry, declared, directory) for entry in _list(result, "tools"))
    return Registration(
        tools=_unique("tools", tools, [tool.name for tool in tools]),
        hooks=tuple(_phase(entry) for entry in _list(result, "hooks")),
        workflows=_names(result, "workflows"),
        scanners=_names(result, "scanners"),
    )


def added(before: Registration, after: Registration) -> list[str]:
    """What `after` has and `before` has not, as names of the kind and the thing."""
    found = [f"tool {tool.name}" for tool in after.tools if tool.name not in {tool.name for tool in before.tools}]
    found += [
        f"hook {phase}" for phase in sorted(set(after.hooks)) if after.hooks.count(phase) > before.hooks.count(phase)
    ]
    found += [f"workflow {name}" for name in after.workflows if name not in before.workflows]
    return found + [f"scanner {name}" for name in after.scanners if name not in before.scanners]


def call_request(kind: CallKind, name: str, value: Json, number: int) -> tuple[str, Json]:
    """The method and the parameters of a call; `number` is that of a hook's handler.

    Raises:
        BadParametersError: a scanner is given no object.
    """
    match kind:
        case CallKind.TOOL:
            return "tool/execute", {"name": name, "input": value}
        case CallKind.HOOK:
            return "hook/handle", {"phase": name, "data": value, "handler": number}
        case CallKind.WORKFLOW:
            return "workflow/run", {"name": name, "input": value}
        case CallKind.SCAN:
            if not isinstance(value, dict):
                raise BadParametersError('a scanner is given {"path": …, "content": …}')
            return "scan/run", {"name": name, **value}


def call_result(kind: CallKind, answer: RpcResponse) -> Json:
    """What a call returns: of a tool a `ToolOutput`, also where the child reports an error; of a hook anything, which
    `hook_results` reads.

    Raises:
        RuntimeFaultError: the child's error. ChildError: the result has not the required shape.
    """
    if answer.error is not None:
        if kind is CallKind.TOOL:
            return ToolOutput(str(answer.error), is_error=True)
        raise answer.error
    match kind:
        case CallKind.TOOL:
            return _tool_output(answer.result)
        case CallKind.HOOK:
            return answer.result
        case CallKind.WORKFLOW:
            return _member("workflow/run", "value", answer.result)
        case CallKind.SCAN:
            return _member("scan/run", "findings", answer.result)


def _tool_output(result: Json) -> ToolOutput:
    """The result of a tool: its content as text, JSON unless it is one."""
    if not isinstance(result, dict) or "content" not in result or not isinstance(result.get("is_error", False), bool):
        raise ChildError('tool/execute: the result is no object with "content" and "is_error"')
    content = result["content"]
    text = content if isinstance(content, str) else encode(content).decode()
    return ToolOutput(text, result.get("is_error", False))


def _member(method: str, key: str, result: Json) -> Json:
    """The value of a key of an answer."""
    if not isinstance(result, dict) or key not in result:
        raise ChildError(f'{method}: the result is no object with "{key}"')
    return result[key]


def _list(result: Mapping[str, Json], key: str) -> list[Json]:
    value = result.get(key, [])
    if not isinstance(value, list) or len(value) > _MAX:
        raise ChildError(f"initialize: {key} is no list of at most {_MAX}")
    return value


def _tool(entry: Json, declared: Mapping[str, ToolDeclaration], directory: str) -> ToolSpec:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise ChildError("register_tool: a tool has no name")
    name = entry["name"]
    if not _TOOL_NAME.fullmatch(name):
        raise ChildError(
            f"register_tool: {name[:100]!r} is no name of a tool: give a letter, then letters, digits, _ and -"
        )
    description, schema = entry.get("description") or "", entry.get("input_schema")
    asks = entry.get("requires_approval", False)
    if not isinstance(description, str) or not isinstance(schema, dict | None) or not isinstance(asks, bool):
        raise ChildError(f"register_tool: {name}: its description is no text, or its input_schema no object")
    declaration = declared.get(name, ToolDeclaration(name))
    if schema is None:
        schema = declared_schema(declaration, directory)
    if fault := spec_fault(description or declaration.description, schema):
        raise ChildError(f"register_tool: {name}: {fault}")
    return ToolSpec(name, description or declaration.description, schema, asks or declaration.requires_approval)


def spec_fault(description: str, schema: Mapping[str, Json]) -> str | None:
    """Why the description or schema of a tool can't be passed on; None if they can."""
    if nests_deeper(dict(schema), _DEEPEST_SCHEMA):
        return f"its input schema nests deeper than {_DEEPEST_SCHEMA} objects and lists"
    try:
        json.dumps([description, dict(schema)], ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return "its description or input schema holds half a character (a lone surrogate)"
    return None


def declared_schema(declaration: ToolDeclaration, directory: str) -> Mapping[str, Json]:
    """The JSON Schema of a tool's input that the manifest of the skill in `directory` names; that of any object without
    one.

    Raises:
        ChildError: it can't be read.
    """
    if not declaration.input_schema_file:
        return {"type": "object"}
    try:
        schema = json.loads(read_beneath(directory, declaration.input_schema_file, _LONGEST_SCHEMA))
    except (OSError, ValueError, RecursionError) as error:
        raise ChildError(
            f"tool {declaration.name}: its input_schema_file can't be read: {format_error(error)}"
        ) from error
    if not isinstance(schema, dict):
        raise ChildError(f"tool {declaration.name}: {declaration.input_schema_file} is no JSON Schema of an object")
    return schema


def _phase(entry: Json) -> Phase:
    try:
        return Phase(entry)
    except ValueError:
        raise ChildError(f'register_hook: unknown hook phase "{str(entry)[:100]}"') from None


def _names(result: Mapping[str, Json], key: str) -> tuple[str, ...]:
    names = _list(result, key)
    if not all(isinstance(name, str) and 0 < len(name) <= 128 and name.isprintable() for name in names):
        raise ChildError(f"initialize: {key} is no list of names")
    return _unique(key, tuple(names), names)


def _unique(key: str, values: tuple[_T, ...], names: list[str]) -> tuple[_T, ...]:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ChildError(f"initialize: {key}: {twice} is registered twice")
    return values
