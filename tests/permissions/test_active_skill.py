"""The record of the active skill: whose it is, how it is written, and what a broken one means."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from skillbag.permissions.active import (
    ActiveSkill,
    activate,
    active_skill,
    clear_active_skill,
)
from skillbag.settings.scope import Scope
from tests.permissions.records import AA, BB, record_of, records_of


def test_a_session_has_the_skill_that_was_activated_last(scope: Scope) -> None:
    assert active_skill(scope) is None
    activate(scope, AA)
    assert active_skill(scope) == AA
    activate(scope, BB)
    assert active_skill(scope) == BB
    activate(scope, AA)
    assert active_skill(scope) == AA
    clear_active_skill(scope)
    assert active_skill(scope) is None
    assert records_of() == []
    clear_active_skill(scope)


def test_each_session_of_each_workspace_has_its_own(scope: Scope, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    scopes = [
        scope,
        scope._replace(session="s2"),
        scope._replace(session="S1"),
        scope._replace(root=str(tmp_path / "other")),
        scope._replace(root=None),
    ]
    for number, one in enumerate(scopes):
        activate(one, ActiveSkill(f"skill-{number}", "Read"))

    assert [active_skill(one) for one in scopes] == [ActiveSkill(f"skill-{n}", "Read") for n in range(len(scopes))]
    clear_active_skill(scopes[0])
    assert active_skill(scopes[0]) is None
    assert all(active_skill(one) for one in scopes[1:])


def test_a_workspace_has_one_record_by_whatever_name_it_is_reached(scope: Scope, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("work")
    activate(scope, AA)

    assert active_skill(scope._replace(root=str(tmp_path / "link"))) == AA
    assert active_skill(scope._replace(root=f"{scope.root}/../work/")) == AA


def test_without_a_session_nothing_is_recorded(scope: Scope) -> None:
    nobody = scope._replace(session=None)
    activate(nobody, AA)

    assert active_skill(nobody) is None
    clear_active_skill(nobody)
    assert records_of() == []


def test_only_the_user_can_read_the_record(scope: Scope) -> None:
    record = record_of(scope)

    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.parent.stat().st_mode) == 0o700
    assert "work" not in str(record.relative_to(os.environ["SKILLBAG_STATE_DIR"]))


def test_whatever_text_is_recorded_comes_back(scope: Scope) -> None:
    for text in ("", 'Read "\\\n\x00\x1b', "ü 漢字 🎉", "\ud800", "x" * 300_000):
        activate(scope, ActiveSkill("aa", text))
        assert active_skill(scope) == ActiveSkill("aa", text)
