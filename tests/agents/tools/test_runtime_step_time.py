"""One event of a host has one limit of time, whatever the skills do; the skills that it does not reach are named."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from skillbag.agents.hosts.claude import CLAUDE
from skillbag.agents.hosts.event import ConversationStep, HostEvent, HostReply
from skillbag.agents.hosts.steps import perform
from skillbag.agents.plugins.active_hooks import _PLUGIN
from skillbag.agents.plugins.host import TIME_LIMIT
from skillbag.agents.settings.scope import scope_at
from skillbag.runtime.broker.session_records import ActiveRecord, SessionPlace, read_session
from skillbag.supply.bootstrap.session_hook import _SECONDS as WRITTEN
from tests.runtime.children import CHILD
from tests.runtime.worlds_active import active, manifest
from tests.supply.install.worlds import write

GUARD = """\
register_hook("OnBeforeToolCall", lambda event: None)
register_hook("OnAfterResponse", lambda event: {"modified": {"response": "changed"}})
"""
PROCESS = """
starts(tools=[], hooks=["OnBeforeToolCall", "OnAfterResponse"])
while True:
    request = read()
    answer(request, {})
    if request["method"] == "shutdown":
        break
"""


@pytest.fixture
def root(tmp_path: Path, test_folder: Path) -> Path:
    """A workspace with two guards."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    triggers = "{modes: [interactive]}"
    slow = manifest(
        "a-slow",
        implementation="{backend: process, entrypoint: bin/child}",
        triggers=triggers,
        permissions="[hook:observe]",
    )
    write(folder / ".skills/a-slow", {"SKILL.yaml": slow, "bin/child": CHILD % sys.executable + PROCESS})
    (folder / ".skills/a-slow/bin/child").chmod(0o755)
    active(folder, "b-guard", GUARD, triggers=triggers)
    settings = {"version": 1, "runtime": {"approved_skills": ["a-slow", "b-guard"]}}
    write(test_folder / "user" / "config", {"settings.json": json.dumps(settings)})
    return folder


def done(root: Path, step: ConversationStep, seconds: float = CLAUDE.host.seconds) -> HostReply:
    event = HostEvent(step, "s1", str(root), text="hello", tool="Bash", value={})
    return perform(CLAUDE.host._replace(seconds=seconds), event, scope_at(str(root), session="s1"))


def recorded(root: Path) -> tuple[ActiveRecord, ...]:
    return read_session(SessionPlace(os.environ["SKILLBAG_STATE_DIR"], str(root.resolve()), "s1")).active


def test_no_call_passes_guards_for_which_no_time_is_left(root: Path) -> None:
    done(root, ConversationStep.START)
    assert done(root, ConversationStep.BEFORE_TOOL).refusal is None
    before = recorded(root)
    refused = done(root, ConversationStep.BEFORE_TOOL, 0)
    assert refused.refusal == "Active skills that guard calls can't be asked: a-slow, b-guard"
    assert refused.remarks == ("not asked, since the time of this step is over: a-slow, b-guard",)
    answer = done(root, ConversationStep.ANSWER, 0)
    assert (answer.text, answer.remarks) == (None, refused.remarks)
    assert [each.skill for each in before] == ["a-slow", "b-guard"]
    assert recorded(root) == before, "they go on with the next step"
    assert done(root, ConversationStep.BEFORE_TOOL).refusal is None


def test_a_skill_that_is_slow_to_load_does_not_hold_up_the_host(root: Path) -> None:
    write(root / ".skills/a-slow/bin", {"child": CHILD % sys.executable + "time.sleep(1000)\n"})
    began = time.monotonic()
    reply = done(root, ConversationStep.START, 0.5)
    assert time.monotonic() - began < 50
    assert [remark.partition(":")[0] for remark in reply.remarks] == [
        'the skill "a-slow" is not active',
        'the skill "b-guard" is not active',
    ]


def test_a_message_activates_what_there_is_time_for(root: Path) -> None:
    reply = done(root, ConversationStep.MESSAGE, 0)
    assert [remark.partition(":")[0] for remark in reply.remarks] == [
        'the skill "a-slow" is not active',
        'the skill "b-guard" is not active',
    ]
    assert recorded(root) == ()
    done(root, ConversationStep.MESSAGE)
    assert [each.skill for each in recorded(root)] == ["a-slow", "b-guard"]


def test_hosts_wait_longer_than_an_event_takes() -> None:
    assert CLAUDE.host.seconds + 10 <= WRITTEN
    assert _PLUGIN.seconds + 5 <= TIME_LIMIT
