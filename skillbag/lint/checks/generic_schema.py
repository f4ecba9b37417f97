"""The predicate for any rule about the shape of data: a JSON Schema for files of JSON, YAML or TOML."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import jsonschema
from jsonschema import ValidationError, validators
from referencing import Registry

from skillbag.kernel.base.linear_nodes import BadExpressionError
from skillbag.kernel.base.linear_regex import TooMuchWorkError, expression
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.package_data import schema_place, schema_words
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Node, way
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import HostFilePath
from skillbag.lint.checks.generic_files import files_of
from skillbag.lint.checks.predicate import Match, OptionFault, Predicate, Subject, Unjudged
from skillbag.lint.checks.text_parts import glob_faults

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MAX = 20
"""Faults of one file that are reported."""
_LARGEST = 1_000_000
_MAX_DOTS = 300
"""Parts of a key of TOML: for more of them the reader takes quadratic time."""
_MAX_REFERENCES = 20_000
"""References that are followed for one file: a few that name each other twice are followed without end."""
_VALUES = ("const", "enum", "default", "examples")


class DataSchema(NamedTuple):
    """The files that are meant, and the schema of each; that of `SKILL.md` is the schema of its front matter."""

    files: tuple[str, ...] = ()
    schema: Mapping[str, Any] = {}

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        yield from glob_faults(self.files)
        try:
            jsonschema.Draft202012Validator.check_schema(dict(self.schema))
        except jsonschema.SchemaError as error:
            yield OptionFault(("schema", *map(str, error.absolute_path)), f"this is no JSON Schema: {error.message}")
            return
        if "unevaluated" in json.dumps(self.schema):
            yield OptionFault(("schema",), "`unevaluatedProperties` is not supported; write `additionalProperties`")
        for keys, written in _patterns(self.schema):
            try:
                expression(written)
            except BadExpressionError as error:
                yield OptionFault(("schema", *keys), str(error))


def _patterns(schema: object, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The expressions in a schema."""
    if isinstance(schema, list):
        for number, each in enumerate(schema):
            yield from _patterns(each, (*keys, str(number)))
    for key, value in schema.items() if isinstance(schema, dict) else ():
        if key == "pattern" and isinstance(value, str):
            yield (*keys, key), value
        elif key == "patternProperties" and isinstance(value, dict):
            yield from (((*keys, key, written), written) for written in value)
        if key not in _VALUES:
            yield from _patterns(value, (*keys, key))


@Predicate("schema", Subject.SKILL, values=("file", "reason"), options=DataSchema)
def schema(skill: Skill, options: DataSchema) -> Iterator[Match | Unjudged]:
    """Values in data files of a skill, and in its front matter, that a JSON Schema does not allow."""
    validator = validator_of(json.dumps(options.schema))
    for entry in files_of(skill, options.files):
        document = skill.read(entry.relative)
        if isinstance(document, DocumentProblem):
            continue
        if len(document.text) > _LARGEST:
            yield Unjudged(document.path, f"it is larger than {_LARGEST:,} characters, so no schema is applied")
            continue
        try:
            yield from _faults(document, entry.relative, skill, validator)
        except (TooMuchWorkError, RecursionError):
            yield Unjudged(document.path, "the schema of a rule takes too long here")


def _faults(document: Document, relative: str, skill: Skill, validator: Validator) -> Iterator[Match]:
    try:
        value, node = _read(document, skill)
    except ValueError as error:
        yield Match(document.path, values={"file": relative, "reason": f"it can't be read: {error}"})
        return
    for fault in islice(validator.iter_errors(value), _MAX):
        keys = schema_place(fault)
        where = ".".join(map(str, keys))
        reason = f"`{where}`: {schema_words(fault)[:300]}" if where else schema_words(fault)[:300]
        place = place_in(document.text, node, keys)
        yield Match(document.path, *place, {"file": relative, "reason": reason})


def _read(document: Document, skill: Skill) -> tuple[Any, Node | None]:
    """The value of a file, and its nodes if they are known."""
    if document.path.lower().endswith(".toml"):
        if any(line.count(".") > _MAX_DOTS for line in document.text.split("\n")):
            raise ValueError("it has a key of too many parts")
        return tomllib.loads(document.text.replace("\r\n", "\n")), None
    file = HostFile(HostFilePath(document.path, "", skill.directory), skill.root)
    if file.fault:
        raise ValueError(file.fault.detail)
    return file.value, file.data


def place_in(text: str, node: Node | None, keys: list[str | int]) -> tuple[int, int]:
    """Where the value is that keys lead to: by the nodes, or by the words of the keys, one after the other."""
    if node is not None:
        return way(node, keys)[-1][1:]
    start = end = 0
    for key in keys:
        if isinstance(key, str) and (at := text.find(key, end)) >= 0:
            start, end = at, at + len(key)
    return start, end


def validator_of(written: str, followed: list[int] | None = None, **further: Any) -> Validator:
    """A validator whose expressions are linear, and that fetches nothing.

    `followed` counts the references that it follows, which are limited. `further` words have functions of their own.
    """
    followed = [0] if followed is None else followed
    plain = jsonschema.Draft202012Validator.VALIDATORS

    def pattern(validator: Any, value: str, instance: object, schema: object) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not expression(value).matches(instance):
            yield ValidationError(f"{instance!r} does not match {value!r}")

    def by_pattern(validator: Any, value: dict[str, Any], instance: object, schema: object) -> Iterator[Any]:
        for written, inner in value.items():
            for key, item in instance.items() if isinstance(instance, dict) else ():
                if expression(written).matches(key):
                    yield from validator.descend(item, inner, path=key, schema_path=written)

    def additional(validator: Any, value: Any, instance: object, schema: dict[str, Any]) -> Iterator[Any]:
        named, written = schema.get("properties", {}), schema.get("patternProperties", {})
        for key, item in instance.items() if isinstance(instance, dict) else ():
            if key in named or any(expression(each).matches(key) for each in written):
                continue
            # A schema that allows nothing says what follows from such a key.
            if value is False or (value is not True and value.get("not") == {}):
                words = f"there is no key {key!r}{nearest(key, named, likeness=0.7)}"
                yield ValidationError(words, validator="unknown", path=[key])
            else:
                yield from validator.descend(item, value, path=key)

    def reference(validator: Any, *rest: Any) -> Any:
        followed[0] += 1
        if followed[0] > _MAX_REFERENCES:
            raise TooMuchWorkError
        return plain["$ref"](validator, *rest)

    own = {
        "pattern": pattern,
        "patternProperties": by_pattern,
        "additionalProperties": additional,
        "$ref": reference,
        "$dynamicRef": reference,
        **further,
    }
    extend: Any = validators.extend
    made: Validator = extend(jsonschema.Draft202012Validator, own)(json.loads(written), registry=Registry())
    return made
