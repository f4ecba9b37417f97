"""The tables of the page about manifests, out of their JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tables import table

Shape = dict[str, Any]


_TYPES = {
    "object": "mapping",
    "string": "text",
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
}


def manifest_tables(schema: Path) -> dict[str, str]:
    """The tables of `docs/manifest.md`, by name."""
    data = json.loads(schema.read_text("utf-8"))
    rows = _rows(data, data["$defs"], "")
    return {"manifest-fields": table(("Field", "Takes", "Description"), *rows)}


def _rows(record: Shape, shared: Shape, prefix: str) -> Iterator[tuple[str, str, str]]:
    """Each field of a record, followed by those of the records in it."""
    for name, field in record["properties"].items():
        shape = _resolved(field, shared)
        needed = "**" if name in record.get("required", ()) else ""
        default = f" Default: `{_written(field['default'])}`." if "default" in field else ""
        yield f"{needed}`{prefix}{name}`{needed}", _kind(field, shared), field["description"] + default
        inner = _resolved(shape.get("items", shape), shared)
        if "properties" in inner:
            yield from _rows(inner, shared, f"{prefix}{name}{'[]' if 'items' in shape else ''}.")


def _resolved(shape: Shape, shared: Shape) -> Shape:
    return shared[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _kind(shape: Shape, shared: Shape) -> str:
    """What a value may be, in words."""
    if shape.get("$ref") == "#/$defs/file":
        return "path"
    shape = _resolved(shape, shared)
    if "enum" in shape:
        *most, last = (f"`{choice}`" for choice in shape["enum"])
        return f"{', '.join(most)} or {last}" if most else last
    if shape["type"] == "array":
        inner = _kind(shape["items"], shared)
        return f"list of {inner}" if "`" in inner else f"list of {inner}s"
    return _TYPES[shape["type"]]
