"""The record of one source, checked or failed: one line of JSON (`schemas/audit.schema.json`)."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

from skillbag.fleet.audit.acquire import Obtained, obtain
from skillbag.fleet.audit.inspect import clean, inspect
from skillbag.fleet.audit.settings import AuditSettings
from skillbag.fleet.audit.sources import AuditTask
from skillbag.fleet.audit.values import FAILED, FORMAT, NOTHING, OK, Inspected, SourceHead, Status
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.json_records import to_json
from skillbag.kernel.workspace.discovery import NothingToCheckError

_LONGEST = 2000
"""Characters of an error."""


def audit_source(task: AuditTask, settings: AuditSettings) -> str:
    """Fetch, check and record one source: its line, without a line end. Errors become part of the record."""
    began = time.monotonic()
    if task.source is None:
        return failure(task, settings, task.fault)
    obtained: Obtained | None = None
    try:
        with obtain(task, settings) as obtained:
            try:
                inspected = inspect(obtained.root, settings)
            except NothingToCheckError:
                why = "there is nothing to check: no workspace, no source, no Agent Skills"
                return _line(task, settings, NOTHING, why, obtained, began=began)
            return _line(task, settings, OK, None, obtained, inspected, began)
    except Exception as error:  # one source among a million must not end the others
        text = format_error(error)
        if not isinstance(error, OSError | UserError):
            text = f"an internal error ({type(error).__name__}: {error}); please report it"
        if obtained is not None:
            text = text.replace(obtained.root, task.shown)
        # The record names its source already.
        return failure(task, settings, text.replace(f"{task.shown}: ", ""), began)


def failure(task: AuditTask, settings: AuditSettings, why: str, began: float | None = None) -> str:
    """The line of a source that could not be checked."""
    return _line(task, settings, FAILED, clean(why)[:_LONGEST], None, began=began)


def _line(
    task: AuditTask,
    settings: AuditSettings,
    status: Status,
    error: str | None,
    obtained: Obtained | None,
    found: Inspected | None = None,
    began: float | None = None,
) -> str:
    seconds = 0.0 if began is None else time.monotonic() - began
    head = SourceHead(
        key=task.key,
        status=status,
        run=settings.run,
        at=datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        format=FORMAT,
        source=clean(task.shown),
        kind=task.source.kind if task.source else None,
        version=None if task.version is None else clean(task.version),
        resolved=obtained.resolved if obtained else None,
        pinned=task.pinned,
        error=error,
        seconds=round(seconds, 3),
        bytes=obtained.fetched if obtained else 0,
        program=settings.program,
        standard=settings.standard,
    )
    record = to_json(head) | (to_json(found) if found else {})
    return json.dumps(record, ensure_ascii=True, separators=(", ", ": "))
