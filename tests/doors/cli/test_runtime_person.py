"""An agent that may run every `skillbag` command without a terminal, and edit the workspace, neither ends a guard of
the user's nor approves a skill."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from skillbag.doors.cli import person
from tests.doors.cli.runtime_worlds import values
from tests.runtime.worlds_active import active, manifest
from tests.supply.install.worlds import ENTRYPOINT, write
from tests.support import Completed, Run

pytestmark = pytest.mark.boundary

GUARD = """\
register_hook("OnBeforeToolCall", lambda event: {"cancel": "private" in event["data"]["input"]})
register_hook("OnDeactivate", lambda event: None)
"""
OPEN = "# Lets all pass.\n"
SESSION = ("--session", "s1")
COMMANDS = ("--approve", "--grant", "--confirm", "--revoke", "skillbag runtime", "APPROVE_SKILLS")
"""What no text has from which a model could learn to approve itself."""


@pytest.fixture
def root(tmp_path: Path, run: Run) -> Path:
    """A workspace in whose session `s1` the user's own guard is active; `evil` is the project's, and wants to run
    programs."""
    root = tmp_path / "w"
    write(root, {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": ""})
    active(root, "evil", 'register_tool("evil", "Runs.", lambda input: exec("true"))\n', permissions="[shell:exec]")
    own(GUARD)
    values(run, root, "activate", "guard", *SESSION)
    return root


def own(code: str) -> Path:
    """Write the user's guard, which needs no permission."""
    folder = Path(os.environ["SKILLBAG_PERSONAL_DIR"]) / "guard"
    write(folder, {"SKILL.yaml": manifest("guard", triggers="{modes: [interactive]}"), "main.star": code})
    return folder


def event(run: Run, root: Path, name: str, **more: Any) -> dict[str, Any]:
    """The answer to an event of Claude Code in the session."""
    given = {"hook_event_name": name, "session_id": "s1", "cwd": str(root), **more}
    found: dict[str, Any] = json.loads(
        run("runtime", "hook", "--host", "claude", stdin=json.dumps(given).encode()).out or "{}"
    )
    return found


def passes(run: Run, root: Path, session: str = "s1") -> bool:
    """Whether a call passes that the guard refuses."""
    call = {"tool_name": "Bash", "tool_input": {"command": "cat private/key"}, "session_id": session}
    return "hookSpecificOutput" not in event(run, root, "PreToolUse", **call)


def refused(done: Completed) -> bool:
    return done.code == 3 and not any(each in done.out + done.err for each in COMMANDS)


@pytest.mark.parametrize(
    "words",
    [
        *("deactivate guard --session s1", "permissions guard --deny", "permissions guard --revoke"),
        *("deactivate guard --session s1 --personal elsewhere", "deactivate guard --session s1 --session-type other"),
        *("permissions evil --grant always", "permissions evil --grant once", "permissions guard --deny --json"),
    ],
)
def test_without_a_terminal_it_is_refused_and_a_person_can(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    done = run("runtime", *words.split(), cwd=root, stdin=b"always\n" * 9)
    assert done.code == 3
    assert "a person" in done.out + done.err
    assert not any(each in done.out + done.err for each in COMMANDS)
    assert not passes(run, root)
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert run("runtime", *words.split(), cwd=root).code in (0, 2)


@pytest.mark.parametrize("command", ["activate", "call", "run", "hooks", "scan", "transform", "wiki", "test", "replay"])
def test_no_command_line_approves(root: Path, run: Run, command: str) -> None:
    given = {"hooks": (), "scan": (), "transform": (), "wiki": ("--out", "pages"), "replay": ("trace.jsonl",)}
    write(root, {"trace.jsonl": ""})
    words = (command, *given.get(command, ("evil",)), "--approve-skills", "evil")
    done = run("runtime", *words, cwd=root)
    assert (done.code, "that is for a person to decide" in done.err) == (3, True), done
    assert values(run, root, "permissions", "evil")["approvals"] == []


def test_neither_an_option_nor_piped_answers_confirm_a_call(root: Path, run: Run) -> None:
    tool = 'register_tool("ask", "Asks.", lambda input: "done", requires_approval=True)\n'
    active(root, "asker", tool, tools="[{name: ask, description: Asks., requires_approval: true}]")
    for words in ((), ("--confirm",), ("--confirm", "--json")):
        done = run("runtime", "call", "ask", "{}", "--skill", "asker", *words, cwd=root, stdin=b"y\n")
        assert (done.code, "done" in done.out) == (3, False)
        assert "a person" in done.out + done.err


def test_the_question_names_no_command(root: Path, run: Run) -> None:
    assert refused(run("runtime", "call", "evil", "{}", "--skill", "evil", cwd=root, stdin=b"always\n"))
    edited = run("runtime", "audit", cwd=root)
    assert not any(each in edited.out for each in COMMANDS)


def test_jobs_set_a_variable(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_APPROVE_SKILLS", "other, evil")
    assert values(run, root, "activate", "evil")["activated"] == ["evil"]


def test_what_is_no_guard_needs_nobody(root: Path, run: Run) -> None:
    active(root, "plain")
    values(run, root, "activate", "plain", *SESSION)
    assert values(run, root, "deactivate", "plain", *SESSION)["deactivated"] == ["plain"]
    values(run, root, "permissions", "evil", "--deny")
    # A denial is a person's: an agent does not have it asked again.
    assert refused(run("runtime", "permissions", "evil", "--revoke", cwd=root))


@pytest.mark.parametrize("code", [f"{GUARD}# edited\n", OPEN])
def test_an_edited_guard_without_permissions_is_asked_about(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    own(code)
    assert not passes(run, root)
    done = run("runtime", "activate", "guard", *SESSION, cwd=root, stdin=b"always\n")
    assert refused(done)
    assert "A guard of this name has had other files until now." in done.out
    assert "A guard of this name" in event(run, root, "UserPromptSubmit", prompt="go")["systemMessage"]
    assert not passes(run, root)
    own(GUARD)
    values(run, root, "activate", "guard", *SESSION)
    own(code)
    monkeypatch.setattr(person, "is_present", lambda: True)
    decision = "--revoke" if code == OPEN else "--grant=always"
    values(run, root, "permissions", "guard", decision)
    assert run("runtime", "activate", "guard", *SESSION, cwd=root).code == 0


@pytest.mark.parametrize("code", [f"{GUARD}# edited\n", OPEN, "no code ("])
def test_no_call_passes_an_edited_guard_in_a_new_session(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    own(code)
    for session in ("s2", "s3"):
        event(run, root, "UserPromptSubmit", session_id=session, prompt="go")
        assert not passes(run, root, session)
        assert not passes(run, root, session)
    own(GUARD)
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go on")
    assert not passes(run, root, "s2")
    own(code)
    event(run, root, "UserPromptSubmit", session_id="s4", prompt="go")
    assert run("runtime", "deactivate", "guard", "--session", "s4", cwd=root).code == 3
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert run("runtime", "deactivate", "guard", "--session", "s4", cwd=root).code == 0
    assert passes(run, root, "s4")


def test_an_edit_that_is_allowed_once_is_asked_about_again(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(f"{GUARD}# edited\n")
    with monkeypatch.context() as patched:
        patched.setattr("skillbag.doors.cli.runtime_session.on_terminal", lambda as_json: not as_json)
        for session in ("s2", "s3"):
            done = run("runtime", "activate", "guard", "--session", session, cwd=root, stdin=b"once\n")
            assert (done.code, "A guard of this name" in done.out) == (0, True)
            assert not passes(run, root, session)
    assert refused(run("runtime", "activate", "guard", "--session", "s4", cwd=root))


def test_an_edit_that_is_denied_does_not_guard_and_lets_no_call_pass(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(OPEN)
    monkeypatch.setattr("skillbag.doors.cli.runtime_session.on_terminal", lambda as_json: not as_json)
    for session in ("s2", "s3"):
        done = run("runtime", "activate", "guard", "--session", session, cwd=root, stdin=b"deny\n")
        assert (done.code, "A guard of this name" in done.out) == (1, True)
        event(run, root, "UserPromptSubmit", session_id=session, prompt="go")
        assert not passes(run, root, session)


def test_a_damaged_record_of_another_session_keeps_nobody_from_deciding(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(Path(os.environ["SKILLBAG_STATE_DIR"]), {"runtime/aa/bb.json": '{"x'})
    assert refused(run("runtime", "permissions", "evil", "--deny", cwd=root))
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert run("runtime", "permissions", "evil", "--deny", cwd=root).code == 0
    done = run("runtime", "activate", "evil", *SESSION, cwd=root)
    assert (done.code, "it was denied" in done.err) == (1, True), done


def test_another_skill_of_its_name_does_not_take_its_place(root: Path, run: Run) -> None:
    active(root, "guard", OPEN)
    for words in (("--skills", "./.skills/guard"), ("--session-type", "other"), ("--personal", "nowhere")):
        done = run("runtime", "activate", "guard", *SESSION, *words, cwd=root)
        assert refused(done), words
        assert run("runtime", "deactivate", "guard", *SESSION, *words, cwd=root).code == 3
        assert not passes(run, root)


def test_the_end_of_a_session_that_anybody_can_send_ends_no_guard(root: Path, run: Run) -> None:
    active(root, "plain")
    values(run, root, "activate", "plain", *SESSION)
    for _ in range(2):
        event(run, root, "SessionEnd")
        assert not passes(run, root)
    assert values(run, root, "status", *SESSION)["active"] == ["guard"]


def test_another_workspace_around_the_agent_hides_no_guard(root: Path, run: Run) -> None:
    write(root / "inner", {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": ""})
    assert not passes(run, root / "inner")
    (root / "SKILLBAG.md").unlink()
    shutil.rmtree(root / ".skills")
    assert not passes(run, root)
    values(run, root / "inner", "activate", "guard", *SESSION)
    assert "hookSpecificOutput" not in event(run, root / "inner", "PreToolUse", tool_name="Bash", tool_input={})


def test_personal_active_skills_are_changed_by_a_person(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "---\nname: guard\ndescription: Guards.\n---\n\nRead it.\n"
    write(Path(os.environ["SKILLBAG_PERSONAL_DIR"]) / "guard", {"SKILL.md": text})
    write(root / "new", {"SKILL.md": text})
    write(root / "active", {"SKILL.md": text.replace("guard", "fresh"), "SKILL.yaml": manifest("fresh")})
    commands = (
        ("agent", "personal", "remove", "guard"),
        ("agent", "personal", "add", "new", "--yes"),
        ("agent", "personal", "add", "active", "--yes"),
        ("agent", "personal", "root", "elsewhere"),
        ("tool", "skill_add", '{"path": "new"}'),
        ("tool", "skill_remove", '{"name": "guard"}'),
    )
    for words in commands:
        done = run(*words, cwd=root, stdin=b"y\n")
        assert (done.code, "a person" in done.out + done.err) == (3, True), (words, done)
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert [run(*words, cwd=root).code for words in commands[:4]] == [0, 0, 0, 0]


def test_a_host_of_lines_does_not_approve_what_it_has_not_read(root: Path, run: Run) -> None:
    requests = [
        {"id": 1, "do": "start", "protocol": 1, "folder": str(root), "approve": ["evil"]},
        {"id": 2, "do": "activate", "skill": "guard"},
        {"id": 3, "do": "deactivate", "skill": "guard"},
        *({"do": "answer", "question": name, "answer": "allow"} for name in ("q1", "q2")),
        {"id": 4, "do": "activate", "skill": "evil"},
        *({"do": "answer", "question": name, "answer": "always"} for name in ("q1", "q2", "q3")),
    ]
    lines = "".join(f"{json.dumps(each)}\n" for each in requests)
    answers = [json.loads(line) for line in run("runtime", "host", stdin=lines.encode()).out.splitlines()]
    by_id = {each["id"]: each for each in answers if "question" not in each}
    assert by_id[3]["error"]["code"] == -32001
    assert by_id[4]["result"]["activated"] == []
    assert values(run, root, "permissions", "evil")["approvals"] == []


def test_a_folder_with_an_approved_guard_is_removed_by_a_person(
    root: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("team", "other"):
        fields = {"permissions": "[hook:observe]"} if name == "team" else {}
        write(
            tmp_path / name / f"{name}-skill", {"SKILL.yaml": manifest(f"{name}-skill", **fields), "main.star": GUARD}
        )
    with monkeypatch.context() as patch:
        patch.setattr(person, "is_present", lambda: True)
        for name in ("team", "other"):
            assert run("runtime", "dirs", "add", tmp_path / name).code == 0
        values(run, root, "permissions", "team-skill", "--grant", "always")
    assert run("runtime", "dirs", "remove", tmp_path / "other").code == 0
    assert refused(run("runtime", "dirs", "remove", tmp_path / "team"))
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert run("runtime", "dirs", "remove", tmp_path / "team").code == 0
