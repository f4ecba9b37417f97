"""The JSON of every command about installed skills: one shape, described by `schemas/outcome.schema.json`."""

from __future__ import annotations

from typing import Any

from skillbag.install.outcome import Outcome
from skillbag.report.encoding import json_object


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    """The outcome in plain values without secrets, but for the command and the exit code, which every answer has."""
    return json_object(
        dry_run=outcome.dry_run,
        root=outcome.root,
        skills=outcome.skills,
        problems=outcome.problems,
        steps=outcome.steps,
        notes=outcome.notes,
        changed=outcome.changed,
        backups=outcome.backups,
        text=outcome.text,
        values=outcome.values,
    )
