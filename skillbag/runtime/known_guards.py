"""The guards of the user's that have guarded calls, with the content that they had (skill runtime, section 6).

A guard needs no permission, so nobody approves its files. Their first content is remembered as an approval of
`hook:observe`; what takes its name with other files is asked about: an edit, or a skill from elsewhere.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from skillbag.manifest.names import Permission
from skillbag.runtime.database_file import StoreError
from skillbag.runtime.skill import Grantee, is_of_user
from skillbag.runtime.store import Store

_ROWS = "SELECT origin, tree_hash, scope FROM permission_approvals WHERE skill = ? AND permission = ?"


class KnownGuards:
    """Those in the database; without it, nothing is known of any."""

    def __init__(self, store: Store, named: Collection[str]) -> None:
        """The skills that are `named` are approved with any files."""
        self._store = store
        self._named = named

    def is_replaced(self, grantee: Grantee, session: str | None) -> bool:
        """Whether a guard of this name has other files, or is from elsewhere, and nobody has allowed this one."""
        if grantee.skill in self._named:
            return False
        rows = self._rows(f"{_ROWS} AND session IN ('', ?)", (session or "",), grantee.skill)
        own = is_of_user(grantee.origin)
        known = [row for row in rows if row[0] == grantee.origin or (is_of_user(row[0]) and not own)]
        allowed = (grantee.origin, grantee.tree_hash)
        return bool(known) and not any(row[:2] == allowed and row[2] != "deny" for row in known)

    def guarded(self, skill: str) -> bool:
        """Whether a guard of the user's of this name has guarded calls, and nobody has decided against it."""
        rows = self._rows(_ROWS, (), skill)
        return any(is_of_user(row[0]) for row in rows) and not any(row[2] == "deny" for row in rows)

    def remember(self, grantee: Grantee) -> None:
        """Remember an active guard, unless one of its name and origin is known."""
        if any(row[0] == grantee.origin for row in self._rows(_ROWS, (), grantee.skill)):
            return
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        values = (grantee.skill, grantee.origin, Permission.HOOK_OBSERVE, "always", "", grantee.tree_hash, now)
        insert = "INSERT OR IGNORE INTO permission_approvals VALUES(?, ?, ?, ?, ?, ?, ?)"
        with contextlib.suppress(StoreError):
            self._store.change(lambda connection: connection.execute(insert, values))

    def _rows(self, select: str, more: tuple[str, ...], skill: str) -> list[Any]:
        def work(connection: sqlite3.Connection) -> list[Any]:
            return connection.execute(select, (skill, Permission.HOOK_OBSERVE, *more)).fetchall()

        with contextlib.suppress(StoreError):
            return self._store.read(work, list[Any]())
        return []
