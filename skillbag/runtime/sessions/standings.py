"""What stands in the way of each skill, and whether it is active in the session, without loading any (skill runtime,
section 4). `resumption.py` goes on with the skills that are active by this."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple

from skillbag.runtime.broker.admission import Lapse
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.session_records import ActiveRecord, SessionPlace, SessionRecord, read_session
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.sessions.endings import requires
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill, Grantee, SkillSource


class SkillStandingKind(StrEnum):
    """ACTIVE in the session; BLOCKED: it can't be activated; DENIED by the user or the settings; else INACTIVE."""

    INACTIVE = "inactive"
    ACTIVE = "active"
    BLOCKED = "blocked"
    DENIED = "denied"


class SkillStanding(NamedTuple):
    """A skill as it stands, and why (empty if there is nothing to explain)."""

    found: FoundSkill
    standing: SkillStandingKind
    reason: str = ""


class Course(NamedTuple):
    """What becomes of the active skills of a session's record: those that go on, in the order of their activation but
    each after those that it needs; and those that do not, with the reason."""

    going: tuple[ActiveRecord, ...]
    ended: Mapping[str, Lapse]


def session_record(runtime: Runtime) -> SessionRecord:
    """What is kept of the runtime's session; an empty record without one."""
    request = runtime.request
    if request.session is None:
        return SessionRecord()
    return read_session(SessionPlace(request.state, request.workspace, request.session))


def course(runtime: Runtime, record: SessionRecord, looked_at: Collection[str] | None = None) -> Course:
    """What becomes of the active skills of the record. With `looked_at`, the others go on as they are, unless they
    require one that does not.

    Raises:
        StoreError: the database can't be used.
    """
    going: list[ActiveRecord] = []
    ended: dict[str, Lapse] = {}
    database = database_of(runtime) if record.active else 0
    for active in _sorted(runtime, record):
        # What was approved once is in the record alone: it counts only for the database that it was consumed in.
        opened = runtime.store.opened if active.database == database else -1
        kept = active._replace(admission=active.admission._replace(opened=opened))
        lapse = _of_required(runtime, active, ended, going)
        if looked_at is None or active.skill in looked_at:
            lapse = _lapse(runtime, kept) or lapse
        elif lapse is None or not lapse.chosen:
            lapse = None
        if lapse:
            ended[active.skill] = lapse
        else:
            going.append(kept)
    return Course(tuple(going), ended)


def database_of(runtime: Runtime) -> int:
    """Which file the approvals are in: its inode, and the number that it got when it was made, since an inode is used
    again. 0 if there is none, or it can't be used."""

    def work(connection: sqlite3.Connection) -> int:
        (number,) = connection.execute("PRAGMA application_id").fetchone()
        return os.stat(runtime.store.path).st_ino << 32 | int(number)

    try:
        return runtime.store.read(work, 0)
    except StoreError:
        return 0


def needed_by(runtime: Runtime, skill: str) -> tuple[str, ...]:
    """What the skill needs to be active, and itself last; itself alone if it can't be active any more."""
    return runtime.resolution.activation(skill) if skill in runtime.resolution.requires else (skill,)


def standings(runtime: Runtime) -> tuple[SkillStanding, ...]:
    """All skills as they stand in the runtime's session, by name."""
    found = course(runtime, session_record(runtime))
    active = {each.skill for each in found.going}
    return tuple(_standing(runtime, each, active, found.ended.get(each.name)) for each in runtime.found.skills)


def active_names(runtime: Runtime) -> tuple[str, ...]:
    """The skills that are active in the session, by name."""
    return tuple(each.found.name for each in standings(runtime) if each.standing is SkillStandingKind.ACTIVE)


def _standing(runtime: Runtime, found: FoundSkill, active: Collection[str], lapse: Lapse | None) -> SkillStanding:
    if reason := runtime.resolution.blocked.get(found.name):
        return SkillStanding(found, SkillStandingKind.BLOCKED, reason)
    declared = frozenset(found.manifest.permissions)
    if refusal := runtime.approvals.refusal(Grantee(found.name, found.origin, "", found.source, declared)):
        return SkillStanding(found, SkillStandingKind.DENIED, refusal)
    if found.name in active:
        return SkillStanding(found, SkillStandingKind.ACTIVE)
    return SkillStanding(found, SkillStandingKind.INACTIVE, lapse.reason if lapse else "")


def _sorted(runtime: Runtime, record: SessionRecord) -> list[ActiveRecord]:
    """The active skills in the order of their activation, each after those that it needs: it would activate them."""
    by_name = {active.skill: active for active in record.active}
    names = dict.fromkeys(needed for skill in by_name for needed in needed_by(runtime, skill))
    return [by_name[name] for name in names if name in by_name]


def _of_required(
    runtime: Runtime, active: ActiveRecord, ended: Mapping[str, Lapse], going: Collection[ActiveRecord]
) -> Lapse | None:
    """The lapse of a skill because of another one that it requires."""
    there = {each.skill for each in going}
    gone = [each for each in runtime.resolution.requires.get(active.skill, ()) if each not in there]
    if not gone:
        return None
    # One decision of the user is enough: without it, they would not be asked for the rest.
    return Lapse(requires(active.skill, gone[0]), any(each in ended and ended[each].chosen for each in gone))


def _lapse(runtime: Runtime, active: ActiveRecord) -> Lapse | None:
    """Why the skill can't go on by itself; a decision of the user comes first."""
    name = active.skill
    found = next((each for each in runtime.found.skills if each.name == name), None)
    if found is None:
        return Lapse(f'skill "{name}" not found', chosen=is_let_go(runtime, name))
    fault = _fault(runtime, active)
    declared = active.admission.granted if fault else frozenset(found.manifest.permissions)
    # A workspace may deny its own skills, not one of the user's whose name another has taken.
    source = SkillSource(active.origin.partition(":")[0])
    grantee = Grantee(name, active.origin, active.tree_hash, source, declared)
    lapse = runtime.approvals.lapse(grantee, runtime.request.session, active.admission)
    if lapse and (lapse.chosen or not fault):
        return lapse
    return Lapse(fault, chosen=is_let_go(runtime, name)) if fault else None


def is_let_go(runtime: Runtime, name: str) -> bool:
    """Whether the user has revoked what the skill may do, so that a guard is not missed. One that is activated again is
    known again."""
    return not runtime.approvals.guards(name) and runtime.approvals.is_revoked(name)


def _fault(runtime: Runtime, active: ActiveRecord) -> str:
    """What has happened to the skill since it was activated; empty if nothing has."""
    if reason := runtime.resolution.blocked.get(active.skill):
        return f'skill "{active.skill}" can\'t be activated: {reason}'
    try:
        grantee = runtime.grantee(active.skill)
    except RuntimeFaultError as error:
        return str(error)
    if (grantee.origin, grantee.tree_hash) != (active.origin, active.tree_hash):
        return f'the files of the skill "{active.skill}" have changed; activate it again'
    return ""
