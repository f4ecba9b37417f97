"""What the user allows each active skill (skill runtime, section 5).

An approval holds for one skill of one origin with one content (tree hash). A denial holds whatever the content. The
last decision about a permission counts. A skill is activated with all the permissions that it declares, or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.manifest.names import Permission
from skillbag.runtime.admission import Admission, Lapse
from skillbag.runtime.audit import WITHDRAWALS, Decision, Note, insert
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.known_guards import KnownGuards
from skillbag.runtime.printable import printable
from skillbag.runtime.skill import Grantee, SkillSource
from skillbag.runtime.store import Stamp, Store


class Scope(StrEnum):
    """How long a decision holds: for one activation, for a session, until it is revoked; or a denial."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"
    DENY = "deny"


class ByName(NamedTuple):
    """Skills that need no question, or that are refused without one.

    `run`: approved for this run (`--approve-skills`). `settings`: by `approved_skills` of the user's settings alone,
    since a workspace must not approve its own skills. `denies` says which skills the settings deny.
    """

    run: frozenset[str] = frozenset()
    settings: frozenset[str] = frozenset()
    denies: Callable[[str, SkillSource], bool] = lambda skill, source: False


class Approval(NamedTuple):
    """A decision as it is stored. `session` is empty unless the scope is a session. `approved_at` is UTC in ISO 8601.
    One for another `tree_hash` than the skill has now counts for nothing, unless it is a denial."""

    skill: str
    origin: str
    permission: str
    scope: str
    session: str
    tree_hash: str
    approved_at: str


class _Standing(NamedTuple):
    """The stored decisions that count for a skill now."""

    lasting: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()


_NOTHING = _Standing()
_UNDO = "a person revokes that on a terminal, so that it can be asked for again"


class Approvals:
    """The approvals in the database, and those by name. Every method raises StoreError if the database is needed and
    can't be used: nothing is approved then."""

    def __init__(self, store: Store, by_name: ByName = ByName()) -> None:  # noqa: B008 - frozen
        """Nothing is opened yet."""
        self._store = store
        self._by_name = by_name
        self.guards = KnownGuards(store, by_name.run | by_name.settings)

    def missing(self, grantee: Grantee, session: str | None = None) -> tuple[Permission, ...]:
        """The permissions that the user must be asked for before the skill is activated, sorted.

        There are none for a skill that `admit` refuses whatever is answered, since a denial is not asked about.
        """
        replaced = {Permission.HOOK_OBSERVE} if self.guards.is_replaced(grantee, session) else set[Permission]()
        if self._is_denied(grantee) or not (grantee.declared or replaced):
            return ()
        standing = self._store.read(lambda connection: _standing(connection, grantee, session), _NOTHING)
        if standing.denied & (grantee.declared | replaced):
            return ()
        open_ = grantee.declared - self._approved_by_name(grantee) - standing.lasting - standing.once
        return tuple(sorted(open_ | replaced))

    def grant(
        self,
        grantee: Grantee,
        scope: Scope,
        session: str | None = None,
        permissions: Iterable[Permission] | None = None,
    ) -> None:
        """Approve these permissions, by default all that are declared. `scope` may be a denial, which ends them at
        once, also for active skills and in all sessions.

        Raises:
            UserError: a permission is not declared, or there is no session to grant it for.
        """
        chosen = grantee.declared if permissions is None else frozenset(permissions)
        for permission in sorted(chosen - grantee.declared - {Permission.HOOK_OBSERVE}):
            raise NotPermittedError(f'permission "{permission}" not declared in skill "{grantee.skill}" manifest')
        if scope is Scope.SESSION and not session:
            raise UserError("there is no session to approve permissions for; name one with --session ID")
        key = session if session and scope is Scope.SESSION else ""
        self._store.change(lambda connection: _decide(connection, grantee, chosen, scope, key))

    def deny(self, grantee: Grantee, permissions: Iterable[Permission] | None = None) -> None:
        """As `grant` with a denial."""
        self.grant(grantee, Scope.DENY, permissions=permissions)

    def revoke(self, skill: str) -> str:
        """Forget all decisions about the skills of this name, whatever their origin; active ones lose all permissions
        at once. Gives the sentence that says so."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM permission_approvals WHERE skill = ?", (skill,))
            insert(connection, Note(skill, "", Decision.REVOKED))

        self._store.change(work)
        return f"All permissions revoked for skill '{printable(skill)}'"

    def list(self, skill: str | None = None) -> tuple[Approval, ...]:
        """The stored decisions about the skills of this name, or about all, sorted."""
        where, values = ("WHERE skill = ?", (skill,)) if skill is not None else ("", ())
        select = f"SELECT * FROM permission_approvals {where} ORDER BY skill, origin, permission, session"  # noqa: S608
        return tuple(Approval(*row) for row in self._store.rows(select, values))

    def admit(self, grantee: Grantee, session: str | None = None) -> Admission:
        """Give one activation its permissions, in one transaction that consumes what was approved once.

        Raises:
            NotPermittedError: one of them is denied or not approved; nothing is consumed.
        """
        if self._is_denied(grantee):
            raise NotPermittedError(
                f'skill "{grantee.skill}" is not allowed: denied_skills of the settings names it; remove it there'
            )
        if self.guards.is_replaced(grantee, session):
            raise NotPermittedError(f'skill "{grantee.skill}" is a guard whose files nobody has allowed')
        self.guards.use(grantee)
        if not grantee.declared:
            return Admission(frozenset())
        by_name = self._approved_by_name(grantee)

        def work(connection: sqlite3.Connection) -> Admission:
            return _admit(connection, grantee, session, by_name)._replace(opened=self._store.opened)

        return self._store.change(work)

    def refusal(self, grantee: Grantee) -> str:
        """Why the skill is not activated whatever is answered, and how to change that; empty if nothing forbids it."""
        if self._is_denied(grantee):
            return "denied_skills of the settings names it; remove it there"
        if not grantee.declared:
            return ""
        stored = [each for each in self.list(grantee.skill) if each.origin == grantee.origin]
        refused = sorted(grantee.declared & {each.permission for each in stored if each.scope == Scope.DENY})
        return f"the user has denied it {', '.join(refused)}; {_UNDO}" if refused else ""

    def lapse(self, grantee: Grantee, session: str | None, admission: Admission) -> Lapse | None:
        """Why an active skill may not go on with what it was admitted to; None if it may."""
        if refusal := self.refusal(grantee):
            return Lapse(f"{refusal}, then activate it again", chosen=True)
        missing = grantee.declared - self.current(grantee, session, admission).granted
        if not missing:
            return None
        if self._store.read(lambda connection: missing <= _given_elsewhere(connection, grantee, session), False):
            # For another content: that is no withdrawal, and a guard must still be asked.
            return Lapse("its approval is for other files of it; activate it again", chosen=False, moved=True)
        is_decided = self._store.read(lambda each: _is_decided(each, grantee, session, admission.since), False)
        reason = "its permissions were revoked" if is_decided else "its approval is not in the database any more"
        return Lapse(f"{reason}; activate it again", chosen=is_decided)

    def current(self, grantee: Grantee, session: str | None, admission: Admission) -> Admission:
        """The admission as it is now: without what was withdrawn, with what was granted since."""
        if self._is_denied(grantee):
            return Admission(frozenset(), since=admission.since, opened=admission.opened)
        if not grantee.declared:
            return admission

        def work(connection: sqlite3.Connection) -> Admission:
            # A withdrawal before the file was replaced is not in it.
            held = admission.held if admission.opened == self._store.opened else frozenset[Permission]()
            withdrawn, latest = _withdrawn(connection, grantee, admission.since)
            if latest < admission.since:
                # An older copy of the file: what was withdrawn later is not in it.
                held = frozenset()
            standing = _standing(connection, grantee, session)
            held -= withdrawn
            granted = grantee.declared & (held | standing.lasting) - standing.denied
            return Admission(granted, held, latest, self._store.opened)

        return self._store.read(work, Admission(frozenset(), since=admission.since, opened=admission.opened))

    def stamp(self) -> Stamp:
        """It differs after every decision of the user, in whichever process; `current` may differ then."""
        return self._store.stamp()

    def _is_denied(self, grantee: Grantee) -> bool:
        return self._by_name.denies(grantee.skill, grantee.source)

    def _approved_by_name(self, grantee: Grantee) -> frozenset[Permission]:
        named = grantee.skill in self._by_name.run or grantee.skill in self._by_name.settings
        return grantee.declared if named or grantee.source is SkillSource.BUILTIN else frozenset()


def _standing(connection: sqlite3.Connection, grantee: Grantee, session: str | None) -> _Standing:
    rows = connection.execute(
        "SELECT permission, scope, session, tree_hash FROM permission_approvals "
        "WHERE skill = ? AND origin = ? AND session IN ('', ?)",
        (grantee.skill, grantee.origin, session or ""),
    ).fetchall()
    approved = {(scope, bool(of)): set[str]() for scope in Scope for of in (False, True)}
    for permission, scope, of, tree_hash in rows:
        if (scope, bool(of)) in approved and (scope == Scope.DENY or tree_hash == grantee.tree_hash):
            approved[scope, bool(of)].add(permission)
    return _Standing(
        frozenset(approved[Scope.ALWAYS, False] | approved[Scope.SESSION, True]),
        frozenset(approved[Scope.ONCE, False]),
        frozenset(approved[Scope.DENY, False]),
    )


def _withdrawn(connection: sqlite3.Connection, grantee: Grantee, since: int) -> tuple[frozenset[str], int]:
    """The permissions that the user has denied or revoked since that audit entry, and the number of the latest."""
    (latest,) = connection.execute("SELECT ifnull(max(id), 0) FROM audit").fetchone()
    rows = connection.execute(
        "SELECT permission FROM audit WHERE id > ? AND id <= ? AND skill = ? AND decision IN (?, ?)",
        (since, latest, printable(grantee.skill), *WITHDRAWALS),
    ).fetchall()
    found = frozenset(row[0] for row in rows)
    return frozenset(Permission) if "" in found else found, latest


def _is_decided(connection: sqlite3.Connection, grantee: Grantee, session: str | None, since: int) -> bool:
    """Whether the user has withdrawn permissions of the skill: since that audit entry, or as the last decision about
    it in this database, or by what holds for one activation alone. Else they were lost, with another database or by
    damage."""
    select = "SELECT decision FROM audit WHERE skill = ? AND decision IN (?, ?, ?) ORDER BY id DESC LIMIT 1"
    values = (printable(grantee.skill), Decision.GRANTED, *WITHDRAWALS)
    last = connection.execute(select, values).fetchone()
    is_withdrawn = bool(_withdrawn(connection, grantee, since)[0]) or (last is not None and last[0] in WITHDRAWALS)
    return is_withdrawn or bool(_standing(connection, grantee, session).once)


def _given_elsewhere(connection: sqlite3.Connection, grantee: Grantee, session: str | None) -> frozenset[Permission]:
    """What is approved for another content of the skill."""
    select = "SELECT permission FROM permission_approvals WHERE skill = ? AND origin = ? AND session IN ('', ?)"
    values = (grantee.skill, grantee.origin, session or "", Scope.DENY, grantee.tree_hash)
    found = {row[0] for row in connection.execute(f"{select} AND scope != ? AND tree_hash != ?", values)}
    return frozenset(each for each in Permission if each in found)


def _decide(
    connection: sqlite3.Connection, grantee: Grantee, permissions: Iterable[Permission], scope: Scope, session: str
) -> None:
    """Store a decision. It replaces the denial of a permission; a denial replaces all that was approved."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    decision = Decision.DENIED if scope is Scope.DENY else Decision.GRANTED
    for permission in sorted(permissions):
        connection.execute(
            "DELETE FROM permission_approvals WHERE skill = ? AND origin = ? AND permission = ? AND ? IN (scope, ?)",
            (grantee.skill, grantee.origin, permission, Scope.DENY, scope),
        )
        connection.execute(
            "INSERT OR REPLACE INTO permission_approvals VALUES(?, ?, ?, ?, ?, ?, ?)",
            (grantee.skill, grantee.origin, permission, scope, session, grantee.tree_hash, now),
        )
        insert(connection, Note(grantee.skill, permission, decision, scope, session))


def _admit(
    connection: sqlite3.Connection, grantee: Grantee, session: str | None, by_name: frozenset[Permission]
) -> Admission:
    standing = _standing(connection, grantee, session)
    approved = (by_name | standing.lasting | standing.once) - standing.denied
    for permission in sorted(grantee.declared - approved, key=lambda each: (each not in standing.denied, each)):
        raise _refused(grantee, permission, is_denied=permission in standing.denied)
    consumed = grantee.declared & standing.once - standing.lasting - by_name
    connection.executemany(
        "DELETE FROM permission_approvals WHERE skill = ? AND origin = ? AND permission = ? AND scope = ?",
        [(grantee.skill, grantee.origin, permission, Scope.ONCE) for permission in consumed],
    )
    note = Note(grantee.skill, "", Decision.ADMITTED, ", ".join(sorted(grantee.declared)), session)
    return Admission(grantee.declared, consumed | by_name, insert(connection, note))


def _refused(grantee: Grantee, permission: str, *, is_denied: bool) -> NotPermittedError:
    advice = f"; it was denied, and {_UNDO}" if is_denied else ""
    return NotPermittedError(f'permission "{permission}" not approved for skill "{grantee.skill}"{advice}')
