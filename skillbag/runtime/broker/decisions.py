"""Decisions of the user about active skills as rows of the database (skill runtime, section 5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.admission import Admission
from skillbag.runtime.broker.audit import Decision, Note, insert
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.skill import Grantee


class ApprovalScope(StrEnum):
    """How long a decision holds: for one activation, for a session, until it is revoked; or a denial."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    DENY = "deny"


class StoredDecisions(NamedTuple):
    """The stored decisions that count for a skill now."""

    lasting: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()


UNDO = "a person revokes that on a terminal, so that it can be asked for again"


def standing_of(connection: sqlite3.Connection, grantee: Grantee, session: str | None) -> StoredDecisions:
    """The decisions that count for the skill in this session."""
    select = "SELECT scope, session, permission, tree_hash FROM permission_approvals WHERE skill = ? AND origin = ?"
    lasting, once, denied = set[str](), set[str](), set[str]()
    always, in_session = (ApprovalScope.ALWAYS, ""), (ApprovalScope.SESSION, session)
    found = {always: lasting, in_session: lasting, (ApprovalScope.ONCE, ""): once, (ApprovalScope.DENY, ""): denied}
    for scope, of, permission, tree_hash in connection.execute(select, (grantee.skill, grantee.origin)):
        if (scope, of) in found and (scope == ApprovalScope.DENY or tree_hash == grantee.tree_hash):
            found[scope, of].add(permission)
    return StoredDecisions(frozenset(lasting), frozenset(once), frozenset(denied))


def decide(
    connection: sqlite3.Connection,
    grantee: Grantee,
    permissions: Iterable[Permission],
    scope: ApprovalScope,
    session: str,
) -> None:
    """Store a decision. It replaces the denial of a permission; a denial replaces all that was approved."""
    decision = Decision.DENIED if scope is ApprovalScope.DENY else Decision.GRANTED
    for permission in sorted(permissions):
        connection.execute(
            "DELETE FROM permission_approvals WHERE skill = ? AND origin = ? AND permission = ? AND ? IN (scope, ?)",
            (grantee.skill, grantee.origin, permission, ApprovalScope.DENY, scope),
        )
        insert_row(connection, "REPLACE", grantee, permission, scope, session)
        insert(connection, Note(grantee.skill, permission, decision, scope, session))


def insert_row(
    connection: sqlite3.Connection,
    clash: str,
    grantee: Grantee,
    permission: str,
    scope: ApprovalScope,
    session: str = "",
) -> None:
    """Store one row; `clash` says what happens to one of the same key."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    values = (grantee.skill, grantee.origin, permission, scope, session, grantee.tree_hash, now)
    connection.execute(f"INSERT OR {clash} INTO permission_approvals VALUES(?, ?, ?, ?, ?, ?, ?)", values)


def admit(
    connection: sqlite3.Connection, grantee: Grantee, session: str | None, by_name: frozenset[Permission]
) -> Admission:
    """Give one activation its permissions, and consume what was approved once; see `Approvals.admit`."""
    found = standing_of(connection, grantee, session)
    approved = (by_name | found.lasting | found.once) - found.denied
    for permission in sorted(grantee.declared - approved, key=lambda each: (each not in found.denied, each)):
        advice = f"; it was denied, and {UNDO}" if permission in found.denied else ""
        raise NotPermittedError(f'permission "{permission}" not approved for skill "{grantee.skill}"{advice}')
    consumed = grantee.declared & found.once - found.lasting - by_name
    connection.executemany(
        "DELETE FROM permission_approvals WHERE skill = ? AND origin = ? AND permission = ? AND scope = ?",
        [(grantee.skill, grantee.origin, permission, ApprovalScope.ONCE) for permission in consumed],
    )
    note = Note(grantee.skill, "", Decision.ADMITTED, ", ".join(sorted(grantee.declared)), session)
    return Admission(grantee.declared, consumed | by_name, insert(connection, note))
