"""The schemas of tools, and the input of calls held to them (skill runtime, section 8)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from skillbag.runtime.backends.answers import declared_schema
from skillbag.runtime.backends.backend import ToolSpec
from skillbag.runtime.errors import BadParametersError, RuntimeFaultError
from skillbag.runtime.host.schemas import first_fault
from skillbag.runtime.skill import FoundSkill, Json

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

    from skillbag.runtime.host.schemas import FirstFault

_ANY_OBJECT: Mapping[str, Json] = {"type": "object"}

_MAX_WORK = 100_000
"""Values in a schema times values in an input that are compared in this process."""

_MAX_IN_SCHEMA = 1000
"""Values in a schema that is checked in this process."""

_DIALECT = "2020-12"
_COSTLY_TEXTS = ("pattern", "$dynamicRef")
_COSTLY_KEYS = ("patternProperties", "unevaluatedProperties", "unevaluatedItems")
_is_plain_name = re.compile(r"[A-Za-z0-9_.-]+").fullmatch


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
    if _size(schema, _MAX_IN_SCHEMA) >= _MAX_IN_SCHEMA:
        from skillbag.runtime.host.schemas import first_fault

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


class InputCheck:
    """Holds the input of one tool to its schema, which must be valid. What is known of the schema is kept."""

    def __init__(self, spec: ToolSpec) -> None:
        self._name, self._schema = spec.name, spec.input_schema
        self._takes_any = spec.input_schema == _ANY_OBJECT

    def check(self, value: Json, first_fault: FirstFault) -> None:
        """Check the input of a call; `first_fault` does that in another process, where it may take long.

        Raises:
            BadParametersError: it does not match; the message says where.
        """
        if not isinstance(value, dict):
            raise BadParametersError(f"{self._name}: the input must be an object")
        if self._takes_any:
            return
        work, most = self._work, _MAX_WORK
        if work >= _MAX_IN_SCHEMA or work * _size(value, most // work) >= most:
            self._check_elsewhere(value, first_fault)
        else:
            self._check_here(value)

    @cached_property
    def _work(self) -> int:
        """How many values a check compares each value with, references followed; `_MAX_IN_SCHEMA` for too many."""
        if _is_costly(self._schema):
            return _MAX_IN_SCHEMA
        return _size(self._schema, _MAX_IN_SCHEMA, _definitions(self._schema))

    @cached_property
    def _validator(self) -> Draft202012Validator:
        import jsonschema
        from referencing import Registry

        # An empty registry: nothing that a schema refers to is fetched.
        return jsonschema.Draft202012Validator(self._schema, registry=Registry())

    def _check_here(self, value: Json) -> None:
        from jsonschema.exceptions import best_match

        try:
            error = best_match(self._validator.iter_errors(value))
        except Exception as failure:
            # A schema that nests too deep.
            raise BadParametersError(f"{self._name}: the input schema can't be used: {failure}") from failure
        if error:
            where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
            raise BadParametersError(f"{self._name}: input{where}: {error.message}")

    def _check_elsewhere(self, value: Json, first_fault: FirstFault) -> None:
        try:
            kind, text = first_fault(self._schema, value, f"{self._name}: the check of the input")
        except RuntimeFaultError as error:
            raise BadParametersError(str(error)) from error
        except RecursionError as error:
            raise BadParametersError(f"{self._name}: the input nests too deep") from error
        if kind == "schema":
            raise BadParametersError(f"{self._name}: the input schema can't be used: {text}")
        if kind:
            raise BadParametersError(f"{self._name}: input{text.removeprefix('$')}")


def _size(value: Json, most: int, definitions: Mapping[str, Json] | None = None) -> int:
    """How many values there are within a value, itself included; not counted further than `most`.

    With `definitions`, those of a schema: what a reference leads to counts at each of them, so that a circle has more
    than any number.
    """
    pending, size = [value], 1
    while pending and size < most:
        each = pending.pop()
        inner = list(each.values()) if isinstance(each, Mapping) else each if isinstance(each, list) else ()
        size += len(inner)
        pending += inner
        if definitions and isinstance(each, Mapping) and (target := _reference(each)) in definitions:
            pending.append(definitions[target])
            size += 1
    return size


def _is_costly(schema: Mapping[str, Json]) -> bool:
    """Whether it has keywords whose time its size does not bound: regular expressions, comparisons of all with all, or
    references to anywhere but its own definitions.

    A property may have the name of a keyword; its value is another then.
    """
    parts = list(_objects(schema))
    if any(map(_has_costly_keyword, parts)):
        return True
    references = set(filter(None, map(_reference, parts)))
    dialect = schema.get("$schema")
    if isinstance(dialect, str) and _DIALECT not in dialect:
        return bool(references) or any(isinstance(part.get("format"), str) for part in parts)
    # With an id, the references of a part begin there.
    return bool(references) and (any("$id" in part for part in parts) or not references <= _definitions(schema).keys())


def _has_costly_keyword(part: Mapping[str, Json]) -> bool:
    texts = any(isinstance(part.get(key), str) for key in _COSTLY_TEXTS)
    return texts or any(key in part for key in _COSTLY_KEYS) or part.get("uniqueItems") is True


def _objects(value: Json | Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """All objects within a value, itself included."""
    pending: list[Json | Mapping[str, Json]] = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, Mapping):
            yield each
            pending += each.values()
        elif isinstance(each, list):
            pending += each


def _reference(part: Mapping[str, Json]) -> str:
    """What an object of a schema refers to; empty if it does not."""
    target = part.get("$ref")
    return target if isinstance(target, str) else ""


def _definitions(schema: Mapping[str, Json]) -> Mapping[str, Json]:
    """The definitions of a schema by how they are referred to; those with names that must be escaped are left out."""
    found: dict[str, Json] = {}
    for key in ("$defs", "definitions"):
        inner = schema.get(key)
        if isinstance(inner, dict):
            found |= {f"#/{key}/{name}": each for name, each in inner.items() if _is_plain_name(name)}
    return found


def check_declared_input(found: FoundSkill, tool: str, value: Json) -> None:
    """Check the input of a call against the schema that the manifest declares for the tool, if there is one that can be
    used. The activation of the skill says what is wrong with another one.

    Raises:
        BadParametersError: it does not match; the message says where.
    """
    spec = _declared(found, tool)
    if spec is not None:
        InputCheck(spec).check(value, first_fault)


def _declared(found: FoundSkill, tool: str) -> ToolSpec | None:
    declaration = next((each for each in found.manifest.tools if each.name == tool), None)
    if declaration is None:
        return None
    try:
        spec = ToolSpec(tool, "", declared_schema(declaration, found.directory))
        check_schema(spec.input_schema, f'the tool "{tool}" of skill "{found.name}"')
    except RuntimeFaultError:
        return None
    return spec
