"""No call passes a guard that can't be asked any more, until the user activates it again or deactivates it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from skillbag.runtime.sessions.resumption import resume_guards, resumed
from tests.doors.cli.runtime_worlds import values
from tests.runtime.worlds_active import ECHO, active, approve, opened
from tests.supply.install.worlds import write
from tests.support import Run

GUARD = 'register_hook("OnBeforeToolCall", lambda event: None)\n'
LOST = "Active skills that guard calls can't be asked: guard"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a tool and a guard, both active in the session s1."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "echo")
    active(folder, "guard", GUARD)
    with resumed(runtime := opened(folder, session="s1")):
        runtime.activate("echo")
        runtime.activate("guard")
    return folder


def test_a_tool_of_a_skill_is_not_called(root: Path) -> None:
    write(root / ".skills/guard", {"main.star": f"{GUARD}# edited\n"})
    with resumed(runtime := opened(root, session="s1")):
        output = runtime.call_tool("echo", {"text": "x"}).output
        assert (output.content, output.is_error) == (LOST, True)
        assert runtime.before_tool("Bash", {}).unasked == ("guard",)
        runtime.activate("guard")
        assert runtime.call_tool("echo", {"text": "x"}).output.content == "x"


def test_the_user_is_told_who_lets_calls_pass_again(root: Path) -> None:
    write(root / ".skills/guard", {"main.star": f"{GUARD}# edited\n"})
    with resumed(runtime := opened(root, session="s1")):
        (note,) = runtime.before_tool("Bash", {}).notes
        assert "A person activates or deactivates it in the session s1, on a terminal in this workspace" in note
        assert "skillbag runtime" not in note
        output = runtime.call_tool("echo", {"text": "x"}).output
        assert "skillbag" not in output.content
        assert note in runtime.remarks


def test_without_a_session_no_command_reaches_the_guard(root: Path) -> None:
    with opened(root) as runtime:
        runtime.activate("guard")
        runtime.skills.fail("guard", "its process died too often")
        assert runtime.before_tool("Bash", {}).notes == ()


def test_the_user_can_do_without_it(root: Path) -> None:
    shutil.rmtree(root / ".skills/guard")
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.call_tool("echo", {"text": "x"}).output.is_error
        assert runtime.deactivate("guard") == ("guard",)
        assert not runtime.call_tool("echo", {"text": "x"}).output.is_error
    with resumed(runtime := opened(root, session="s1")):
        assert not runtime.call_tool("echo", {"text": "x"}).output.is_error


def test_a_skill_without_such_a_hook_keeps_nothing_from_being_called(root: Path) -> None:
    write(root / ".skills/echo", {"main.star": f"{ECHO}# edited\n"})
    with resumed(runtime := opened(root, session="s1")):
        assert runtime.skills.lost == {"echo": False}
        assert runtime.before_tool("Bash", {}).cancelled_by is None


def test_a_guard_that_fails_while_it_is_active_is_lost_as_well(root: Path) -> None:
    with opened(root) as runtime:
        runtime.activate("guard")
        runtime.skills.fail("guard", "its process died too often")
        assert runtime.before_tool("Bash", {}).refusal == LOST


def test_a_door_that_keeps_the_session_as_it_is_loads_its_guards(root: Path) -> None:
    with opened(root, session="s1") as runtime:
        resume_guards(runtime)
        assert [each.found.name for each in runtime.skills] == ["guard"]
        assert runtime.before_tool("Bash", {}).cancelled_by is None
    write(root / ".skills/guard", {"main.star": ""})
    with opened(root, session="s1") as runtime:
        resume_guards(runtime)
        assert runtime.before_tool("Bash", {}).refusal == LOST
    with opened(root) as runtime:
        resume_guards(runtime)
        assert runtime.before_tool("Bash", {}).cancelled_by is None


@pytest.mark.usefixtures("a_person")
def test_the_command_line_refuses_a_call(root: Path, run: Run) -> None:
    session = ("--session", "s2")
    approve("guard")
    for name in ("echo", "guard"):
        values(run, root, "activate", name, *session)
    write(root / ".skills/guard", {"main.star": "edited"})
    call = ("runtime", "call", "echo", '{"text": "x"}', *session)
    done = run(*call, cwd=root)
    assert (done.code, done.out) == (1, f"Error: {LOST}\n")
    assert 'skill "guard" is not active any more' in done.err
    assert "A person activates or deactivates it in the session s2" in done.err
    assert run("runtime", "deactivate", "guard", *session, cwd=root).code == 0
    assert run(*call, cwd=root).out == "x\n"
