"""The tools of active skills: what a skill registers, as its manifest limits it (skill runtime, sections 1 and 8)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from skillbag.manifest.names import SkillType
from skillbag.manifest.values import Manifest
from skillbag.runtime.backends.backend import Registration, ToolSpec
from skillbag.runtime.errors import BadParametersError, RuntimeFaultError
from skillbag.runtime.skill import FoundSkill, Json

_ANY_OBJECT: Mapping[str, Json] = {"type": "object"}


class Selection(NamedTuple):
    """The tools of a skill that are offered, and sentences about those that are not."""

    tools: tuple[ToolSpec, ...]
    remarks: tuple[str, ...] = ()


def check_types(found: FoundSkill, registration: Registration) -> None:
    """Check that the skill registers only what its types say.

    Raises:
        RuntimeFaultError: it registers something else.
    """
    registered = (
        (registration.tools, SkillType.TOOL, "tools"),
        (registration.workflows, SkillType.WORKFLOW, "workflows"),
        (registration.scanners, SkillType.SECURITY_RULE, "scanners"),
    )
    for things, needed, name in registered:
        if things and needed not in found.manifest.types:
            raise RuntimeFaultError(f'skill "{found.name}" registers {name}, and its types do not have "{needed}"')


def select_tools(found: FoundSkill, registration: Registration, taken: Mapping[str, str]) -> Selection:
    """The tools that the skill offers, within `tools_allow` and `tools_deny`. `taken` are the names of all other tools,
    each with its owner.

    Raises:
        RuntimeFaultError: a name is taken or registered twice, or a schema can't be used.
    """
    tools: dict[str, ToolSpec] = {}
    for spec in registration.tools:
        if spec.name in tools:
            raise RuntimeFaultError(f'skill "{found.name}" registers the tool "{spec.name}" twice')
        if not is_allowed(spec.name, found.manifest):
            continue
        if owner := taken.get(spec.name):
            raise RuntimeFaultError(f'the tool "{spec.name}" of skill "{found.name}" has the name of one of {owner}')
        check_schema(spec.input_schema, f'the tool "{spec.name}" of skill "{found.name}"')
        tools[spec.name] = spec
    registered = {spec.name for spec in registration.tools}
    return Selection(tuple(tools.values()), tuple(_unregistered(found, registered)))


def is_allowed(name: str, manifest: Manifest) -> bool:
    """Whether `tools_allow` and `tools_deny` let a tool pass; case does not count, and a denial wins."""
    folded = name.casefold()
    if folded in map(str.casefold, manifest.tools_deny):
        return False
    return not manifest.tools_allow or folded in map(str.casefold, manifest.tools_allow)


def _unregistered(found: FoundSkill, registered: Collection[str]) -> Iterator[str]:
    for tool in found.manifest.tools:
        if tool.name not in registered:
            yield f'skill "{found.name}" declares the tool "{tool.name}", and its code does not register it'


def check_schema(schema: Mapping[str, Json], owner: str) -> None:
    """Check that a schema is one of an object, with which input can be checked.

    Raises:
        RuntimeFaultError: it is not.
    """
    # What every tool without a schema has needs no library.
    if schema == _ANY_OBJECT:
        return
    if schema.get("type", "object") != "object":
        raise RuntimeFaultError(f"{owner} has an input schema that is not of an object")
    if _size(schema, _MOST_IN_SCHEMA) >= _MOST_IN_SCHEMA:
        from skillbag.runtime.host.llm import first_fault

        # It is checked together with some value.
        kind, text = first_fault(schema, {}, f"the check of the input schema of {owner}")
        if kind == "schema":
            raise RuntimeFaultError(f"{owner} has an invalid input schema: {text}")
        return
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise RuntimeFaultError(f"{owner} has an invalid input schema: {error.message}") from error
    except RecursionError as error:
        raise RuntimeFaultError(f"{owner} has an input schema that nests too deep") from error


def check_input(spec: ToolSpec, value: Json) -> None:
    """Check the input of a call against the schema of the tool.

    Raises:
        BadParametersError: it does not match; the message says where.
    """
    if not isinstance(value, dict):
        raise BadParametersError(f"{spec.name}: the input must be an object")
    if spec.input_schema == _ANY_OBJECT:
        return
    if _may_take_long(spec.input_schema, value):
        _check_in_child(spec, value)
        return
    import jsonschema

    # Without a resolver for addresses: a schema never makes a request.
    validator: Any = jsonschema.Draft202012Validator(spec.input_schema)
    try:
        error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    except Exception as failure:
        # A reference that leads nowhere, or a schema that nests too deep.
        raise BadParametersError(f"{spec.name}: the input schema can't be used: {failure}") from failure
    if error:
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
        raise BadParametersError(f"{spec.name}: input{where}: {error.message}")


_MOST_WORK = 100_000
"""Values in a schema times values in an input that are compared in this process."""

_MOST_IN_SCHEMA = 1000
"""Values in a schema that is checked in this process."""


def _may_take_long(schema: Json, value: Json) -> bool:
    """Whether a check may take very long: keywords that take more than linear time, or a large schema or input."""
    parts = _size(schema, _MOST_IN_SCHEMA)
    return parts >= _MOST_IN_SCHEMA or _is_costly(schema) or parts * _size(value, _MOST_WORK // parts) >= _MOST_WORK


def _size(value: Json, most: int) -> int:
    """How many values there are within a value, itself included; not counted further than `most`."""
    pending, size = [value], 1
    while pending and size < most:
        each = pending.pop()
        inner = list(each.values()) if isinstance(each, Mapping) else each if isinstance(each, list) else ()
        size += len(inner)
        pending += inner
    return size


def _is_costly(schema: Json) -> bool:
    """Whether it has regular expressions, references that multiply, or keywords that compare all with all.

    A property may have the name of a keyword; its value is another then.
    """
    if isinstance(schema, list):
        return any(map(_is_costly, schema))
    if not isinstance(schema, Mapping):
        return False
    texts = any(isinstance(schema.get(key), str) for key in ("pattern", "format", "$ref", "$dynamicRef"))
    keys = any(key in schema for key in ("patternProperties", "unevaluatedProperties", "unevaluatedItems"))
    return texts or keys or schema.get("uniqueItems") is True or any(map(_is_costly, schema.values()))


def _check_in_child(spec: ToolSpec, value: Json) -> None:
    """Check the input in a process whose time and memory are bounded."""
    from skillbag.runtime.host.llm import first_fault

    try:
        kind, text = first_fault(spec.input_schema, value, f"{spec.name}: the check of the input")
    except RuntimeFaultError as error:
        raise BadParametersError(str(error)) from error
    except RecursionError as error:
        raise BadParametersError(f"{spec.name}: the input nests too deep") from error
    if kind == "schema":
        raise BadParametersError(f"{spec.name}: the input schema can't be used: {text}")
    if kind:
        raise BadParametersError(f"{spec.name}: input{text.removeprefix('$')}")
