"""The broker: it stands before every operation of every backend (skill runtime, section 5)."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import NamedTuple

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.admission import Admission, Lapse
from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.audit import Audit, Decision
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.limits import OperationCounter, check_depth
from skillbag.runtime.broker.store import Stamp
from skillbag.runtime.errors import NotPermittedError, RateLimitedError, RuntimeFaultError
from skillbag.runtime.skill import Grantee


class _Active(NamedTuple):
    """An active skill: what it may do as of `stamp`, and how many activations share that."""

    admission: Admission
    stamp: Stamp | None
    activations: int = 1


class Broker:
    """Decides about the operations of the active skills of one session. Thread safe; foreign code never runs within."""

    def __init__(
        self, approvals: Approvals, limits: OperationCounter, audit: Audit, session: str | None = None
    ) -> None:
        """No skill is active yet."""
        self._approvals = approvals
        self._limits = limits
        self._audit = audit
        self._session = session
        self._lock = threading.Lock()
        self._active: dict[Grantee, _Active] = {}
        self._checked: Stamp | None = None
        """The state of the database as of which `lapsed` found nothing."""

    def admit(self, grantee: Grantee) -> frozenset[Permission]:
        """The permissions of a skill that is activated now. Call `release` when it is not active any more.

        Raises:
            NotPermittedError: it is denied, or something is not approved. StoreError: the database can't be used.
        """
        try:
            admission = self._approvals.admit(grantee, self._session)
        except NotPermittedError as error:
            self._write_refusal(grantee, "", Decision.UNAPPROVED, str(error))
            raise
        with self._lock:
            before = self._active.get(grantee)
            number = before.activations + 1 if before else 1
            # Without a stamp: the first operation asks what is approved by then.
            self._active[grantee] = _Active(admission, None, number)
        return admission.granted

    def resume(self, grantee: Grantee, admission: Admission) -> frozenset[Permission]:
        """Go on with an activation that another process of this session began; what was withdrawn since is gone.

        Raises:
            StoreError: the database can't be used.
        """
        now = self._approvals.current(grantee, self._session, admission)
        with self._lock:
            before = self._active.get(grantee)
            self._active[grantee] = _Active(now, None, before.activations + 1 if before else 1)
        return now.granted

    def admission(self, grantee: Grantee) -> Admission | None:
        """What an active skill may do, to be resumed by another process."""
        active = self._active.get(grantee)
        return active.admission if active else None

    def release(self, grantee: Grantee) -> None:
        """End an activation; what was approved once is gone."""
        with self._lock:
            active = self._active.pop(grantee, None)
            if active and active.activations > 1:
                self._active[grantee] = active._replace(activations=active.activations - 1)

    def demand(
        self, grantee: Grantee, permission: Permission, detail: str = "", chain: tuple[Grantee, ...] = ()
    ) -> None:
        """Return if the skill may do this operation now; `detail` says which, for the audit log.

        `chain` are the skills whose call led here, the outermost first: their limits are charged, too.

        Raises:
            NotPermittedError: the permission is not declared or not approved. RateLimitedError: a limit is reached.
            StoreError: the database can't be used, so that nothing can be allowed.
        """
        start = time.perf_counter()
        decision, refusal = self._decide(grantee, permission, chain)
        if refusal is not None:
            self._write_refusal(grantee, permission, decision, detail)
            raise refusal
        milliseconds = round((time.perf_counter() - start) * 1000)
        self._audit.write(grantee.skill, permission, decision, detail, milliseconds)

    def is_approved(self, grantee: Grantee, permission: Permission) -> bool:
        """Whether the skill is active and the permission approved now. It takes a few microseconds.

        Raises:
            StoreError: the database can't be used.
        """
        active = self._active.get(grantee)
        if active is None:
            return False
        stamp = self._approvals.stamp()
        if stamp == active.stamp:
            return permission in active.admission.granted
        admission = self._approvals.current(grantee, self._session, active.admission)
        with self._lock:
            now = self._active.get(grantee)
            if now is not None and now.admission is active.admission:
                self._active[grantee] = now._replace(admission=admission, stamp=stamp)
        return permission in admission.granted

    def lapsed(self) -> dict[str, Lapse]:
        """The active skills that may not go on after a decision of the user, by name. Without a new one, it takes a few
        microseconds. Nothing is lapsed while the database can't be used: every operation is refused."""
        active = [(grantee, each.admission) for grantee, each in list(self._active.items()) if grantee.declared]
        if not active:
            return {}
        with contextlib.suppress(StoreError):
            if (stamp := self._approvals.stamp()) == self._checked:
                return {}
            found = {
                grantee.skill: lapse
                for grantee, admission in active
                if (lapse := self._approvals.lapse(grantee, self._session, admission)) and (lapse.chosen or lapse.moved)
            }
            self._checked = None if found else stamp
            return found
        return {}

    def begin_turn(self) -> None:
        """Reset the counters of all limits."""
        self._limits.begin_turn()

    def _decide(
        self, grantee: Grantee, permission: Permission, chain: tuple[Grantee, ...]
    ) -> tuple[Decision, RuntimeFaultError | None]:
        if permission not in grantee.declared:
            message = f'permission "{permission}" not declared in skill "{grantee.skill}" manifest'
            return Decision.UNDECLARED, NotPermittedError(message)
        if not self.is_approved(grantee, permission):
            message = f'permission "{permission}" not approved for skill "{grantee.skill}"'
            return Decision.UNAPPROVED, NotPermittedError(message)
        try:
            if permission is Permission.SKILL_INVOKE:
                check_depth(len(chain))
            self._limits.charge((grantee, *chain), permission)
        except RateLimitedError as error:
            return Decision.LIMITED, error
        return Decision.ALLOWED, None

    def _write_refusal(self, grantee: Grantee, permission: str, decision: Decision, detail: str) -> None:
        # A refusal stays one, whether or not it can be written.
        with contextlib.suppress(StoreError):
            self._audit.write(grantee.skill, permission, decision, detail)
