"""What the user allows each active skill (skill runtime, section 5).

An approval holds for one skill of one origin with one content (tree hash). A denial holds whatever the content. The
last decision about a permission counts. A skill is activated with all the permissions that it declares, or not at all.

A guard of the user's needs none, so nobody approves its files. Their first content is remembered as an approval of
`hook:observe`; what takes its name with other files is asked about: an edit, or a skill from elsewhere.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.admission import Admission, Lapse
from skillbag.runtime.broker.audit import Decision, Note, insert, is_withdrawn, withdrawn
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.decisions import (
    UNDO,
    ApprovalScope,
    StoredDecisions,
    admit,
    decide,
    insert_row,
    standing_of,
)
from skillbag.runtime.broker.session_records import recorded_guards
from skillbag.runtime.broker.store import RuntimeStore, Stamp
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.printable import printable
from skillbag.runtime.skill import Grantee, SkillSource, is_of_user


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


class Approvals:
    """The approvals in the database, and those by name. Every method raises StoreError if the database is needed and
    can't be used: nothing is approved then."""

    def __init__(self, store: RuntimeStore, by_name: ByName = ByName()) -> None:  # noqa: B008 - frozen
        """Nothing is opened yet."""
        self._store = store
        self._by_name = by_name

    def missing(self, grantee: Grantee, session: str | None = None) -> tuple[Permission, ...]:
        """The permissions that the user must be asked for before the skill is activated, sorted.

        There are none for a skill that `admit` refuses whatever is answered, since a denial is not asked about.
        """
        replaced = {Permission.HOOK_OBSERVE} if self.is_replaced(grantee, session) else set[Permission]()
        if self._by_name.denies(grantee.skill, grantee.source) or not (grantee.declared or replaced):
            return ()
        standing = self._store.read(lambda connection: standing_of(connection, grantee, session), StoredDecisions())
        if standing.denied & (grantee.declared | replaced):
            return ()
        open_ = grantee.declared - self._approved_by_name(grantee) - standing.lasting - standing.once
        return tuple(sorted(open_ | replaced))

    def grant(
        self,
        grantee: Grantee,
        scope: ApprovalScope,
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
        if scope is ApprovalScope.SESSION and not session:
            raise UserError("there is no session to approve permissions for; name one with --session ID")
        if scope is ApprovalScope.DENY and self.is_replaced(grantee, session):
            # These files are denied, and not the guard that is known: it is still missed.
            chosen -= {Permission.HOOK_OBSERVE}
        key = session if session and scope is ApprovalScope.SESSION else ""
        self._store.change(lambda connection: decide(connection, grantee, chosen, scope, key))

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
        if self._by_name.denies(grantee.skill, grantee.source):
            raise NotPermittedError(f'skill "{grantee.skill}" is not allowed: {self.refusal(grantee)}')
        if self.is_replaced(grantee, session):
            what = "activate it and allow them, or revoke its permissions, on a terminal"
            raise NotPermittedError(f'skill "{grantee.skill}" is a guard whose files nobody has allowed: {what}')
        self._use_guard(grantee)
        if not grantee.declared:
            return Admission(frozenset())
        by_name = self._approved_by_name(grantee)
        return self._store.change(
            lambda connection: admit(connection, grantee, session, by_name)._replace(opened=self._store.opened)
        )

    def refusal(self, grantee: Grantee) -> str:
        """Why the skill is not activated whatever is answered, and how to change that; empty if nothing forbids it."""
        if self._by_name.denies(grantee.skill, grantee.source):
            return "denied_skills of the settings names it; remove it there"
        if not grantee.declared:
            return ""
        denied = {each.permission for each in self._stored(grantee) if each.scope == ApprovalScope.DENY}
        refused = sorted(grantee.declared & denied)
        return f"the user has denied it {', '.join(refused)}; {UNDO}" if refused else ""

    def lapse(self, grantee: Grantee, session: str | None, admission: Admission) -> Lapse | None:
        """Why an active skill may not go on with what it was admitted to; None if it may."""
        if refusal := self.refusal(grantee):
            return Lapse(f"{refusal}, then activate it again", chosen=True)
        missing = grantee.declared - self.current(grantee, session, admission).granted
        if not missing:
            return None
        given = [
            each for each in self._stored(grantee) if each.scope != ApprovalScope.DENY and each.session in ("", session)
        ]
        if missing <= {each.permission for each in given if each.tree_hash != grantee.tree_hash}:
            # For another content: that is no withdrawal, and a guard must still be asked.
            return Lapse("its approval is for other files of it; activate it again", chosen=False, moved=True)
        # Else it was lost, with another database or by damage.
        chosen = any((each.scope, each.tree_hash) == (ApprovalScope.ONCE, grantee.tree_hash) for each in given)
        chosen = chosen or self._store.read(lambda each: is_withdrawn(each, grantee.skill, admission.since), False)
        reason = "its permissions were revoked" if chosen else "its approval is not in the database any more"
        return Lapse(f"{reason}; activate it again", chosen)

    def is_revoked(self, skill: str) -> bool:
        """Whether the last decision about the skills of this name took something away."""
        return self._store.read(lambda each: is_withdrawn(each, skill, sys.maxsize), False)

    def current(self, grantee: Grantee, session: str | None, admission: Admission) -> Admission:
        """The admission as it is now: without what was withdrawn, with what was granted since."""
        if self._by_name.denies(grantee.skill, grantee.source):
            return Admission(frozenset(), since=admission.since, opened=admission.opened)
        if not grantee.declared:
            return admission

        def work(connection: sqlite3.Connection) -> Admission:
            # A withdrawal before the file was replaced is not in it.
            held = admission.held if admission.opened == self._store.opened else frozenset[Permission]()
            ended, latest = withdrawn(connection, grantee.skill, admission.since)
            if latest < admission.since:
                # An older copy of the file: what was withdrawn later is not in it.
                held = frozenset()
            standing = standing_of(connection, grantee, session)
            held -= ended
            granted = grantee.declared & (held | standing.lasting) - standing.denied
            return Admission(granted, held, latest, self._store.opened)

        return self._store.read(work, Admission(frozenset(), since=admission.since, opened=admission.opened))

    def stamp(self) -> Stamp:
        """It differs after every decision of the user, in whichever process; `current` may differ then."""
        return self._store.stamp()

    def remember(self, grantee: Grantee) -> None:
        """Remember an active guard, unless one of its name and origin is known, or the database can't be used."""
        with contextlib.suppress(StoreError):
            if not any(each.origin == grantee.origin for each in self.guards(grantee.skill)):
                self._store.change(
                    lambda each: insert_row(each, "IGNORE", grantee, Permission.HOOK_OBSERVE, ApprovalScope.ALWAYS)
                )

    def is_replaced(self, grantee: Grantee, session: str | None) -> bool:
        """Whether a guard of this name has other files, or is from elsewhere, and nobody has allowed this one."""
        if grantee.skill in self._by_name.run | self._by_name.settings:
            return False
        guards = [each for each in self.guards(grantee.skill) if each.session in ("", session)]
        known = [each for each in guards if each.origin == grantee.origin or is_of_user(each.origin)]
        return bool(known) and (grantee.origin, grantee.tree_hash) not in [(of.origin, of.tree_hash) for of in known]

    def _use_guard(self, grantee: Grantee) -> None:
        """Begin an activation with files that were allowed once: the guard stays known, and the next one asks."""
        once = (each for each in self.guards(grantee.skill) if each.scope == ApprovalScope.ONCE)
        if Permission.HOOK_OBSERVE not in grantee.declared and any(once):
            keep = "UPDATE permission_approvals SET scope = 'always', tree_hash = '' WHERE scope = 'once'"
            of = (grantee.skill, grantee.origin, Permission.HOOK_OBSERVE)
            self._store.change(lambda each: each.execute(f"{keep} AND skill = ? AND origin = ? AND permission = ?", of))

    def guards(self, skill: str | None = None) -> tuple[Approval, ...]:
        """What is approved for guards of this name, or for all. Of those that a damaged database had, the sessions in
        which they were active are known."""
        stored = [each for each in self.list(skill) if each.permission == Permission.HOOK_OBSERVE]
        given = tuple(each for each in stored if each.scope != ApprovalScope.DENY)
        if not self._store.was_damaged():
            return given
        named = {each.skill for each in stored}
        with contextlib.suppress(OSError):
            old = {(each.skill, each.origin, each.tree_hash) for each in recorded_guards(self._store.folder)}
            given += tuple(
                Approval(name, origin, Permission.HOOK_OBSERVE, ApprovalScope.ALWAYS, "", content, "")
                for name, origin, content in sorted(old)
                if is_of_user(origin) and name not in named and skill in (None, name) and not self.is_revoked(name)
            )
        return given

    def _stored(self, grantee: Grantee) -> tuple[Approval, ...]:
        return tuple(each for each in self.list(grantee.skill) if each.origin == grantee.origin)

    def _approved_by_name(self, grantee: Grantee) -> frozenset[Permission]:
        named = grantee.skill in self._by_name.run or grantee.skill in self._by_name.settings
        return grantee.declared if named or grantee.source is SkillSource.BUILTIN else frozenset()
