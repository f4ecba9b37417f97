"""Whether a line of a file of records holds one: records are merged from elsewhere, and a file may hold anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.findings import Level

_TEXT, _COUNT, _FLAG = (str,), (int,), (bool,)
_MAYBE_TEXT, _MAYBE_FLAG = (str, type(None)), (bool, type(None))

_HEAD: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("key", "status", "run", "at", "source", "program", "standard"), _TEXT),
    **dict.fromkeys(("kind", "version", "resolved", "error"), _MAYBE_TEXT),
    "pinned": _MAYBE_FLAG,
    "seconds": (int, float),
    "bytes": _COUNT,
    "format": _COUNT,
}
_ROWS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "targets": {"kind": _TEXT, "path": _TEXT, "skills": _COUNT, "files": _COUNT, "conforms": _FLAG},
    "findings": {
        **dict.fromkeys(("path", "rule", "level", "message", "fingerprint"), _TEXT),
        "clause": _MAYBE_TEXT,
        "line": _COUNT,
        "column": _COUNT,
    },
    "skills": {
        **dict.fromkeys(("name", "path"), _TEXT),
        **dict.fromkeys(("description", "tree", "sketch"), _MAYBE_TEXT),
        "valid": _FLAG,
        "tokens": _COUNT,
    },
    "dependencies": {
        **dict.fromkeys(("target", "who", "name"), _TEXT),
        **dict.fromkeys(("source", "version"), _MAYBE_TEXT),
        "required": _FLAG,
        "pinned": _MAYBE_FLAG,
        "locked": _FLAG,
    },
}
_COUNTS = dict.fromkeys((*map(str, Level), "suppressed", "excused", "files"), _COUNT)


def is_record(value: object) -> bool:
    """Whether a value is a record, as far as a reader relies on it."""
    if not isinstance(value, dict) or not _has(value, _HEAD):
        return False
    if value["status"] != "ok":
        return value["status"] in ("failed", "nothing")
    rows = all(isinstance(value.get(name), list) for name in _ROWS)
    return rows and all(_has(row, types) for name, types in _ROWS.items() for row in value[name]) and _counts(value)


def _counts(record: Mapping[str, Any]) -> bool:
    counts: Any = record.get("counts")
    if not _has(counts, _COUNTS) or not isinstance(rules := counts.get("rules"), dict):
        return False
    return all(isinstance(rules.get(finding["rule"]), int) for finding in record["findings"])


def _has(value: Any, types: Mapping[str, tuple[type, ...]]) -> bool:
    return isinstance(value, dict) and all(
        name in value and isinstance(value[name], kinds) for name, kinds in types.items()
    )
