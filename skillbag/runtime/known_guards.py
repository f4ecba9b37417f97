"""The guards of the user's that have guarded calls, with the content that they had (skill runtime, section 6).

A guard needs no permission, so nobody approves its files. Their first content is remembered as an approval of
`hook:observe`; what takes its name with other files is asked about: an edit, or a skill from elsewhere.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection
from datetime import UTC, datetime

from skillbag.manifest.names import Permission
from skillbag.runtime.database_file import StoreError
from skillbag.runtime.skill import Grantee, is_of_user
from skillbag.runtime.store import Store


class KnownGuards:
    """Those in the database. Methods raise StoreError if it can't be used, but for what says otherwise."""

    def __init__(self, store: Store, named: Collection[str]) -> None:
        """The skills that are `named` are approved with any files."""
        self._store = store
        self._named = named

    def is_replaced(self, grantee: Grantee, session: str | None) -> bool:
        """Whether a guard of this name has other files, or is from elsewhere, and nobody has allowed this one."""
        if grantee.skill in self._named:
            return False
        own, rows = is_of_user(grantee.origin), self._rows(grantee.skill, "session IN ('', ?)", session or "")
        known = [row for row in rows if row[0] == grantee.origin or (is_of_user(row[0]) and not own)]
        return bool(known) and (grantee.origin, grantee.tree_hash) not in known

    def guarded(self, skill: str) -> bool:
        """Whether a guard of the user's of this name has guarded calls, and nobody has decided against it; also if that
        can't be known."""
        try:
            return any(is_of_user(origin) for origin, _ in self._rows(skill, "1"))
        except StoreError:
            return True

    def remember(self, grantee: Grantee) -> None:
        """Remember an active guard, unless one of its name and origin is known, or the database can't be used."""
        with contextlib.suppress(StoreError):
            if not self._rows(grantee.skill, "origin = ?", grantee.origin):
                now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                values = (grantee.skill, grantee.origin, Permission.HOOK_OBSERVE, "always", "", grantee.tree_hash, now)
                insert = "INSERT OR IGNORE INTO permission_approvals VALUES(?, ?, ?, ?, ?, ?, ?)"
                self._store.change(lambda connection: connection.execute(insert, values))

    def use(self, grantee: Grantee) -> None:
        """Begin an activation with files that were allowed once: the guard stays known, and the next one asks."""
        if Permission.HOOK_OBSERVE not in grantee.declared and self._rows(grantee.skill, "scope = 'once'"):
            values = (grantee.skill, grantee.origin, Permission.HOOK_OBSERVE)
            update = "UPDATE permission_approvals SET scope = 'always', tree_hash = '' WHERE scope = 'once'"
            where = "AND skill = ? AND origin = ? AND permission = ?"
            self._store.change(lambda connection: connection.execute(f"{update} {where}", values))

    def _rows(self, skill: str, more: str, *values: str) -> list[tuple[str, str]]:
        """The origin and the content of what is approved by this name."""
        select = "SELECT origin, tree_hash FROM permission_approvals WHERE skill = ? AND permission = ?"

        def work(connection: sqlite3.Connection) -> list[tuple[str, str]]:
            given = (skill, Permission.HOOK_OBSERVE, *values)
            return connection.execute(f"{select} AND scope != 'deny' AND {more}", given).fetchall()

        return self._store.read(work, list[tuple[str, str]]())
