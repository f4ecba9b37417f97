"""Where nobody can tell which guards of the user's should be active, no call passes them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.doors.cli import person
from tests.doors.cli.runtime_worlds import values
from tests.doors.cli.test_runtime_person import GUARD, OPEN, SESSION, event, own, passes, refused
from tests.doors.cli.test_runtime_person import root as root
from tests.runtime.worlds_active import active, manifest
from tests.supply.install.worlds import write
from tests.support import Run

WORKSPACE, SETTINGS, SKILL = "skillbag.toml", "settings.json", "SKILL.yaml"
BROKEN = [
    *((WORKSPACE, text) for text in ("[runtime", "[runtime]\nnone = 1\n", '[runtime]\ndenied_skills = "guard"\n')),
    *((SETTINGS, text) for text in ('{"version": 1,}', "[]", '{"version": 99}', '{"version": 1, "runtime": 7}')),
    *((SKILL, text) for text in ("x", "name: guard\nfiles: [*.md]\n", "")),
]


@pytest.fixture
def personal(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's settings say where the personal skills are, and no variable does."""
    folder = os.environ["SKILLBAG_PERSONAL_DIR"]
    monkeypatch.delenv("SKILLBAG_PERSONAL_DIR")
    monkeypatch.setenv("GUARDS", folder)
    settings = {"version": 1, "personal": {"root": folder}}
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {SETTINGS: json.dumps(settings)})


def file_of(root: Path, name: str) -> Path:
    own = Path(os.environ["GUARDS"], "guard")
    return {WORKSPACE: root, SETTINGS: Path(os.environ["SKILLBAG_CONFIG_DIR"]), SKILL: own}[name] / name


@pytest.mark.usefixtures("personal")
@pytest.mark.parametrize("begins", ["SessionStart", "UserPromptSubmit"])
@pytest.mark.parametrize(("name", "text"), BROKEN)
def test_no_call_passes_before_a_new_session_can_begin(root: Path, run: Run, name: str, text: str, begins: str) -> None:
    file = file_of(root, name)
    before = file.read_text() if file.exists() else ""
    file.write_text(text)
    said = event(run, root, begins, session_id="s2", source="startup", prompt="go")
    assert name == SKILL or file.name in said["systemMessage"]
    assert not passes(run, root, "s2")
    file.write_text(before)
    assert not passes(run, root, "s2")
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go on")
    assert not passes(run, root, "s2")
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s2"}
    assert event(run, root, "PreToolUse", **call) == {}


@pytest.mark.usefixtures("personal")
def test_a_guard_that_the_session_does_not_want_refuses_none_once_that_is_known(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = file_of(root, SETTINGS)
    before = file.read_text()
    file_of(root, SKILL).write_text(manifest("guard", triggers="{modes: [other]}"))
    with monkeypatch.context() as patched:
        patched.setattr(person, "is_present", lambda: True)
        values(run, root, "permissions", "guard", "--grant=always")
    file.write_text("{")
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")
    assert not passes(run, root, "s2")
    file.write_text(before)
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go on")
    assert passes(run, root, "s2")


def gone(guard: Path) -> None:
    shutil.rmtree(guard.parent)


def linked(guard: Path) -> None:
    guard.rename(guard.parents[1] / "elsewhere")
    guard.symlink_to(guard.parents[1] / "elsewhere")


def code_linked(guard: Path) -> None:
    (guard / "main.star").rename(guard.parents[1] / "main.star")
    (guard / "main.star").symlink_to(guard.parents[1] / "main.star")


def code_gone(guard: Path) -> None:
    (guard / "main.star").unlink()


def plain(guard: Path) -> None:
    (guard / SKILL).unlink()
    write(guard, {"SKILL.md": "---\nname: guard\ndescription: Does guard.\n---\n\nDo it.\n"})


def renamed(guard: Path) -> None:
    write(guard, {SKILL: manifest("other", triggers="{modes: [interactive]}"), "main.star": OPEN})


def moved(guard: Path) -> None:
    renamed(guard)
    guard.rename(guard.parent / "other")


def not_triggered(guard: Path) -> None:
    (guard / SKILL).write_text(manifest("guard"))


@pytest.mark.parametrize("change", [gone, linked, code_linked, code_gone, plain, renamed, moved, not_triggered])
def test_a_guard_that_is_gone_or_changed_is_missed_until_a_person_lets_it_go(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    change(Path(os.environ["SKILLBAG_PERSONAL_DIR"], "guard"))
    assert "guard" in event(run, root, "SessionStart", session_id="s2", source="startup")["systemMessage"]
    assert not passes(run, root, "s2")
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")
    assert not passes(run, root, "s2")
    assert not passes(run, root, "never-begun")
    assert run("runtime", "permissions", "guard", "--revoke", cwd=root).code == 3
    monkeypatch.setattr(person, "is_present", lambda: True)
    values(run, root, "permissions", "guard", "--revoke")
    assert passes(run, root, "s2")
    assert passes(run, root)


def test_a_decision_about_a_guard_that_could_not_begin_counts_at_once(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    own(f"{GUARD}# edited\n")
    said = event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")["systemMessage"]
    assert "files have changed" not in said
    assert not passes(run, root, "s2")
    monkeypatch.setattr(person, "is_present", lambda: True)
    values(run, root, "permissions", "guard", "--grant=always")
    assert not passes(run, root, "s2")
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s2"}
    assert event(run, root, "PreToolUse", **call) == {}


def test_a_granted_guard_that_is_not_wanted_is_settled_by_the_next_message(
    root: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    not_triggered(Path(os.environ["SKILLBAG_PERSONAL_DIR"], "guard"))
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")
    assert not passes(run, root, "s2")
    monkeypatch.setattr(person, "is_present", lambda: True)
    values(run, root, "permissions", "guard", "--grant=always")
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go on")
    assert passes(run, root, "s2")


@pytest.mark.parametrize("permissions", [None, "[file:read]"])
def test_after_damage_a_skill_that_is_no_guard_stops_nothing(root: Path, run: Run, permissions: str | None) -> None:
    (Path(os.environ["SKILLBAG_STATE_DIR"]) / "runtime.db").write_bytes(b"garbage" * 2000)
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")
    tool = manifest("new", triggers="{modes: [interactive]}", permissions=permissions)
    write(Path(os.environ["SKILLBAG_PERSONAL_DIR"], "new"), {SKILL: tool, "main.star": OPEN})
    event(run, root, "UserPromptSubmit", session_id="s3", prompt="go")
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s3"}
    assert event(run, root, "PreToolUse", **call) == {}
    assert not passes(run, root, "s3")


def test_a_guard_that_a_person_removes_is_not_missed(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plain_text = "---\nname: guard\ndescription: Does guard.\n---\n\nDo it.\n"
    write(Path(os.environ["SKILLBAG_PERSONAL_DIR"], "guard"), {"SKILL.md": plain_text})
    assert run("agent", "personal", "remove", "guard", cwd=root).code == 3
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert run("agent", "personal", "remove", "guard", cwd=root).code == 0
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")
    assert passes(run, root, "s2")
    assert passes(run, root)


def test_in_a_workspace_whose_configuration_is_broken_guards_are_asked_and_no_other_skill_begins(
    root: Path, run: Run
) -> None:
    active(root, "eager", OPEN, triggers="{modes: [interactive]}")
    write(root, {WORKSPACE: "["})
    said = event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")["systemMessage"]
    assert ("guard" in said, "eager" in said, WORKSPACE in said) == (True, False, True)
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s2"}
    assert event(run, root, "PreToolUse", **call) == {}
    assert not passes(run, root, "s2")


@pytest.mark.usefixtures("personal")
def test_a_command_between_does_not_settle_it(root: Path, run: Run) -> None:
    file = file_of(root, SETTINGS)
    before = file.read_text()
    file.write_text("[")
    event(run, root, "SessionStart", session_id="s2", source="startup")
    file.write_text(before)
    for words in ("status", "hooks", "activate evil", "deactivate guard", "scan", "activate guard --personal no"):
        run("runtime", *words.split(), "--session", "s2", cwd=root)
        assert not passes(run, root, "s2"), words


def test_a_session_whose_record_is_gone_begins_with_a_message(root: Path, run: Run) -> None:
    (record,) = (Path(os.environ["SKILLBAG_STATE_DIR"]) / "runtime").glob("*/*.json")
    record.unlink()
    assert not passes(run, root)
    assert not passes(run, root, "never-begun")
    event(run, root, "UserPromptSubmit", prompt="go on")
    assert not passes(run, root)
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    assert event(run, root, "PreToolUse", **call) == {}


def test_after_its_deactivation_calls_pass(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person, "is_present", lambda: True)
    event(run, root, "SessionStart", session_id="s2", source="startup")
    for session in ("s1", "s2"):
        values(run, root, "deactivate", "guard", "--session", session)
        assert passes(run, root, session), session


def test_without_a_known_guard_a_broken_file_stops_no_call(root: Path, run: Run) -> None:
    (Path(os.environ["SKILLBAG_STATE_DIR"]) / "runtime.db").unlink()
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {SETTINGS: "{"})
    assert "systemMessage" in event(run, root, "SessionStart", session_id="s2", source="startup")
    assert passes(run, root, "s2")


@pytest.mark.parametrize("code", [OPEN, GUARD])
def test_a_namesake_in_another_personal_folder_is_asked_about(root: Path, run: Run, code: str) -> None:
    write(root / "mine/guard", {SKILL: manifest("guard", triggers="{modes: [headless]}"), "main.star": code})
    for words in ("activate guard", "scan", "wiki"):
        run("runtime", *words.split(), *SESSION, "--personal", "./mine", cwd=root)
        assert not passes(run, root), words
    assert refused(run("runtime", "activate", "guard", *SESSION, "--personal", "./mine", cwd=root))


def test_a_guard_that_a_person_renames_is_not_missed(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    guard = own(OPEN)
    plain(guard)
    write(guard, {SKILL: manifest("guard", triggers="{modes: [interactive]}"), "main.star": GUARD})
    monkeypatch.setattr(person, "is_present", lambda: True)
    assert run("rename", "guard", "other", "--workspace", guard.parent, cwd=root).code == 0
    event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")
    assert not passes(run, root, "s2")
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "session_id": "s2"}
    assert event(run, root, "PreToolUse", **call) == {}


def test_a_folder_that_an_agent_names_has_no_trusted_skills(root: Path, run: Run) -> None:
    active(root, "evil", OPEN.replace("#", 'register_hook("OnBeforeToolCall", lambda event: {"cancel": True}) #'))
    done = run("runtime", "activate", "evil", *SESSION, "--personal", "./.skills", "--json", cwd=root)
    assert done.code == 3, done
    write(root / "free/free", {SKILL: manifest("free"), "main.star": (root / ".skills/evil/main.star").read_text()})
    done = run("runtime", "activate", "free", *SESSION, "--personal", "./free", "--json", cwd=root)
    assert (done.code, "its hooks see calls of its own tools alone" in done.out) == (0, True)
    assert event(run, root, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}) == {}
    assert (
        run(
            "runtime",
            "permissions",
            "free",
            cwd=root,
        ).out.count("always")
        == 0
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="modes are nothing to root")
@pytest.mark.parametrize("name", ["", "guard", "guard/SKILL.yaml", "guard/main.star"])
def test_a_guard_that_can_not_be_read_refuses(root: Path, run: Run, name: str) -> None:
    path = Path(os.environ["SKILLBAG_PERSONAL_DIR"], name)
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")
        assert not passes(run, root, "s2")
    finally:
        path.chmod(mode)


def test_an_edit_is_asked_about_after_a_damaged_database(root: Path, run: Run) -> None:
    file = Path(os.environ["SKILLBAG_STATE_DIR"]) / "runtime.db"
    file.write_bytes(b"garbage" * 2000)
    own(OPEN)
    assert "was damaged" in event(run, root, "UserPromptSubmit", session_id="s2", prompt="go")["systemMessage"]
    assert not passes(run, root, "s2")
    assert refused(run("runtime", "activate", "guard", "--session", "s2", cwd=root))
