"""A record of a session that many failing hooks make large still has the active skills."""

from __future__ import annotations

from pathlib import Path

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.broker.admission import Admission
from skillbag.runtime.broker.session_records import (
    ActiveRecord,
    SessionPlace,
    SessionRecord,
    read_session,
    update_session,
)


def test_failures_of_hooks_don_t_cost_the_session_its_guards(tmp_path: Path) -> None:
    place = SessionPlace(str(tmp_path), None, "s1")
    failures = tuple((Phase.BEFORE_PROMPT_BUILD, number, 1) for number in range(1000))
    phases = (Phase.BEFORE_TOOL_CALL,)
    skills = [
        ActiveRecord(f"bad-{number}", "project", "", Admission(frozenset()), (), failures) for number in range(40)
    ]
    guard = ActiveRecord("guard", "user", "", Admission(frozenset()), phases)
    update_session(place, SessionRecord(), SessionRecord(active=(*skills, guard)))
    assert read_session(place).active[-1] == guard
