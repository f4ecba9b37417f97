"""The published schema of what the JSON of all commands has; the data of a command is in the schema of its family."""

from __future__ import annotations

from schemas import Family, Schema, document
from skillbag.report.answers.envelope import EnvelopeJson

_ENVELOPE = Family(
    "envelope",
    "What every command prints with `--json`",
    "Version 1 of the contract: an object with these keys, then the data of the command, which the schema of its family"
    " describes. A command that goes on prints such an object a line.",
    (),
)


def envelope_schema() -> str:
    """Its text: errors have exit codes of their own."""
    made = Schema()
    record = made.record((EnvelopeJson,))
    record.pop("additionalProperties")
    failed = {"if": {"properties": {"exit": {"enum": [2, 4]}}}, "then": {"required": ["error"]}}
    return document(_ENVELOPE, record | failed, made)
