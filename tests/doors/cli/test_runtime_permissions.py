"""`skillbag runtime permissions|audit`: decisions, and what was done with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.doors.cli.runtime_permissions import DECISIONS
from skillbag.runtime.broker.audit import Decision
from tests.doors.cli.runtime_worlds import make_world, values
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_person")]

PODS = '{"kind": "web"}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "w")


def test_a_grant_is_shown_and_revoked(run: Run, root: Path) -> None:
    nothing = "No permission approvals for skill 'pods'\n"
    assert run("runtime", "permissions", "pods", cwd=root).out == nothing
    granted = run("runtime", "permissions", "pods", "--grant", "always", cwd=root).out
    assert granted == "Permissions granted for skill 'pods' (always): env:read, file:read\n"
    head, *rows = run("runtime", "permissions", "pods", cwd=root).out.splitlines()
    assert head.split() == ["PERMISSION", "SCOPE", "APPROVED_AT"]
    assert [row.split()[:2] for row in rows] == [["env:read", "always"], ["file:read", "always"]]
    values(run, root, "call", "pods_get", PODS)
    revoked = run("runtime", "permissions", "pods", "--revoke", cwd=root).out
    assert revoked == "All permissions revoked for skill 'pods'\n"
    assert run("runtime", "permissions", "pods", cwd=root).out == nothing
    values(run, root, "call", "pods_get", PODS, code=3)


def test_once_is_for_one_activation(run: Run, root: Path) -> None:
    values(run, root, "permissions", "pods", "--grant", "once")
    values(run, root, "call", "pods_get", PODS)
    values(run, root, "call", "pods_get", PODS, code=3)


def test_a_grant_for_a_session_is_for_it_alone(run: Run, root: Path) -> None:
    assert "--session ID" in values(run, root, "permissions", "pods", "--grant", "session", code=2)["error"]
    values(run, root, "permissions", "pods", "--grant", "session", "--session", "s1")
    values(run, root, "call", "pods_get", PODS, "--session", "s1")
    values(run, root, "call", "pods_get", PODS, "--session", "s2", code=3)
    found = values(run, root, "permissions", "pods")
    assert {each["session"] for each in found["approvals"]} == {"s1"}
    assert "session (s1)" in run("runtime", "permissions", "pods", cwd=root).out


def test_a_denial_is_not_asked_about(run: Run, root: Path) -> None:
    found = values(run, root, "permissions", "pods", "--deny")
    assert {each["scope"] for each in found["approvals"]} == {"deny"}
    refused = values(run, root, "activate", "pods", code=1)
    assert "it was denied" in refused["error"]
    assert "a person revokes that" in refused["error"]


def test_a_grant_for_other_files_is_marked(run: Run, root: Path) -> None:
    values(run, root, "permissions", "pods", "--grant", "always")
    (root / ".skills/pods/main.star").write_text("x = 1\n")
    found = values(run, root, "permissions", "pods")
    assert [each["current"] for each in found["approvals"]] == [False, False]
    text = run("runtime", "permissions", "pods", cwd=root).out
    assert "always *" in text
    assert "count no more" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["podz", "--grant", "always"], 'did you mean "pods"?'),
        (["words", "--grant", "always"], "declares no permissions"),
    ],
)
def test_wrong_usage(run: Run, root: Path, arguments: list[str], words: str) -> None:
    assert words in values(run, root, "permissions", *arguments, code=2)["error"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--grant", "always", "--deny"], "give one of"), (["--grant", "forever"], "'forever' is not one of")],
)
def test_contradicting_options(run: Run, root: Path, arguments: list[str], words: str) -> None:
    done = run("runtime", "permissions", "pods", *arguments, cwd=root)
    assert (done.code, words in done.err) == (2, True)
    assert values(run, root, "permissions", "pods")["approvals"] == []


def test_settings_of_the_user_approve_by_name(run: Run, root: Path) -> None:
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": '{"runtime": {"approved_skills": ["pods"]}}'})
    values(run, root, "call", "pods_get", PODS)


def test_the_audit_log_has_each_decision(run: Run, root: Path) -> None:
    assert run("runtime", "audit", cwd=root).out == "The audit log has no entries.\n"
    values(run, root, "permissions", "pods", "--grant", "always")
    values(run, root, "call", "pods_get", PODS, "--session", "s1")
    found = values(run, root, "audit")["entries"]
    assert [each["decision"] for each in found] == ["granted", "granted", "admitted", "allowed"]
    assert (found[-1]["permission"], found[-1]["detail"], found[-1]["session"]) == ("env:read", "NOBODY", "s1")
    assert [each["number"] for each in values(run, root, "audit", "--limit", "1")["entries"]] == [found[-1]["number"]]
    assert values(run, root, "audit", "--skill", "words")["entries"] == []
    lines = run("runtime", "audit", "--skill", "pods", cwd=root).out.splitlines()
    assert lines[0].split() == ["AT", "SKILL", "PERMISSION", "DECISION", "DETAIL"]
    assert lines[-1].split()[1:] == ["pods", "env:read", "allowed", "NOBODY"]


def test_a_database_that_can_not_be_used_is_a_failure_of_the_environment(run: Run, root: Path) -> None:
    state = Path(os.environ["SKILLBAG_STATE_DIR"])
    state.parent.mkdir(exist_ok=True)
    state.write_text("")
    for arguments in (["permissions", "pods", "--grant", "always"], ["audit"], ["call", "pods_get", PODS]):
        assert "SKILLBAG_STATE_DIR" in values(run, root, *arguments, code=4)["error"]


def test_a_damaged_database_is_set_aside_and_told(run: Run, root: Path) -> None:
    values(run, root, "permissions", "pods", "--grant", "always")
    path = Path(os.environ["SKILLBAG_STATE_DIR"]) / "runtime.db"
    path.write_bytes(b"This is no database." * 400)
    done = run("runtime", "permissions", "pods", cwd=root)
    assert done.out == "No permission approvals for skill 'pods'\n"
    assert "note: The runtime's database was damaged" in done.err


def test_entries_of_a_time_and_a_decision(run: Run, root: Path) -> None:
    run("runtime", "call", "pods_get", PODS, "--approve-skills", "pods", cwd=root)
    run("runtime", "permissions", "pods", "--deny", cwd=root)
    found = values(run, root, "audit")["entries"]
    for words, kept in (
        (["--since", "1d"], found),
        (["--since", "1m"], found),
        (["--since", "2026-01-31"], found),
        (["--since", "2999-01-31T12:00:00Z"], []),
        (["--decision", "denied"], [each for each in found if each["decision"] == "denied"]),
        (["--since", "12h", "--decision", "denied", "--limit", "1"], found[-1:]),
    ):
        assert values(run, root, "audit", *words)["entries"] == kept, words
    assert run("runtime", "audit", "--decision", "limited", cwd=root).out == "The audit log has no such entries.\n"
    assert tuple(Decision) == DECISIONS
    wrong = run("runtime", "audit", "--since", "soon", cwd=root)
    assert (wrong.code, "such as 30m, 12h or 1d" in wrong.err) == (2, True)


def test_a_refusal_says_what_to_do(run: Run, root: Path) -> None:
    active(root, "sly", 'register_tool("sly", "Reads.", lambda input: read_file("a"))\n')
    run("runtime", "call", "sly", "{}", "--skill", "sly", cwd=root)
    (last,) = values(run, root, "audit", "--skill", "sly", "--decision", Decision.UNDECLARED)["entries"]
    assert last["permission"] == "file:read"
    assert "The manifest of sly does not declare what it tried" in run("runtime", "audit", cwd=root).out
