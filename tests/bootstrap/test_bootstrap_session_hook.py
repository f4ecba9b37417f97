"""`skillbag init --agents claude --hooks`: the hook that enters the workspace, in settings that are the user's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.bootstrap.existing import CannotInitError
from skillbag.bootstrap.session_hook import COMMAND, session_hook_action
from tests.support import Run

SETTINGS = ".claude/settings.json"
GROUP = {"hooks": [{"type": "command", "command": COMMAND}]}


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
    assert written(tmp_path) == {"hooks": {"SessionStart": [GROUP]}}
    again = run("init", "--agents", "claude", "--hooks", cwd=tmp_path)
    assert again.code == 0
    assert "nothing was written" in again.out


def test_the_command_of_the_hook_enters_the_workspace(run: Run, tmp_path: Path) -> None:
    run("init", "--agents", "claude", "--hooks", cwd=tmp_path)
    stdin = json.dumps({"session_id": "s1", "cwd": str(tmp_path), "source": "startup"}).encode()
    assert "Session: s1" in run(*COMMAND.split()[1:], stdin=stdin).out


@pytest.mark.parametrize(
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
    assert new == {**old, "hooks": {**hooks, "SessionStart": [GROUP, *hooks.get("SessionStart", [])]}}
    left = iter(path.read_bytes())
    assert all(byte in left for byte in text.encode())


def test_a_hook_that_is_there_in_other_words_is_kept(run: Run, tmp_path: Path) -> None:
    group = {"matcher": "*", "hooks": [{"type": "command", "command": f"cd x && {COMMAND} --again"}]}
    path = settings(tmp_path, json.dumps({"hooks": {"SessionStart": [group]}}))
    before = path.read_bytes()
    assert run("init", "--agents", "claude", "--hooks", cwd=tmp_path).code == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
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
        action = session_hook_action(str(tmp_path), "claude")
    except CannotInitError:
        return
    old, new = json.loads(text), json.loads(action.result.decode())
    assert new["hooks"].pop("SessionStart")[0] == GROUP
    rest = {**old.get("hooks", {})} if isinstance(old.get("hooks"), dict) else {}
    rest.pop("SessionStart", None)
    assert new.pop("hooks") == rest
    assert new == {key: kept for key, kept in old.items() if key != "hooks"}
