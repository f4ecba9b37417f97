"""Tables within pages that are written by hand: options from the configuration's schema, inputs from `action.yml`.

A table stands between a line `<!-- table: NAME -->` and a line `<!-- end of table -->`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from skillbag.kernel.documents.nodes import Mapping as YamlMapping
from skillbag.kernel.documents.nodes import core_value, parse_yaml

_PLACE = re.compile(r"(<!-- table: ([a-z0-9-]+) -->\n).*?(<!-- end of table -->\n)", re.DOTALL)


def with_tables(text: str, tables: Mapping[str, str]) -> str:
    """`text` with each of the `tables` in its place.

    Raises:
        SystemExit: a table has no place in the text, or more than one, or a place has no table.
    """
    places = [match[2] for match in _PLACE.finditer(text)]
    if sorted(places) != sorted(tables):
        raise SystemExit(f"a page has places for the tables {places}, and should have {sorted(tables)}")
    return _PLACE.sub(lambda match: f"{match[1]}\n{tables[match[2]]}\n{match[3]}", text)


def table(*rows: Iterable[str]) -> str:
    """A Markdown table; the first row is its head."""
    head, *body = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, ["---"] * len(head), *body))


def options_table(schema: Path) -> str:
    """The keys of the configuration, out of its JSON Schema."""
    data = json.loads(schema.read_text("utf-8"))
    keys: dict[str, dict[str, Any]] = data["properties"]
    rows = ((f"`{key}`", _kind(value, data["$defs"]), value["description"]) for key, value in keys.items())
    return table(("Key", "Takes", "Description"), *rows)


def _kind(value: dict[str, Any], shared: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in value:
        value = shared[value["$ref"].rpartition("/")[2]]
    if "enum" in value:
        *most, last = (f"`{choice}`" for choice in value["enum"])
        return f"{', '.join(most)} or {last}"
    if value["type"] == "array":
        return f"list of {_kind(value['items'], shared)}s"
    if "properties" in value:
        return f"table of {', '.join(f'`{key}`' for key in value['properties'])}"
    if "additionalProperties" in value:
        return f"table; its values: {_kind(value['additionalProperties'], shared)}"
    return "table" if value["type"] == "object" else str(value["type"])


def inputs_table(action: Path) -> str:
    """The inputs of the GitHub Action, with their defaults."""
    rows = ((f"`{name}`", _code(value["default"]), value["description"]) for name, value in _part(action, "inputs"))
    return table(("Input", "Default", "Description"), *rows)


def outputs_table(action: Path) -> str:
    """The outputs of the GitHub Action."""
    return table(
        ("Output", "Description"),
        *((f"`{name}`", value["description"]) for name, value in _part(action, "outputs")),
    )


def _code(value: str) -> str:
    return f"`{value}`" if value else "none"


def _part(action: Path, name: str) -> Iterator[tuple[str, dict[str, str]]]:
    node = parse_yaml(action.read_text("utf-8"))
    if not isinstance(node, YamlMapping):
        raise SystemExit(f"{action.name}: it can't be read: {node}")
    yield from cast(dict[str, dict[str, dict[str, str]]], core_value(node))[name].items()
