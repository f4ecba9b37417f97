"""`skillbag agent hook install` and `uninstall`: the settings of Claude Code, of which every other byte stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.supply.bootstrap.limit_hook import COMMAND, apply, plan_install, plan_uninstall
from tests.rows import each_row
from tests.support import PROJECT, Run

PATH = ".claude/settings.json"
OTHER = {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}
TEXTS = [
    "{}",
    "{}\n",
    "{ }",
    '{"model": "x"}',
    '{\n  "model": "x"\n}\n',
    '{\r\n\t"model": "x",\r\n\t"hooks": {}\r\n}\r\n',
    '{"hooks": {"PreToolUse": []}, "z": {"hooks": 1}}',
    json.dumps({"hooks": {"PreToolUse": [OTHER], "Stop": [OTHER]}, "model": "é"}, ensure_ascii=False),
    json.dumps({"a": [1, {"b": None}], "hooks": {"UserPromptSubmit": [OTHER, OTHER]}}, indent=4),
    "\ufeff" + json.dumps({"hooks": {"PreToolUse": [OTHER]}}, indent=2),
]


def settings(root: Path, text: str) -> Path:
    path = root / PATH
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def commands(path: Path, event: str) -> list[str]:
    groups = json.loads(path.read_text("utf-8-sig"))["hooks"].get(event, [])
    return [hook["command"] for group in groups for hook in group["hooks"]]


@each_row("text", TEXTS)
def test_it_is_added_once_and_taken_out_again(tmp_path: Path, text: str) -> None:
    path = settings(tmp_path, text)
    apply(plan_install(str(tmp_path), PATH), str(tmp_path))
    installed = path.read_bytes()
    for event in ("PreToolUse", "UserPromptSubmit"):
        assert commands(path, event)[0] == COMMAND
        assert commands(path, event).count(COMMAND) == 1
    assert plan_install(str(tmp_path), PATH).status == "unchanged"
    apply(plan_uninstall(str(tmp_path), PATH), str(tmp_path))
    before, after = json.loads(text.removeprefix("\ufeff")), json.loads(path.read_text("utf-8-sig"))
    assert pruned(after) == pruned(before)
    assert plan_uninstall(str(tmp_path), PATH).status == "absent"
    assert installed != path.read_bytes()


def pruned(values: dict[str, Any]) -> dict[str, Any]:
    """The settings without empty lists of hooks, which go with the last entry."""
    hooks = {event: groups for event, groups in values.get("hooks", {}).items() if groups}
    return {**values, "hooks": hooks}


@each_row("text", [text for text in TEXTS if '"hooks": {}' not in text and "[]" not in text])
def test_what_was_there_is_the_same_to_the_byte(tmp_path: Path, text: str) -> None:
    path = settings(tmp_path, text)
    apply(plan_install(str(tmp_path), PATH), str(tmp_path))
    apply(plan_uninstall(str(tmp_path), PATH), str(tmp_path))
    assert path.read_bytes().decode() == text.replace("{ }", "{}")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("aé\"\\,:{}[]#'\n ", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abé:,{", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    values=st.dictionaries(st.text("abé:,{", min_size=1, max_size=3), VALUES, max_size=3),
    indent=st.sampled_from([None, 2]),
)
def test_any_settings_come_back(tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any], indent: int) -> None:
    root = tmp_path_factory.mktemp("any")
    path = settings(root, json.dumps(values, indent=indent))
    apply(plan_install(str(root), PATH), str(root))
    apply(plan_uninstall(str(root), PATH), str(root))
    assert json.loads(path.read_bytes()) == values


@pytest.mark.usefixtures("a_person")
def test_the_command_makes_a_file_says_so_and_can_block_where_it_can_t_run(tmp_path: Path, run: Run) -> None:
    schema = json.loads((PROJECT / "schemas/hook.schema.json").read_text("utf-8"))
    expected = [
        ("install", ["--dry-run"], "installed", True),
        ("install", ["--required"], "installed", False),
        ("install", [], "unchanged", False),
        ("uninstall", ["--dry-run"], "removed", True),
        ("uninstall", [], "removed", False),
        ("uninstall", [], "absent", False),
    ]
    for name, options, status, dry in expected:
        answer = run("hook", name, *options, "--json", cwd=tmp_path)
        values = json.loads(answer.out)
        jsonschema.validate(values, schema)
        assert (answer.code, values["status"], values["dry_run"]) == (0, status, dry)
        if "--required" in options:
            (group,) = json.loads((tmp_path / PATH).read_text())["hooks"]["PreToolUse"]
            assert group["hooks"][0]["onFailure"] == "block"
    assert json.loads((tmp_path / PATH).read_text()) == {}


def test_each_scope_has_a_file_of_its_own(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "project").mkdir()
    for scope, path in (("local", "project/.claude/settings.local.json"), ("user", "home/.claude/settings.json")):
        assert run("hook", "install", "--scope", scope, cwd=tmp_path / "project").code == 0
        assert commands(tmp_path / path, "PreToolUse") == [COMMAND]
    assert not (tmp_path / "project" / PATH).exists()


@each_row(
    "text",
    [
        "[]",
        '{"hooks": []}',
        '{"hooks": {"PreToolUse": {}}}',
        '{"a": 1 // x\n}',
        '{"a": 1,}',
        "",
        "\0",
        '{"a": 1, "a": 2}',
    ],
)
def test_settings_of_another_shape_are_left_alone(tmp_path: Path, run: Run, text: str) -> None:
    path = settings(tmp_path, text)
    answer = run("hook", "install", cwd=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert PATH in answer.err
    assert path.read_text() == text


def test_an_entry_that_somebody_changed_is_left_to_them(tmp_path: Path, run: Run) -> None:
    both = {"hooks": [{"type": "command", "command": COMMAND}, {"type": "command", "command": "mine"}]}
    path = settings(tmp_path, text := json.dumps({"hooks": {"PreToolUse": [both]}}))
    assert "unchanged" not in run("hook", "install", "--dry-run", cwd=tmp_path).out
    answer = run("hook", "uninstall", cwd=tmp_path)
    assert answer.code == 2
    assert "Remove it yourself" in answer.err
    assert path.read_text() == text
