"""What the schema of the lock says about kinds of source, from their table."""

from __future__ import annotations

import json
from typing import Any

from skillbag.kernel.workspace.source_kind import SourceKind


def with_kinds(text: str) -> str:
    """The schema of the lock, with the kinds, and for each what `resolved` is and whether it may have a `ref`."""
    schema = json.loads(text)
    rows = {kind.row.lock_kind: kind.row for kind in SourceKind}
    skill = schema["$defs"]["skill"]
    skill["properties"]["kind"]["enum"] = list(rows)
    skill["allOf"] = [
        {"if": {"properties": {"kind": {"const": name}}}, "then": {"properties": _of(row.resolved, row.versions)}}
        for name, row in rows.items()
    ]
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _of(resolved: str, versions: str) -> dict[str, Any]:
    shape = {"type": "string", "pattern": f"^({resolved})$"} if resolved else {"type": "null"}
    return {"resolved": shape} if versions == "revision" else {"resolved": shape, "ref": False}
