"""What a record of a session holds comes back: many failures of hooks cost no skill, names need not be UTF-8."""

from __future__ import annotations

from pathlib import Path

from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.runtime.broker.admission import Admission
from skillbag.runtime.broker.session_records import (
    ActiveRecord,
    HookFailures,
    SessionPlace,
    SessionRecord,
    read_session,
    update_session,
)


def test_failures_of_hooks_don_t_cost_the_session_its_guards(tmp_path: Path) -> None:
    place = SessionPlace(str(tmp_path), None, "s1")
    failures = tuple(HookFailures(Phase.BEFORE_PROMPT_BUILD, number, 1) for number in range(1000))
    phases = (Phase.BEFORE_TOOL_CALL,)
    skills = [
        ActiveRecord(f"bad-{number}", "project", "", Admission(frozenset()), (), failures) for number in range(40)
    ]
    guard = ActiveRecord("guard", "user", "", Admission(frozenset()), phases)
    update_session(place, SessionRecord(), SessionRecord(active=(*skills, guard)))
    assert read_session(place).active[-1] == guard


def test_a_workspace_whose_name_is_not_utf_8_has_sessions(tmp_path: Path) -> None:
    place, origin = SessionPlace(str(tmp_path), "/w\udcff", "s1"), "project:/w\udcff"
    skill = ActiveRecord("s", origin, "", Admission(frozenset({Permission.FILE_READ})), ())
    session = SessionRecord(active=(skill,), used={("s", origin, Permission.FILE_READ): 2})
    update_session(place, SessionRecord(), session)
    assert read_session(place) == session
