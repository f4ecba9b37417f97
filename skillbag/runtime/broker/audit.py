"""The audit log: every decision about a permission, in the runtime's database (skill runtime, section 5).

An entry is written before the operation that it allows: what can't be written is not allowed. It takes some 30 µs, as
it does not wait for the disk. A crash of the process loses none, one of the system the last moments.
"""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.manifest.names import Permission
from skillbag.kernel.secrets.detection import mask, may_tell
from skillbag.runtime.broker.store import RuntimeStore
from skillbag.runtime.printable import printable

KEPT = 10_000
"""Entries that are kept at least; older ones are deleted. The last withdrawals of each skill stay."""
_SLACK = 500
"""Entries that may be there beyond these: they are not deleted one by one."""
LONGEST_DETAIL = 500
_MAX_MASKED = 8192
"""Characters of a detail that are searched for secrets; the rest is cut off."""


class Decision(StrEnum):
    """What was decided.

    Of operations: ALLOWED; UNDECLARED, UNAPPROVED and LIMITED are refused. Of activations: ADMITTED, or UNAPPROVED. Of
    the user: GRANTED, DENIED, REVOKED (all permissions of a skill).
    """

    ALLOWED = "allowed"
    UNDECLARED = "undeclared"
    UNAPPROVED = "unapproved"
    LIMITED = "limited"
    ADMITTED = "admitted"
    GRANTED = "granted"
    DENIED = "denied"
    REVOKED = "revoked"


_WITHDRAWALS = (Decision.DENIED, Decision.REVOKED)
"""Decisions that end what an active skill was allowed."""


class AuditEntry(NamedTuple):
    """One decision. `detail` is masked and printable. `ms`: how long the decision took, in milliseconds."""

    number: Annotated[int, fits(minimum=0)]
    at: Annotated[str, "UTC, ISO 8601 with milliseconds and `Z`."]
    session: str
    skill: str
    permission: Annotated[str, "Empty if it is about all of a skill's."]
    decision: Annotated[str, fits(enum=tuple(Decision))]
    detail: str
    ms: Annotated[int, fits(minimum=0)]


class Note(NamedTuple):
    """What is written down; the detail as it came."""

    skill: str
    permission: str
    decision: Decision
    detail: str = ""
    session: str | None = None
    ms: int = 0


def insert(connection: sqlite3.Connection, note: Note) -> int:
    """Write an entry and delete the oldest ones; gives its number, higher than all before."""
    values = (
        *(_now(), printable(note.session or ""), printable(note.skill)),
        *(note.permission, note.decision, _shown(note.detail), note.ms),
    )
    number = connection.execute(
        "INSERT INTO audit(at, session, skill, permission, decision, detail, ms) VALUES(?, ?, ?, ?, ?, ?, ?)", values
    ).lastrowid
    assert number is not None  # noqa: S101 - a row was inserted
    if number % _SLACK == 0:
        _trim(connection, number - KEPT)
    return number


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _trim(connection: sqlite3.Connection, last: int) -> None:
    """Delete the entries up to this number, but not the last withdrawals: activations may not have seen them yet."""
    connection.execute(
        """DELETE FROM audit WHERE id <= ? AND (decision NOT IN (?, ?) OR EXISTS (
        SELECT 1 FROM audit AS later WHERE later.id > audit.id AND later.skill = audit.skill
        AND later.permission = audit.permission AND later.decision IN (?, ?)))""",
        (last, *_WITHDRAWALS, *_WITHDRAWALS),
    )


def withdrawn(connection: sqlite3.Connection, skill: str, since: int) -> tuple[frozenset[str], int]:
    """The permissions of a skill that the user has denied or revoked since that entry, and the number of the latest."""
    (latest,) = connection.execute("SELECT ifnull(max(id), 0) FROM audit").fetchone()
    rows = connection.execute(
        "SELECT permission FROM audit WHERE id > ? AND id <= ? AND skill = ? AND decision IN (?, ?)",
        (since, latest, printable(skill), *_WITHDRAWALS),
    ).fetchall()
    found = frozenset(row[0] for row in rows)
    return frozenset(Permission) if "" in found else found, latest


def is_withdrawn(connection: sqlite3.Connection, skill: str, since: int) -> bool:
    """Whether the user has withdrawn permissions of a skill since that entry, or as the last decision about it."""
    select = "SELECT decision FROM audit WHERE skill = ? AND decision IN (?, ?, ?) ORDER BY id DESC LIMIT 1"
    last = connection.execute(select, (printable(skill), Decision.GRANTED, *_WITHDRAWALS)).fetchone()
    return bool(withdrawn(connection, skill, since)[0]) or (last is not None and last[0] in _WITHDRAWALS)


def _shown(detail: str) -> str:
    detail = detail[:_MAX_MASKED]
    if may_tell(detail.encode("utf-8", "surrogatepass")):
        detail = mask(detail)
    detail = printable(detail)
    return detail if len(detail) <= LONGEST_DETAIL else f"{detail[:LONGEST_DETAIL]}…"


class Audit:
    """The log of one session."""

    def __init__(self, store: RuntimeStore, session: str | None = None) -> None:
        """Nothing is opened yet."""
        self._store = store
        self._session = session

    def write(self, skill: str, permission: str, decision: Decision, detail: str = "", ms: int = 0) -> None:
        """Write an entry.

        Raises:
            StoreError: it can't be written; what it allows must not be done.
        """
        note = Note(skill, permission, decision, detail, self._session, ms)
        self._store.run(lambda connection: insert(connection, note))

    def entries(
        self, skill: str | None = None, limit: int = 100, since: datetime | None = None, decision: str | None = None
    ) -> tuple[AuditEntry, ...]:
        """The last entries of all sessions, the newest one last; of one skill, from a time (with its zone) on, or with
        one decision, if these are given.

        Raises:
            StoreError: they can't be read.
        """
        wanted = {
            "skill = ?": skill if skill is None else printable(skill),
            "at >= ?": since.astimezone(UTC).isoformat(timespec="milliseconds") if since else None,
            "decision = ?": decision,
        }
        values = [value for value in wanted.values() if value is not None]
        where = " AND ".join(each for each, value in wanted.items() if value is not None) or "1"
        select = f"SELECT * FROM audit WHERE {where} ORDER BY id DESC LIMIT ?"  # noqa: S608
        return tuple(AuditEntry(*row) for row in reversed(self._store.rows(select, (*values, limit))))
