"""The definitions of the tools, the scope, and what a call costs."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillbag.agents.scripts.run import TIME_LIMIT
from skillbag.agents.settings.scope import Scope, scope_at
from skillbag.agents.tools.registry import call_tool, find_tool, offered_tools
from skillbag.agents.tools.tool import BadArgumentsError
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.discovery import NoWorkspaceError
from tests.agents.tools.calls import names, scope
from tests.rows import each_row
from tests.session.bags import bag, skill_md
from tests.supply.install.worlds import write


# The definitions.
def objects_in(shape: Any) -> Iterator[Mapping[str, Any]]:
    """Every schema of an object within a schema."""
    if isinstance(shape, dict):
        if "properties" in shape:
            yield shape
        for value in shape.values():
            yield from objects_in(value)
    elif isinstance(shape, list):
        for value in shape:
            yield from objects_in(value)


def test_each_tool_has_sound_schemas_and_says_what_it_and_its_arguments_are_for(tmp_path: Path) -> None:
    for tool in offered_tools(scope(bag(tmp_path, ["apple"]))._replace(limited=True)).tools:
        Draft202012Validator.check_schema(tool.parameters)
        Draft202012Validator.check_schema(tool.result)
        assert tool.description
        assert all(shape["additionalProperties"] is False for shape in objects_in(tool.parameters))
        assert tool.parameters["type"] == "object"
        for argument in tool.parameters["properties"].values():
            assert argument["description"].endswith((".", ":"))
        assert json.loads(json.dumps([tool.parameters, tool.result])) == [tool.parameters, tool.result]


def test_a_tool_takes_the_arguments_that_its_schema_names(tmp_path: Path) -> None:
    for tool in offered_tools(scope(bag(tmp_path, []))._replace(limited=True)).tools:
        _, *taken = inspect.signature(tool.call).parameters.values()
        assert {each.name for each in taken} == set(tool.parameters["properties"])
        needed = {each.name for each in taken if each.default is each.empty}
        assert needed == set(tool.parameters.get("required", ()))


def test_what_changes_something_says_so(tmp_path: Path) -> None:
    tools = offered_tools(scope(bag(tmp_path, ["apple"]))._replace(limited=True)).tools
    writing = {"skill_marketplace", "run_skill_script", "skill_add", "skill_remove", "remember"}
    assert {tool.name for tool in tools if tool.writes} == writing
    assert {tool.name for tool in tools if tool.destroys} == writing - {"remember"}
    assert {tool.skill for tool in tools} == {None, "apple"}


def test_adding_and_removing_give_exactly_what_they_promise(tmp_path: Path) -> None:
    folder = write(tmp_path / "new", {"SKILL.md": skill_md("pear", "Pears.")})
    of = scope(None, tmp_path / "p")
    results = [
        call_tool(of, "skill_add", {"path": str(folder)}),
        call_tool(of, "skill_add", {"path": str(folder)}),
        call_tool(of, "skill_remove", {"name": "PEAR"}),
    ]
    assert [result.value for result in results] == [
        {"summary": 'Skill "pear" installed to personal skills.', "skillName": "pear", "status": "installed"},
        {"summary": 'Skill "pear" replaced in personal skills.', "skillName": "pear", "status": "replaced"},
        {"summary": 'Skill "pear" removed from personal skills.', "skillName": "pear", "status": "removed"},
    ]
    for result, name in zip(results, ["skill_add", "skill_add", "skill_remove"], strict=True):
        shape = find_tool(of, name).result
        Draft202012Validator(shape).validate(result.value)
        assert isinstance(result.value, dict)
        assert not Draft202012Validator(shape).is_valid({**result.value, "more": 1})


def test_a_relative_folder_to_add_counts_from_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = bag(tmp_path / "w", ["apple"], {"drafts/pear/SKILL.md": skill_md("pear", "Pears.")})
    call_tool(scope(root, tmp_path / "p"), "skill_add", {"path": "drafts/pear"})
    assert (tmp_path / "p/pear/SKILL.md").is_file()
    monkeypatch.chdir(root / "drafts")
    call_tool(scope(None, tmp_path / "q"), "skill_add", {"path": "pear"})
    assert (tmp_path / "q/pear/SKILL.md").is_file()


def test_a_folder_to_add_may_be_named_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "home", {"pear/SKILL.md": skill_md("pear", "Pears.")})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    call_tool(scope(bag(tmp_path / "w", ["apple"]), tmp_path / "p"), "skill_add", {"path": "~/pear"})
    assert (tmp_path / "p/pear/SKILL.md").is_file()


def test_a_script_is_given_arguments_input_and_time_as_the_call_says(tmp_path: Path) -> None:
    script = "import sys, time\nprint(sys.argv[1:], sys.stdin.read())\ntime.sleep(float(sys.argv[1]))\n"
    of = scope(bag(tmp_path, ["apple"], {".skills/apple/scripts/say.py": script}))
    arguments = {"skill": "apple", "script": "scripts/say.py", "args": ["0", "$(id) *"], "stdin": "words"}
    assert call_tool(of, "run_skill_script", arguments).text == "['0', '$(id) *'] words\n"
    with pytest.raises(UserError, match="timed out"):
        call_tool(of, "run_skill_script", {**arguments, "args": ["30"], "timeout": 0.5})
    shape = find_tool(of, "run_skill_script").parameters["properties"]["timeout"]
    assert shape["default"] == TIME_LIMIT


# The scope.


def test_the_scope_of_a_folder_is_the_workspace_around_it(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {"deep/er/x": ""})
    assert scope_at(str(root / "deep/er"), session="s").root == str(root)
    assert scope_at(str(root / "deep/er"), personal=str(tmp_path / "p"), user=False) == Scope(
        str(root), str(tmp_path / "p"), None, False
    )


def test_outside_of_a_workspace_the_scope_has_no_root_unless_one_is_required(tmp_path: Path) -> None:
    assert scope_at(str(tmp_path)).root is None
    with pytest.raises(NoWorkspaceError):
        scope_at(str(tmp_path), required=True)


@pytest.mark.parametrize("folder", ["", "gone", "a\0b", "file", "\udc80"])
def test_a_folder_that_is_none_is_reported(tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"file": ""})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="there is no such folder"):
        scope_at(folder)


@each_row("session", ["", " ", "a\nb", "x" * 300])
def test_a_session_that_can_be_none_is_reported(tmp_path: Path, session: str) -> None:
    with pytest.raises(UserError, match="a session's id is"):
        scope_at(str(tmp_path), session=session)


# What a call costs.


def test_importing_the_tools_imports_nothing_heavy() -> None:
    heavy = "jsonschema subprocess sqlite3 filelock rich mcp httpx2"
    ours = "skillbag.session.session skillbag.session.settings.settings"
    loaded = f"[name for name in {[*heavy.split(), *ours.split()]!r} if name in sys.modules]"
    code = f"import sys, skillbag.agents.tools.registry; print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_schema_of_a_tool_is_compiled_once_for_all_calls(tmp_path: Path) -> None:
    from skillbag.agents.tools import arguments

    root = bag(tmp_path, ["apple", "pear"])
    for _ in range(3):
        call_tool(scope(root), "skill_apple", {"arguments": "x"})
        call_tool(scope(root), "skill_pear", {"arguments": "x"})
    compiled = arguments._validator.cache_info().misses
    for number in range(5):
        call_tool(scope(root), "skill_apple", {"arguments": str(number)})
        with pytest.raises(BadArgumentsError):
            call_tool(scope(root), "skill_pear", {"arguments": number})
    assert arguments._validator.cache_info().misses == compiled


def test_a_skill_that_is_active_already_is_not_written_down_again(root: Path) -> None:
    of = scope(root)._replace(session="s1")
    call_tool(of, "enter", {})
    call_tool(of, "skill_apple", {})
    state = Path(os.environ["SKILLBAG_STATE_DIR"])
    before = {path: path.stat().st_mtime_ns for path in state.rglob("*.*") if path.suffix != ".lock"}
    call_tool(of, "skill_apple", {})
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert len(before) == 2


# While a skill is active.


def test_while_a_skill_allows_one_tool_alone_all_of_ours_stay_allowed(tmp_path: Path) -> None:
    from skillbag.agents.permissions.allowed_tools import why_blocked

    text = skill_md("apple", "Does it.", "Peel.", "allowed-tools: Read\n")
    root = bag(tmp_path / "w", ["apple", "pear"], {".skills/apple/SKILL.md": text})
    personal = write(tmp_path / "p", {"mine/SKILL.md": skill_md("mine", "Mine.")})
    of = scope(root, personal)._replace(session="s1")
    call_tool(of, "skill_apple", {})
    assert why_blocked(of, "Write", {}) is not None
    assert {tool.name: why_blocked(of, tool.name, {}) for tool in offered_tools(of).tools} == dict.fromkeys(names(of))
