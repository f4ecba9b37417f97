"""The record of a session that can't be read: no guard of it is lost in silence, and nothing of it is overwritten."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from skillbag.agents.hosts.answering import answer
from skillbag.agents.mcp_server.active import ServerRuntime
from skillbag.agents.plugins.calls import HookData
from skillbag.agents.plugins.plugin import handle_hook
from skillbag.agents.settings.scope import scope_at
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.broker.session_records import SessionPlace, read_session
from skillbag.runtime.sessions.resumption import resumed
from skillbag.runtime.sessions.standings import course, session_record
from tests.agents.tools.claude_code import EVENT_FILES, SESSION
from tests.runtime.databases import change
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write
from tests.support import Run

GUARD = """\
def guard(event):
    return {"cancel": True, "reason": "no"} if "bad" in event["data"]["input"] else None

register_hook("OnBeforeToolCall", guard)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a guard, which is active in the recorded session."""
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "state"))
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "guard", GUARD)
    with resumed(runtime := opened(folder, session=SESSION)):
        runtime.activate("guard")
    return folder


def record(root: Path) -> Path:
    return Path(SessionPlace(str(root.parent / "state"), str(root.resolve()), SESSION).path)


def reported(root: Path, command: str, event: str = "PreToolUse") -> dict[str, str]:
    """The answer's part about the call that Claude Code is about to make, and its message."""
    given = json.loads((EVENT_FILES / "pre_tool_use_bash.json").read_text("utf-8"))
    given |= {"hook_event_name": event, "cwd": str(root), "tool_input": {"command": command}, "source": "startup"}
    answered = answer("claude", json.dumps(given).encode())
    return {**answered.get("hookSpecificOutput", {}), "message": answered.get("systemMessage", "")}


def test_a_byte_of_the_record_that_is_another_one_costs_no_guard(root: Path) -> None:
    path = record(root)
    data = path.read_bytes()
    place = SessionPlace(str(root.parent / "state"), str(root.resolve()), SESSION)
    before, passed = read_session(place), []
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1 << at % 7]) + data[at + 1 :])
        with suppress(OSError):
            if read_session(place).active != before.active:
                passed.append(at)
    assert passed == []


def empty(path: Path) -> None:
    path.write_bytes(b"")


def nulls(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def too_large(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" " * (1 << 20))


def newer(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "version": 2}))


def without_guards(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"OnBeforeToolCall", b"OnAfterResponse"))


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def link(path: Path) -> None:
    path.rename(path.with_suffix(".kept"))
    path.symlink_to(path.with_suffix(".kept"))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def open_to_all(path: Path) -> None:
    path.chmod(0o666)


DAMAGES = (
    *(empty, nulls, cut_off, too_large, newer, without_guards, folder, dangling, link, pipe),
    open_to_all,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_no_call_passes_in_claude_code(root: Path, damage: Callable[[Path], None]) -> None:
    assert "permissionDecision" not in reported(root, "ls")
    damage(record(root))
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse"):
        answered = reported(root, "ls", event)
    assert answered["permissionDecision"] == "deny"
    assert "the session can't be read" in answered["permissionDecisionReason"]
    assert "begin another session" in answered["message"]
    assert "Traceback" not in answered["message"]


def test_a_foreign_file_beside_the_records_refuses_nothing(root: Path) -> None:
    (record(root).parents[1] / ".DS_Store").touch()
    assert "permissionDecision" not in reported(root, "ls")
    empty(record(root))
    assert reported(root, "ls")["permissionDecision"] == "deny"


def test_no_call_passes_at_the_other_doors(root: Path, run: Run) -> None:
    active(root, "echo", tools="[{name: echo}]")
    empty(record(root))
    done = run("runtime", "call", "echo", '{"text": "x"}', "--session", SESSION, cwd=root)
    assert (done.code, done.out) == (4, "")
    assert "begin another session" in done.err
    scope = scope_at(str(root), session=SESSION)
    with pytest.raises(OSError, match="begin another session"):
        handle_hook(scope, "pre_tool", HookData("Bash", arguments={"command": "ls"}))
    remarks: list[str] = []
    skills = ServerRuntime(scope, remarks.append)
    assert skills.tools() is None
    assert "the session can't be read" in skills.refusal
    assert "begin another session" in remarks[0]
    assert record(root).read_bytes() == b""


def test_the_end_of_the_session_which_an_agent_can_send_does_not_forget_it(root: Path) -> None:
    empty(record(root))
    reported(root, "", "SessionEnd")
    assert record(root).read_bytes() == b""


@pytest.fixture
def approved(root: Path) -> Path:
    """The database of the workspace's state, in which the guard's permission is approved for always."""
    active(root, "guard", GUARD, permissions="[file:read]")
    with resumed(runtime := opened(root, session=SESSION, approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS)):
        runtime.activate("guard")
    return root.parent / "state/runtime.db"


@pytest.mark.parametrize("column", ["skill", "origin", "permission", "tree_hash"])
def test_an_approval_that_is_damaged_is_none_that_the_user_revoked(approved: Path, root: Path, column: str) -> None:
    change(approved, f"UPDATE permission_approvals SET {column} = {column} || 'x'")  # noqa: S608 - our names
    assert reported(root, "ls")["permissionDecisionReason"].endswith("can't be asked: guard")


def test_a_revocation_before_the_last_approval_is_none_of_it(approved: Path, root: Path) -> None:
    opened(root).approvals.revoke("guard")
    with resumed(runtime := opened(root, session=SESSION, approved=frozenset(), ask=lambda _: ApprovalScope.ALWAYS)):
        runtime.activate("guard")
    assert "permissionDecision" not in reported(root, "ls")
    change(approved, "DELETE FROM permission_approvals")
    assert reported(root, "ls")["permissionDecision"] == "deny"


@pytest.mark.nightly
def test_no_byte_of_the_database_is_a_decision_of_the_user(approved: Path, root: Path) -> None:
    change(approved, "PRAGMA wal_checkpoint(TRUNCATE)")
    data, passed = approved.read_bytes(), []
    for at in (at for at, byte in enumerate(data) if byte):
        for left in approved.parent.glob("runtime.db?*"):
            left.unlink()
        with approved.open("r+b") as file:
            file.write(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :])
        with opened(root, session=SESSION, approved=frozenset()) as runtime, suppress(StoreError):
            if any(lapse.chosen for lapse in course(runtime, session_record(runtime)).ended.values()):
                passed.append(at)
    assert passed == []
