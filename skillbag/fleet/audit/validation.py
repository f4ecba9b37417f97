"""Validation of records: files of records are copied between machines, and may hold anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from skillbag.kernel.model.findings import Severity

FORMAT = 1
"""The version of the contract: within it nothing is removed, renamed or given another meaning."""

Check = Callable[[Any], bool]

_LIMIT = 2**63
"""Numbers are below it, so that a database and a table can hold them."""

_HALF = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair: JSON has an escape for it, UTF-8 has none."""


def _text(value: Any) -> bool:
    return isinstance(value, str) and (value.isascii() or not _HALF.search(value))


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _LIMIT


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


_HEAD: Mapping[str, Check] = {
    **dict.fromkeys(("key", "status", "run", "at", "source", "program", "standard"), _text),
    **dict.fromkeys(("kind", "version", "resolved", "error"), _maybe(_text)),
    "pinned": _maybe(_flag),
    "seconds": lambda value: type(value) in (int, float) and 0 <= value < _LIMIT,
    "bytes": _count,
    "format": lambda value: _count(value) and value == FORMAT,
}
_ROWS: Mapping[str, Mapping[str, Check]] = {
    "targets": {"kind": _text, "path": _text, "skills": _count, "files": _count, "conforms": _flag},
    "findings": {
        **dict.fromkeys(("path", "rule", "level", "message", "fingerprint"), _text),
        "clause": _maybe(_text),
        "line": _count,
        "column": _count,
    },
    "skills": {
        **dict.fromkeys(("name", "path"), _text),
        **dict.fromkeys(("description", "tree", "sketch"), _maybe(_text)),
        "valid": _flag,
        "tokens": _count,
    },
    "dependencies": {
        **dict.fromkeys(("target", "who", "name"), _text),
        **dict.fromkeys(("source", "version"), _maybe(_text)),
        "required": _flag,
        "pinned": _maybe(_flag),
        "locked": _flag,
    },
}
_COUNTS = dict.fromkeys((*map(str, Severity), "suppressed", "excused", "files"), _count)


def is_record(value: object) -> bool:
    """Whether a value has every part of a record of our format that a reader relies on."""
    if not isinstance(value, dict) or not _has(value, _HEAD):
        return False
    if value["status"] != "ok":
        return value["status"] in ("failed", "nothing") and value.keys().isdisjoint((*_ROWS, "counts"))
    rows = all(isinstance(value.get(name), list) for name in _ROWS)
    return rows and all(_has(row, checks) for name, checks in _ROWS.items() for row in value[name]) and _counts(value)


def _counts(record: Mapping[str, Any]) -> bool:
    counts: Any = record.get("counts")
    if not _has(counts, _COUNTS) or not isinstance(rules := counts.get("rules"), dict):
        return False
    return all(_count(rules.get(finding["rule"])) for finding in record["findings"])


def _has(value: Any, checks: Mapping[str, Check]) -> bool:
    return isinstance(value, dict) and all(name in value and check(value[name]) for name, check in checks.items())
