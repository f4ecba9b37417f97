"""All hooks of a phase have one limit of time, also while host functions wait for others."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from skillbag.runtime.hooks import hooks
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write

WAITS = """\
def waits(event):
    if "long" in str(event["data"]):
        exec("sleep", "60")

register_hook("OnBeforeToolCall", waits)
register_hook("OnAfterResponse", waits)
"""
INVOKES = """\
def invokes(event):
    invoke_skill("other", {})

register_hook("OnAfterResponse", invokes)
"""
OTHER = 'register_workflow("other", lambda input: exec("sleep", "60"))\n'
LATER = """\
register_hook("OnAfterResponse", lambda event: {"modified": {"response": "changed"}})
register_hook("OnBeforeToolCall", lambda event: None)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a skill whose hooks wait, and two others behind it; a phase has half a second."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "a-waits", WAITS, permissions='["shell:exec"]')
    active(folder, "b-later", LATER)
    active(folder, "c-later", LATER)
    monkeypatch.setattr(hooks, "PHASE_SECONDS", 0.5)
    return folder


def test_a_waiting_hook_is_ended_and_those_that_were_not_reached_are_named(root: Path) -> None:
    with opened(root) as runtime:
        for name in ("a-waits", "b-later", "c-later"):
            runtime.activate(name)
        began = time.monotonic()
        reply = runtime.respond("long")
        assert time.monotonic() - began < 50
        assert (reply.text, len(reply.notes)) == ("long", 2)
        assert reply.notes[0].endswith("the time of this step is over")
        assert 'skill "b-later": its hook and those of "c-later" are not run' in reply.notes[1]


def test_a_guard_that_was_not_reached_cancels_and_the_skill_can_be_asked_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(root) as runtime:
        runtime.activate("a-waits")
        decision = runtime.before_tool("Bash", "long")
        assert decision.cancelled_by == "a-waits"
        assert "the time of this step is over" in decision.reason
        monkeypatch.setattr(hooks, "PHASE_SECONDS", 30.0)
        assert runtime.before_tool("Bash", "short").cancelled_by is None


def test_another_skill_that_a_hook_invokes_has_no_more_time(root: Path) -> None:
    active(root, "invokes", INVOKES, permissions='["skill:invoke"]')
    active(root, "other", OTHER, types="[workflow]", permissions='["shell:exec"]')
    with opened(root) as runtime:
        runtime.activate("other")
        runtime.activate("invokes")
        began = time.monotonic()
        (note,) = runtime.respond("x").notes
        assert time.monotonic() - began < 50
        assert note.startswith('OnAfterResponse: skill "invokes": its hook failed')
