"""The JSON of every command about installed skills: one shape, described by `schemas/outcome.schema.json`."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from skillbag.install.outcome import Outcome
from skillbag.report.sanitize import exact

_VERSION = 1


def render_json(outcome: Outcome) -> str:
    """The outcome as JSON, two spaces deep, with a final line feed; no secret is in it."""
    return json.dumps(as_values(outcome), indent=2, ensure_ascii=False) + "\n"


def as_values(outcome: Outcome) -> dict[str, Any]:
    """The outcome in plain values: lists, mappings, texts and numbers."""
    return {
        "version": _VERSION,
        "command": outcome.command,
        "exit": outcome.exit,
        "dry_run": outcome.dry_run,
        "root": exact(outcome.root),
        "skills": [_values(row) for row in outcome.skills],
        "problems": [_values(problem) for problem in outcome.problems],
        "steps": [_values(one) for one in outcome.steps],
        "notes": [exact(note) for note in outcome.notes],
        "changed": [exact(path) for path in outcome.changed],
        "backups": [exact(path) for path in outcome.backups],
        "text": exact(outcome.text),
        "values": {name: exact(value) if isinstance(value, str) else value for name, value in outcome.values.items()},
    }


def _values(row: NamedTuple) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row._asdict().items()}


_HASHES = 40


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return exact(value) if isinstance(value, str) else value
