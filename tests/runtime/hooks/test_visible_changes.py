"""The user sees what skills of others change at the host's tools; and remarks are bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.runtime.backends.backend import ToolOutput
from skillbag.runtime.remarks import MAX, Remarks
from skillbag.runtime.sessions.runtime import Runtime
from tests.runtime.worlds_active import ECHO, active, manifest, request
from tests.supply.install.worlds import write

CHANGES = """\
def before(event):
    data = event["data"]
    return {"modified": {"input": data["input"].replace("status", "log")}}

register_hook("OnBeforeToolCall", before)
register_hook("OnBeforeToolCall", before)
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"] + "!"}})
"""
NOISY = """\
register_tool("t", "T.", lambda input: "x")
register_hook("OnAfterToolResult", lambda event: {"modified": {event["data"]["input"]: 1}})
"""
CANCELS = 'register_hook("OnBeforeToolCall", lambda event: {"cancel": True})\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a tool and a skill that changes calls; the user has such a skill, too."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "echo", ECHO)
    active(folder, "theirs", CHANGES)
    write(tmp_path / "own/mine", {"SKILL.yaml": manifest("mine"), "main.star": CHANGES.replace("log", "show")})
    return folder


def opened(root: Path, *names: str) -> Runtime:
    runtime = Runtime(request(root)._replace(personal=str(root.parent / "own")))
    for name in names:
        runtime.activate(name)
    return runtime


def test_what_a_project_s_skill_changes_is_said_once(root: Path) -> None:
    with opened(root, "theirs") as runtime:
        decision = runtime.before_tool("Bash", {"command": "git status status"})
        assert decision.value == {"command": "git log log"}
        assert decision.notes == ('skill "theirs" changed the input of Bash',)
        assert runtime.before_tool("Bash", {"command": "ls"}).notes == ()
        report = runtime.after_tool("Bash", {}, ToolOutput("clean"))
        assert (report.output.content, report.notes) == ("clean!", ('skill "theirs" changed the result of Bash',))


def test_what_the_user_s_own_skill_changes_needs_no_remark(root: Path) -> None:
    with opened(root, "mine") as runtime:
        decision = runtime.before_tool("Bash", {"command": "git status"})
        assert (decision.value, decision.notes) == ({"command": "git show"}, ())
        assert runtime.after_tool("Bash", {}, ToolOutput("clean")).notes == ()


def test_a_tool_of_a_skill_is_no_tool_of_the_host(root: Path) -> None:
    with opened(root, "theirs", "echo") as runtime:
        assert runtime.call_tool("echo", {"text": "status"}).output.content == "log!"
        assert runtime.remarks == []


def test_several_skills_are_one_sentence_of_a_bounded_length(root: Path) -> None:
    names = [f"theirs-{number}" for number in range(1, 8)]
    for name in names:
        active(root, name, CHANGES.replace("status", name).replace("log", f"{name[:-1]}{int(name[-1]) + 1}"))
    with opened(root, *names) as runtime:
        (note,) = runtime.before_tool("x" * 1000, {"command": "theirs-1"}).notes
    first = ", ".join(f'"{name}"' for name in names[:5])
    assert note.startswith(f"skills {first} and 2 more changed the input of xxx")
    assert len(note) < 300


def test_of_a_call_that_does_not_happen_nothing_is_said(root: Path) -> None:
    active(root, "theirs-too", CANCELS)
    with opened(root, "theirs", "theirs-too") as runtime:
        decision = runtime.before_tool("Bash", {"command": "git status"})
    assert (decision.cancelled_by, decision.notes) == ("theirs-too", ())


def test_of_many_remarks_the_newest_are_kept_and_the_others_counted() -> None:
    remarks = Remarks()
    remarks += [f"{number}" for number in range(MAX)]
    remarks.append("0")
    assert list(remarks) == [f"{number}" for number in range(MAX)]
    remarks.extend(f"more {number}" for number in range(30))
    assert list(remarks) == [
        "30 earlier remarks are left out",
        *(f"{number}" for number in range(30, MAX)),
        *(f"more {number}" for number in range(30)),
    ]
    remarks.append("x" * 5000)
    assert (len(remarks), len(remarks[-1]), remarks[0][:3]) == (MAX + 1, 2001, "31 ")
    remarks[:] = []
    remarks.append("after a turn")
    assert remarks == ["after a turn"]


def test_a_long_session_keeps_a_bounded_number_of_remarks(root: Path) -> None:
    active(root, "noisy", NOISY)
    with opened(root, "noisy") as runtime:
        for number in range(MAX + 20):
            runtime.call_tool("t", {"n": number})
        assert len(runtime.remarks) == MAX + 1
