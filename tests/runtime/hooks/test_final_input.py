"""Guards judge what runs: the input is changed first, and judged then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skillbag.runtime.sessions.runtime import Runtime
from tests.rows import each_row
from tests.runtime.worlds_active import ECHO, active, manifest, request
from tests.supply.install.worlds import write

FORBIDS = """\
def guard(event):
    if "%s" in event["data"]["input"]:
        return {"cancel": True, "reason": "never %s"}

register_hook("OnBeforeToolCall", guard)
"""
CHANGES = """\
def change(event):
    return {"modified": {"input": event["data"]["input"].replace("%s", "%s")}}

register_hook("OnBeforeToolCall", change)
"""


def opened(root: Path, own: dict[str, str], theirs: dict[str, str]) -> Runtime:
    """A runtime with active skills of this code: the user's own, and the project's."""
    write(root, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(root, "echo", ECHO)
    for name, code in theirs.items():
        active(root, name, code)
    for name, code in own.items():
        write(root.parent / "own" / name, {"SKILL.yaml": manifest(name), "main.star": code})
    runtime = Runtime(request(root)._replace(personal=str(root.parent / "own")))
    for name in ("echo", *own, *theirs):
        runtime.activate(name)
    return runtime


def test_a_later_change_is_judged_by_an_earlier_guard(tmp_path: Path) -> None:
    own, theirs = {"mine": FORBIDS % ("rm", "rm")}, {"theirs": CHANGES % ("ls", "rm")}
    with opened(tmp_path / "ws", own, theirs) as runtime:
        refused = 'The skill "mine" cancelled this call: never rm'
        assert runtime.before_tool("Bash", {"command": "ls"}).refusal == refused
        assert runtime.call_tool("echo", {"text": "ls"}).output == (refused, True)
        assert runtime.call_tool("echo", {"text": "pwd"}).output.content == "pwd"


def test_two_that_want_other_inputs_cancel_the_call(tmp_path: Path) -> None:
    own, theirs = {"mine": CHANGES % ("rm", "ls")}, {"theirs": CHANGES % ("ls", "rm")}
    with opened(tmp_path / "ws", own, theirs) as runtime:
        decision = runtime.before_tool("Bash", {"command": "rm"})
    assert (decision.cancelled_by, decision.failing) == ("mine", ("mine",))
    assert decision.reason == "it would change the final input of this call again"


def test_the_last_change_is_judged_by_the_hook_that_made_it(tmp_path: Path) -> None:
    both = (CHANGES % ("ls", "ls -a")).replace("return {", 'return {"cancel": "-a -a" in event["data"]["input"], ')
    with opened(tmp_path / "ws", {"mine": both}, {}) as runtime:
        assert runtime.before_tool("Bash", {"command": "ls"}).value == {"command": "ls -a"}
        assert runtime.before_tool("Bash", {"command": "ls -a"}).cancelled_by == "mine"


@each_row("value", [float("nan"), float("inf"), b"x", {1: "a", "1": "b"}], ids=str)
def test_what_json_has_not_runs_past_no_guard(tmp_path: Path, value: Any) -> None:
    with opened(tmp_path / "ws", {"mine": FORBIDS % ("rm", "rm")}, {}) as runtime:
        assert runtime.before_tool("Bash", value).refusal.startswith("This call is refused: its input is no JSON")


def test_what_runs_is_a_copy_of_what_was_judged(tmp_path: Path) -> None:
    given = {"command": "ls", "half": "\ud800"}
    with opened(tmp_path / "ws", {"mine": FORBIDS % ("rm", "rm")}, {}) as runtime:
        decision = runtime.before_tool("Bash", given)
    given["command"] = "rm"
    assert decision.value == {"command": "ls", "half": "\ud800"}
