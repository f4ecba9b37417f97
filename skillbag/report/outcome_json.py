"""The JSON of every command about installed skills: one shape, described by `schemas/outcome.schema.json`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from skillbag.install.outcome import Outcome
from skillbag.report.encoding import json_object


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    """The outcome in plain values without secrets, but for the command's name, which every answer has."""
    names = [field.name for field in fields(outcome) if field.name != "command"]
    return json_object(**{name: getattr(outcome, name) for name in names})
