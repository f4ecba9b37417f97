"""The summary of an audit as values for programs: `schemas/audit.schema.json` describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.report.sanitize import exact


def audit_values(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary with every text masked, and such that any output can hold it."""
    return {exact(name): _exact(value) for name, value in summary.items()}


def _exact(value: Any) -> Any:
    if isinstance(value, str):
        return exact(value)
    if isinstance(value, Mapping):
        return audit_values(value)
    return [_exact(one) for one in value] if isinstance(value, list | tuple) else value
