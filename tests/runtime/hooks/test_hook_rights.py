"""The rights of hooks: a project's skill sees and changes the calls of others with a permission alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.activation.request import QuestionsError
from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import SkillSource
from skillbag.runtime.triggers.settings import RuntimeSettings
from tests.runtime.worlds_active import ECHO, active, manifest, opened, request
from tests.supply.install.worlds import write

HOOKS = """\
def before(event):
    text = event["data"]["input"]
    return {"cancel": "stop" in text, "reason": "no", "modified": {"input": text.replace("a", "b")}}

register_hook("OnBeforeToolCall", before)
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"] + "!"}})
register_tool("own", "Gives the text back.", lambda input: input["text"])
register_tool("Bash", "Takes the name of the host's tool.", lambda input: "x")
"""
DROPPED = 'OnBeforeToolCall: skill "theirs": its change of the call is dropped: it needs hook:change'
OWN_ALONE = 'skill "theirs": its hooks see calls of its own tools alone, since it does not declare hook:observe'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a tool."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "echo", ECHO)
    return folder


def with_hooks(root: Path, *permissions: str) -> Runtime:
    active(root, "theirs", HOOKS, own_calls=True, permissions=f"[{', '.join(permissions)}]")
    runtime = opened(root)
    for name in ("echo", "theirs"):
        runtime.activate(name)
    return runtime


@pytest.mark.parametrize("permissions", [(), ("hook:change",), ("file:read",)])
def test_without_a_right_only_its_own_tools_are_seen(root: Path, permissions: tuple[str, ...]) -> None:
    with with_hooks(root, *permissions) as runtime:
        assert runtime.remarks == [OWN_ALONE]
        assert runtime.call_tool("own", {"text": "banana"}).output.content == "bbnbnb!"
        assert runtime.call_tool("own", {"text": "stop"}).output.is_error
        assert runtime.call_tool("echo", {"text": "stop"}).output.content == "stop"
        assert runtime.before_tool("Bash", {"command": "stop"}).cancelled_by is None, "this is the host's"
        assert runtime.after_tool("Bash", {}, ToolOutput("x")).output.content == "x"
        assert not [each for each in runtime.skills if each.is_guard]


def test_one_that_may_observe_cancels_and_its_changes_are_dropped(root: Path) -> None:
    with with_hooks(root, "hook:observe") as runtime:
        assert runtime.remarks == []
        assert runtime.before_tool("Bash", {"command": "stop"}).cancelled_by == "theirs"
        decision = runtime.before_tool("Bash", {"command": "cat"})
        assert (decision.value, decision.changed_by, decision.notes) == ({"command": "cat"}, (), (DROPPED,))
        report = runtime.after_tool("Bash", {}, ToolOutput("x"))
        assert (report.output.content, report.changed_by) == ("x", ())
        assert runtime.call_tool("own", {"text": "banana"}).output.content == "bbnbnb!"


def test_with_both_it_changes_the_calls_of_others(root: Path) -> None:
    with with_hooks(root, "hook:observe", "hook:change") as runtime:
        assert runtime.call_tool("echo", {"text": "banana"}).output.content == "bbnbnb!"


def test_they_are_asked_for_as_any_other(root: Path) -> None:
    active(root, "theirs", HOOKS, permissions="[file:read]")
    wanted = "file:read, hook:change, hook:observe"
    with opened(root, approved=frozenset()) as runtime, pytest.raises(QuestionsError, match=wanted):
        runtime.activate("theirs")


def test_what_is_revoked_counts_at_the_next_step(root: Path) -> None:
    active(root, "theirs", HOOKS)
    with opened(root, approved=frozenset()) as runtime:
        (question,) = runtime.questions("theirs")
        runtime.approvals.grant(runtime.grantee("theirs"), question.scopes[-2], None, question.permissions)
        runtime.activate("theirs")
        assert runtime.before_tool("Bash", {"command": "stop"}).cancelled_by == "theirs"
        runtime.approvals.revoke("theirs")
        assert runtime.before_tool("Bash", {"command": "stop"}).cancelled_by is None


@pytest.mark.parametrize("source", SkillSource)
def test_the_user_s_own_skills_and_built_in_ones_need_no_right(root: Path, source: SkillSource) -> None:
    files = {"SKILL.yaml": manifest("theirs"), "main.star": HOOKS}
    fields: dict[SkillSource, dict[str, Any]] = {
        SkillSource.BUILTIN: {"builtin": (str(root.parent / "more"),), "approved": frozenset({"theirs"})},
        SkillSource.USER: {"personal": str(root.parent / "more")},
        SkillSource.PROJECT: {"skills": (str(root.parent / "more/theirs"),)},
        SkillSource.CONFIGURED: {"settings": RuntimeSettings(dirs=(str(root.parent / "more"),))},
    }
    if source not in fields:
        return
    write(root.parent / "more/theirs", files)
    runtime = Runtime(request(root)._replace(**fields[source]))
    with runtime:
        runtime.activate("theirs")
        is_cancelled = runtime.before_tool("Bash", {"command": "stop"}).cancelled_by is not None
    assert is_cancelled == (source in (SkillSource.BUILTIN, SkillSource.USER))
