"""The data files of the package: schemas, rules and the texts that `init` writes.

In the wheel they are in `skillbag/data/`; in a checkout they are in the project's own `schemas/` and `rules/`.
"""

from __future__ import annotations

import os

from skillbag.kernel.base.name_lists import did_you_mean, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jsonschema import ValidationError

_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def is_installed() -> bool:
    """Whether this is the package of a wheel, with its own data, and not a checkout."""
    return os.path.isdir(os.path.join(_HERE, "data"))


def folder(name: str) -> str:
    """The absolute path of `rules` or `schemas`."""
    return os.path.join(_HERE, "data", name) if is_installed() else os.path.join(os.path.dirname(_HERE), name)


def rule_sources() -> list[os.DirEntry[str]]:
    """The files in `rules/` of a checkout, the clauses first; none in a wheel: its index is of its files."""
    if is_installed():
        return []
    with os.scandir(folder("rules")) as entries:
        top = list(entries)
    found = [entry for entry in top if entry.name.endswith(".yaml")]
    for family in top:
        if family.is_dir():
            with os.scandir(family.path) as entries:
                found += entries
    return found


def schema(name: str) -> str:
    """The text of `schemas/<name>.schema.json`."""
    return _text("schemas", f"{name}.schema.json")


def clauses() -> str:
    """The text of `rules/clauses.yaml`."""
    return _text("rules", "clauses.yaml")


def readings() -> str:
    """The text of `rules/readings.toml`."""
    return _text("rules", "readings.toml")


def _text(place: str, name: str) -> str:
    with open(os.path.join(folder(place), name), encoding="utf-8") as handle:
        return handle.read()


def schema_fault(name: str, value: object, part: str = "") -> ValidationError | None:
    """The error that says best how a value differs from a schema, or from its definition `part`; None for no error.

    A schema without that definition asks for nothing.
    """
    import json

    whole = json.loads(schema(name))
    if part and part not in whole["$defs"]:
        return None
    import jsonschema

    wanted = {**whole["$defs"][part], "$defs": whole["$defs"]} if part else whole
    validator = jsonschema.Draft202012Validator(wanted)
    fault: ValidationError | None = jsonschema.exceptions.best_match(validator.iter_errors(value))
    return fault


def schema_words(error: ValidationError) -> str:
    """What is wrong with a value, in words for its author: an unknown key gets a suggestion."""
    unknown, known = _unknown_key(error)
    if unknown is None:
        return _value_words(error)
    hint = did_you_mean(unknown, known, f"known are {', '.join(known)}")
    return f"there is no key {unknown!r}; {hint}"


_TYPES = {
    "array": 'a list, such as ["one", "two"]',
    "object": "a table of keys and values",
    "string": 'text in quotes, such as "one"',
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def _value_words(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    if error.context:
        # Of several shapes, the one with the deepest fault or with names is the one that was meant.
        return schema_words(max(error.context, key=lambda each: (len(each.path), each.validator == "enum")))
    if error.validator == "type":
        given = "an empty value" if error.instance is None else repr(error.instance)
        given = given if len(given) <= 80 else f"{given[:79]}…"
        kinds = [wanted] if isinstance(wanted, str) else wanted
        return f"{given} is not {' or '.join(_TYPES.get(kind, kind) for kind in kinds)}"
    if error.validator == "required":
        return f"the key {str(error.message).removesuffix(' is a required property')} is missing"
    if error.validator in ("minItems", "minLength", "minProperties"):
        things = {"minItems": "items", "minLength": "characters"}.get(error.validator, "keys")
        known = f"; known are {', '.join(_known_keys(error))}" if _known_keys(error) else ""
        return f"at least one is needed{known}" if wanted == 1 else f"at least {wanted} {things} are needed"
    if error.validator == "dependentRequired":
        needed, _, key = str(error.message).partition(" is a dependency of ")
        return f"the key {key} counts only with {needed}, which is missing"
    if error.validator == "pattern" and isinstance(error.schema, dict) and "description" in error.schema:
        return f"{error.instance!r} has another form than is wanted: {error.schema['description']}"
    if error.validator == "not" and "propertyNames" in error.absolute_schema_path:
        other = error.absolute_schema_path[-3]
        return f"the key {error.instance!r} can't stand beside {other!r}; write two conditions of `all`"
    if error.validator == "enum" and isinstance(wanted, list):
        names = [str(each) for each in wanted]
        return f"{error.instance!r} is not one of {', '.join(names)}{nearest(str(error.instance), names)}"
    return str(error.message)


def schema_place(error: ValidationError) -> list[str | int]:
    """The keys that lead to what is wrong: to an unknown key itself."""
    unknown, _ = _unknown_key(error)
    return [*error.absolute_path, *([] if unknown is None else [unknown])]


def _unknown_key(error: ValidationError) -> tuple[str | None, list[str]]:
    """The key that a schema does not know, if that is the error, and those that it knows."""
    known = _known_keys(error)
    if error.validator != "additionalProperties" or not isinstance(error.instance, dict):
        return None, []
    return next((key for key in error.instance if key not in known), None), known


def _known_keys(error: ValidationError) -> list[str]:
    return list(error.schema.get("properties", ())) if isinstance(error.schema, dict) else []
