"""What stands in the way of each skill, and whether the session has it active, without loading any (skill runtime,
section 4)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.runtime import Runtime
from skillbag.runtime.sessions import ActiveRecord, SessionPlace, SessionRecord, read_session
from skillbag.runtime.skill import FoundSkill


class Standing(StrEnum):
    """ACTIVE in the session; BLOCKED: it can't be activated; DENIED by the settings; else INACTIVE."""

    INACTIVE = "inactive"
    ACTIVE = "active"
    BLOCKED = "blocked"
    DENIED = "denied"


class SkillStanding(NamedTuple):
    """A skill as it stands, and why (empty if there is nothing to explain)."""

    found: FoundSkill
    standing: Standing
    reason: str = ""


def session_record(runtime: Runtime) -> SessionRecord:
    """What is kept of the runtime's session; an empty record without one."""
    request = runtime.request
    if request.session is None:
        return SessionRecord()
    return read_session(SessionPlace(request.state, request.workspace, request.session))


def standings(runtime: Runtime) -> tuple[SkillStanding, ...]:
    """All skills as they stand in the runtime's session, by name."""
    active = {each.skill: each for each in session_record(runtime).active}
    return tuple(_standing(runtime, found, active.get(found.name)) for found in runtime.found.skills)


def active_names(runtime: Runtime) -> tuple[str, ...]:
    """The skills that are active in the session, by name."""
    return tuple(each.found.name for each in standings(runtime) if each.standing is Standing.ACTIVE)


def _standing(runtime: Runtime, found: FoundSkill, record: ActiveRecord | None) -> SkillStanding:
    if reason := runtime.resolution.blocked.get(found.name):
        return SkillStanding(found, Standing.BLOCKED, reason)
    if runtime.request.settings.denies(found.name, found.source):
        return SkillStanding(found, Standing.DENIED, "denied_skills of the settings names it")
    if record is None:
        return SkillStanding(found, Standing.INACTIVE)
    try:
        grantee = runtime.grantee(found.name)
    except RuntimeFaultError as error:
        return SkillStanding(found, Standing.INACTIVE, str(error))
    if (grantee.origin, grantee.tree_hash) != (record.origin, record.tree_hash):
        return SkillStanding(found, Standing.INACTIVE, "its files have changed since it was activated")
    return SkillStanding(found, Standing.ACTIVE)
