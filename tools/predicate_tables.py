"""The tables of `docs/own-rules.md`: the generic predicates, their options, and the parts of a condition over facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables import table

from skillbag.lint.checks.lazy_predicate import all_predicates
from skillbag.supply.rule_packs.new import generic_predicates


def predicate_tables(schema: Path) -> dict[str, str]:
    """The tables, by name, out of the schema of rules and the predicates."""
    shared = json.loads(schema.read_text("utf-8"))["$defs"]
    rows = tuple(_predicates(shared))
    condition = shared["condition"]["properties"]
    facts = tuple((f"`{key}`", _kind(value, shared), value["description"]) for key, value in condition.items())
    acts = tuple((f"`{key}`", value["description"]) for key, value in shared["acts"]["properties"].items())
    return {
        "predicates": table(("`check`", "Reports", "In messages"), *rows),
        "predicate-options": table(("`check`", "Option", "Takes", "Default", "Description"), *_options(shared)),
        "condition": table(("Key", "Takes", "Description"), *facts),
        "acts": table(("Key", "Description"), *acts),
    }


def _predicates(shared: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name in generic_predicates():
        predicate = all_predicates()[name]
        values = ", ".join(f"`{{{value}}}`" for value in predicate.values)
        yield f"`{name}`", (predicate.check.__doc__ or "").rstrip("."), values


def _options(shared: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name in generic_predicates():
        defaults = all_predicates()[name].options._field_defaults
        properties = _resolved(shared[f"options-{name}"], shared)["properties"]
        required = _resolved(shared[f"options-{name}"], shared).get("required", ())
        for key, value in properties.items():
            default = "required" if key in required else _shown(defaults[key.replace("-", "_")])
            about = value.get("description") or _resolved(value, shared).get("description", "")
            yield f"`{name}`", f"`{key}`", _kind(value, shared), default, about


def _resolved(value: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in value:
        value = shared[value["$ref"].rpartition("/")[2]]
    return value


def _kind(value: dict[str, Any], shared: dict[str, Any]) -> str:
    """What a value may be, in words."""
    value = _resolved(value, shared)
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"])
    if "anyOf" in value and all("type" in each or "enum" in _resolved(each, shared) for each in value["anyOf"]):
        return f"{_kind(value['anyOf'][0], shared)}; one or a list"
    if value.get("type") == "array":
        inner = _resolved(value["items"], shared)
        return "list of conditions" if "anyOf" in inner or inner.get("type") == "object" else "list of texts"
    words = {"string": "text", "integer": "whole number", "boolean": "`true` or `false`", "object": "mapping"}
    return words.get(value.get("type", ""), "condition")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return ", ".join(f"`{each}`" for each in value) or "none"
    return f"`{value}`" if value not in ("", {}) else "none"
