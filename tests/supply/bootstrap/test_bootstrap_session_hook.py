"""`skillbag init --agents claude --hooks`: the hooks that enter the workspace and ask active skills, in
settings that are the user's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.agents.hosts.answering import HOSTS
from skillbag.agents.hosts.claude import EVENTS as STEPS
from skillbag.kernel.workspace import agents
from skillbag.supply.bootstrap.existing import CannotInitError
from skillbag.supply.bootstrap.session_hook import COMMAND, EVENTS, PROMPT, RUNTIME, session_hook_actions
from tests.rows import each_row
from tests.support import Run

SETTINGS = ".claude/settings.json"
GROUP = {"hooks": [{"type": "command", "command": COMMAND}]}
REQUESTED = {"hooks": [{"type": "command", "command": f"{RUNTIME} --host claude", "timeout": 60}]}


OF_PROMPT = {"hooks": [{"type": "command", "command": PROMPT, "timeout": 60}]}


def added(event: str) -> list[object]:
    """The groups that an event gets."""
    own = OF_PROMPT if event == "UserPromptSubmit" else REQUESTED
    return [GROUP, own] if event == "SessionStart" else [own]


def written(folder: Path) -> dict[str, object]:
    value: dict[str, object] = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    return value


def settings(folder: Path, text: str) -> Path:
    path = folder / SETTINGS
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_a_fresh_workspace_gets_the_hook_and_a_second_run_changes_nothing(run: Run, tmp_path: Path) -> None:
    assert run("init", "--agents", "claude", "--hooks", cwd=tmp_path).code == 0
    assert written(tmp_path) == {"hooks": {event: added(event) for event in EVENTS}}
    again = run("init", "--agents", "claude", "--hooks", cwd=tmp_path)
    assert again.code == 0
    assert "nothing was written" in again.out


def test_the_command_of_the_hook_enters_the_workspace(run: Run, tmp_path: Path) -> None:
    run("init", "--agents", "claude", "--hooks", cwd=tmp_path)
    stdin = json.dumps({"session_id": "s1", "cwd": str(tmp_path), "source": "startup"}).encode()
    assert "Session: s1" in run(*COMMAND.split()[1:], stdin=stdin).out


@each_row(
    "text",
    [
        "{}",
        "{\n}\n",
        '{"model": "x"}',
        '{\n    "model": "x",\n    "permissions": {"allow": ["Bash(ls  -l)"]}\n}\n',
        '{\n\t"hooks": {}\n}\n',
        '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
        '{\n  "hooks": {"SessionStart": []}\n}\n',
        '{\n  "hooks": {"SessionStart": [\n    {"matcher": "x", "hooks": []}\n  ]},\n  "z": "\\u00e9/\\/"\n}',
        '{\r\n  "model": "x"\r\n}\r\n',
    ],
)
def test_every_byte_of_the_users_settings_stays(run: Run, tmp_path: Path, text: str) -> None:
    path = settings(tmp_path, text)
    old = json.loads(text)
    assert run("init", "--agents", "claude", "--hooks", cwd=tmp_path).code == 0
    new = written(tmp_path)
    hooks = old.get("hooks", {})
    assert new == {**old, "hooks": {**hooks, **{event: [*added(event), *hooks.get(event, [])] for event in EVENTS}}}
    left = iter(path.read_bytes())
    assert all(byte in left for byte in text.encode())


def test_a_hook_that_is_there_in_other_words_is_kept(run: Run, tmp_path: Path) -> None:
    commands = [f"cd x && {COMMAND} --again", f"{PROMPT} -q", "skillbag runtime hook --host claude --verbose"]
    group = {"matcher": "*", "hooks": [{"type": "command", "command": command} for command in commands]}
    path = settings(tmp_path, json.dumps({"hooks": {event: [group] for event in EVENTS}}))
    before = path.read_bytes()
    assert run("init", "--agents", "claude", "--hooks", cwd=tmp_path).code == 0
    assert path.read_bytes() == before


@each_row(
    "text", ["", "[]", "{", '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', "// a comment\n{}", "[" * 5000, "1e999"]
)
def test_settings_that_are_not_understood_are_left_alone_and_the_entry_is_shown(
    run: Run, tmp_path: Path, text: str
) -> None:
    path = settings(tmp_path, text)
    outcome = run("init", "--agents", "claude", "--hooks", cwd=tmp_path)
    assert outcome.code == 2
    assert COMMAND in outcome.err
    assert SETTINGS in outcome.err
    assert path.read_text(encoding="utf-8") == text
    assert not (tmp_path / "SKILLBAG.md").exists()


@pytest.mark.proves("lifecycle", "refresh.trigger", "tags.run-always")
def test_the_hooks_say_when_an_always_skill_has_changed(run: Run, tmp_path: Path) -> None:
    run("init", "--agents", "claude", "--hooks", cwd=tmp_path)
    run("new", "greet", "--description", "Greets. #run/always", cwd=tmp_path)

    def said(event: str) -> str:
        values = {"session_id": "s1", "cwd": str(tmp_path), "hook_event_name": event, "prompt": "x"}
        groups = written(tmp_path)["hooks"][event]  # type: ignore[index]
        commands = [hook["command"] for group in groups for hook in group["hooks"]]
        calls = [run(*each.split()[1:], stdin=json.dumps(values).encode()).out for each in commands]
        return "".join(text for text in calls if text.strip() != "{}")

    assert "# Skill: greet" in said("SessionStart")
    assert said("UserPromptSubmit") == ""
    path = tmp_path / ".skills/greet/SKILL.md"
    path.write_text(path.read_text() + "\nSay good day.\n")
    assert "Say good day." in said("UserPromptSubmit")
    assert said("UserPromptSubmit") == ""


def test_only_what_is_missing_is_added(run: Run, tmp_path: Path) -> None:
    settings(tmp_path, json.dumps({"hooks": {"SessionStart": [GROUP], "Stop": [REQUESTED]}}))
    assert run("init", "--agents", "claude", "--hooks", cwd=tmp_path).code == 0
    new = written(tmp_path)
    assert new == {"hooks": {**{event: added(event) for event in EVENTS}, "SessionStart": [REQUESTED, GROUP]}}


def test_active_skills_are_asked_at_every_step_that_they_know() -> None:
    assert tuple(STEPS) == EVENTS


@pytest.mark.parametrize("arguments", [["--hooks"], ["--hooks", "--agents", "cursor"]])
def test_hooks_without_an_agent_that_has_them_are_refused(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    outcome = run("init", *arguments, cwd=tmp_path)
    assert outcome.code == 2
    assert "--agents claude" in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_source_is_not_entered(run: Run, tmp_path: Path) -> None:
    outcome = run("init", "--source", "--agents", "claude", "--hooks", cwd=tmp_path)
    assert outcome.code == 2
    assert "not both" in outcome.err


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(
    st.dictionaries(st.text(), _JSON, max_size=4),
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.booleans(),
    st.none() | st.lists(_JSON, max_size=4),
)
def test_any_settings_keep_their_values_or_are_refused(
    tmp_path: Path,
    value: dict[str, object],
    indent: int | str | None,
    ascii_: bool,
    groups: list[object] | None,
) -> None:
    if groups is not None:
        value = {**value, "hooks": {"SessionStart": groups}}
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_).encode("utf-8", "replace").decode()
    settings(tmp_path, text)
    try:
        action = session_hook_actions(str(tmp_path), "claude")[-1]
    except CannotInitError:
        return
    old, new = json.loads(text), json.loads(action.result.decode())
    before = old["hooks"] if isinstance(old.get("hooks"), dict) else {}
    for event in EVENTS:
        assert new["hooks"].pop(event) == [*added(event), *before.get(event, [])]
    assert new.pop("hooks") == {key: kept for key, kept in before.items() if key not in EVENTS}
    assert new == {key: kept for key, kept in old.items() if key != "hooks"}


def test_each_agent_whose_settings_get_hooks_has_a_reader_of_its_events() -> None:
    assert set(HOSTS) == set(agents.SETTINGS)
