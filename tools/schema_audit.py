"""The published schema of an audit: a record of `records.jsonl`, and the summary."""

from __future__ import annotations

from schemas import Command, Family, Schema, answers, document
from skillbag.fleet.audit.summary_values import AuditSummary
from skillbag.fleet.audit.values import OK, Inspected, SourceHead

_AUDIT = Family(
    "audit",
    "A record of `skillbag team audit`: one line of `records.jsonl`; `$defs/summary` is `summary.json`,"
    " and what `--json` prints",
    "Version 1 of the contract. Paths are relative to the source, with `/`. The last record of a source counts.",
    (Command(("audit",), (AuditSummary,), (0, 1)),),
    mistakes=(2, 3, 4),
)


def audit_schema() -> str:
    """Its text: what was found is there in the records of sources that were checked, and only there."""
    made = Schema()
    record, found = made.record((SourceHead,)), made.record((Inspected,))
    summary, mistake = answers(made, _AUDIT)
    either = {"anyOf": [{"$ref": "#/$defs/summary"}, {"$ref": "#/$defs/mistake"}]}
    made.definitions |= {
        "summary": summary,
        "mistake": mistake,
        "answer": {"description": "What `--json` prints.", **either},
    }
    body = {
        **record,
        "properties": record["properties"] | found["properties"],
        "if": {"properties": {"status": {"const": OK}}},
        "then": {"required": found["required"]},
        "else": {"properties": dict.fromkeys(found["required"], False)},
    }
    return document(_AUDIT, body, made)
