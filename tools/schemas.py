"""The JSON Schemas of what commands print, made of the record classes that are printed.

A field is a property, its annotation the type: `Annotated[int, {"minimum": 1}, "The line."]` adds keywords and a
description. A record in a record is a definition, described by the first paragraph of its docstring.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from skillbag.kernel.base.json_records import Absent, fits

DIALECT = "https://json-schema.org/draft/2020-12/schema"
VERSIONED = "Within a version nothing is removed, renamed or given another meaning."
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
Shape = dict[str, Any]


class Command(NamedTuple):
    """One answer of some commands (of any, without their names): the records whose keys they print behind `version`,
    `command` and `exit`."""

    commands: tuple[str, ...]
    records: tuple[type, ...]
    exits: tuple[int, ...] = (0,)


class Family(NamedTuple):
    """A published schema: the answers of its commands, and the codes of those that are an error.

    `trace`: `--trace` adds the files that were opened. `failure` is the answer to an error, if it has more keys.
    """

    name: str
    title: str
    description: str
    commands: tuple[Command, ...]
    mistakes: tuple[int, ...] = (2, 4)
    trace: bool = False
    failure: Command | None = None


class Trace(NamedTuple):
    """With `--trace`: a file that was opened."""

    path: Annotated[str, fits(minLength=1), "Absolute."]
    why: Annotated[str, fits(minLength=1)]


_Error = Annotated[str, fits(minLength=1), "What is wrong, where, and what to do; a line each."]


class Schema:
    """One schema in the making; `definitions` are the records met so far."""

    def __init__(self) -> None:
        self.definitions: dict[str, Shape] = {}

    def of(self, kind: Any) -> Shape:
        """The schema of a type."""
        origin, parts = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self._annotated(parts)
        if origin in (Union, UnionType):
            return _either([self.of(part) for part in parts if part is not Absent])
        if origin is Literal:
            return _one_of(parts)
        if origin in (tuple, list):
            return {"type": "array", "items": self.of(parts[0])}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            names = {} if parts[0] is str else {"propertyNames": self.of(parts[0])}
            return {"type": "object", **names, "additionalProperties": self.of(parts[1])}
        return self._class(kind)

    def _class(self, kind: Any) -> Shape:
        if kind in (Any, object):
            return {}
        if kind in _PLAIN:
            return {"type": _PLAIN[kind]}
        if issubclass(kind, Enum):
            return _one_of([each.value for each in kind])
        name = definition_name(kind)
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = self.record((kind,))
        return {"$ref": f"#/$defs/{name}"}

    def _annotated(self, parts: tuple[Any, ...]) -> Shape:
        shape = self.of(parts[0])
        for note in parts[1:]:
            shape |= {"description": note} if isinstance(note, str) else dict(note)
        if {"enum", "const"} & shape.keys():
            shape.pop("type", None)
        return shape

    def record(self, kinds: tuple[type, ...], more: Mapping[str, Shape] | None = None) -> Shape:
        """The object with the keys of some records, with `more` properties in front."""
        hints = {name: hint for kind in kinds for name, hint in _fields(kind)}
        needed = [name for name, hint in hints.items() if Absent not in get_args(_bare(hint))]
        return {
            "description": summary(kinds[0]),
            "type": "object",
            "additionalProperties": False,
            "required": [*(more or {}), *needed],
            "properties": {**(more or {}), **{name: self.of(hint) for name, hint in hints.items()}},
        }


def schema(family: Family) -> str:
    """The text of a published schema."""
    made = Schema()
    return document(family, {"oneOf": list(answers(made, family))}, made)


def document(family: Family, body: Shape, made: Schema) -> str:
    """The text of a published schema with this body."""
    value = {
        "$schema": DIALECT,
        "$id": f"urn:skillbag:schema:{family.name}:1",
        "title": family.title,
        "description": f"{family.description} {VERSIONED}",
        **{name: part for name, part in body.items() if name != "description"},
        **({"$defs": made.definitions} if made.definitions else {}),
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def answers(made: Schema, family: Family) -> Iterator[Shape]:
    """The schema of each answer, and that of an error."""
    trace = {"trace": made.of(tuple[Trace, ...])} if family.trace else {}
    every = tuple(dict.fromkeys(name for answer in family.commands for name in answer.commands))
    for answer in family.commands:
        shape = made.record(answer.records, _head(answer.commands, answer.exits))
        yield {**shape, "properties": {**shape["properties"], **trace}}
    if family.failure:
        yield made.record(family.failure.records, _head(family.failure.commands, family.failure.exits))
        return
    head = _head(every, family.mistakes)
    yield {
        "description": "Nothing was done.",
        "type": "object",
        "additionalProperties": False,
        "required": [*head, "error"],
        "properties": {**head, "error": made.of(_Error), **trace},
    }


def _head(commands: tuple[str, ...], exits: tuple[int, ...]) -> dict[str, Shape]:
    name = _one_of(commands) if commands else {"type": "string", "minLength": 1}
    return {"version": {"const": 1}, "command": name, "exit": _one_of(exits)}


def _fields(kind: Any) -> Iterator[tuple[str, Any]]:
    hints = get_type_hints(kind, _names(kind.__module__), include_extras=True)
    yield from ((name.rstrip("_"), hints[name]) for name in kind._fields)


@cache
def _names(module: str) -> Shape:
    """The names of a module, and those that it imports for types only, as what checks load does not load `typing`."""
    names = dict(vars(sys.modules[module]))
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), module, "exec"), names)  # noqa: S102 - our own file
    return names


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _one_of(values: Any) -> Shape:
    several = [value.value if isinstance(value, Enum) else value for value in values]
    return {"const": several[0]} if len(several) == 1 else {"enum": several}


def _either(shapes: list[Shape]) -> Shape:
    """The schema of a union; of a plain type or an enumeration and null in its short form."""
    if len(shapes) == 1:
        return shapes[0]
    rest = [shape for shape in shapes if shape != {"type": "null"}]
    if len(rest) < len(shapes) and len(rest) == 1:
        (only,) = rest
        if isinstance(only.get("type"), str | list):
            return {**only, "type": [*([only["type"]] if isinstance(only["type"], str) else only["type"]), "null"]}
        values = only.get("enum", [only["const"]] if "const" in only else None)
        if values:
            return {**{key: item for key, item in only.items() if key != "const"}, "enum": [*values, None]}
    if all(set(shape) == {"type"} for shape in shapes):
        return {"type": [shape["type"] for shape in shapes]}
    described = [shape.pop("description") for shape in shapes if "description" in shape]
    return {**({"description": described[0]} if described else {}), "anyOf": shapes}


def definition_name(kind: type) -> str:
    """The name of a record's definition: that of its class in words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__.removesuffix("Json")).lower()


def summary(kind: type) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join((kind.__doc__ or "").strip().split("\n\n")[0].split())
