"""The tools of a scope: which there are, how each is found, and that each is defined in a way that any door can use."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillbag.agent.registry import call_tool, find_tool, offered_tools
from skillbag.agent.tool import BadArgumentsError, UnknownToolError
from skillbag.base.errors import UserError
from skillbag.fs.read import traced
from skillbag.personal.available import RESERVED, Home, available_skills, find_skill
from skillbag.personal.names import RESERVED
from skillbag.scripts.run import TIME_LIMIT
from skillbag.settings.scope import Scope, scope_at
from skillbag.workspace.discovery import NoWorkspaceError
from tests.install.worlds import write
from tests.lifecycle.bags import TOKEN, bag, skill_md

OWN = (
    "skill_marketplace",
    "read_skill_file",
    "run_skill_script",
    "skill_add",
    "skill_remove",
    "enter",
    "refresh",
    "resolve",
    "remember",
)


def scope(root: Path | None, personal: Path | None = None, *, user: bool = True) -> Scope:
    """A scope without a session."""
    return Scope(str(root) if root else None, str(personal) if personal else None, None, user)


def names(of: Scope) -> list[str]:
    """The names of the tools that a scope is offered."""
    return [tool.name for tool in offered_tools(of).tools]


def opened(work: Any) -> list[str]:
    """The names of the files that are opened meanwhile, each with its folder."""
    with traced() as accesses:
        work()
    return ["/".join(access.path.split("/")[-2:]) for access in accesses]


# What is offered.


def test_the_tools_have_a_fixed_order_and_those_of_skills_come_last_by_name(tmp_path: Path) -> None:
    root = bag(tmp_path, ["zebra", "apple"])
    assert names(scope(root)) == [*OWN, "skill_apple", "skill_zebra"]


def test_outside_of_a_workspace_the_own_tools_are_there_all_the_same() -> None:
    assert names(scope(None)) == list(OWN)


def test_a_skill_that_the_catalog_lists_and_that_is_not_there_has_no_tool(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple", "gone"])
    (root / ".skills/gone/SKILL.md").unlink()
    assert names(scope(root))[len(OWN) :] == ["skill_apple"]
    with pytest.raises(UnknownToolError):
        find_tool(scope(root), "skill_gone")


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_skill_with_the_name_of_a_tool_of_ours_gets_none_of_its_own_and_is_reported(
    tmp_path: Path, name: str
) -> None:
    root = bag(tmp_path, ["apple", name])
    offer = offered_tools(scope(root))
    assert [tool.name for tool in offer.tools] == [*OWN, "skill_apple"]
    assert offer.remarks == (
        f"the skill {name} has no tool, since skill_{name} is a tool of skillbag's own; rename the skill",
    )
    assert find_tool(scope(root), f"skill_{name}").skill is None
    assert "Do it." in call_tool(scope(root), "read_skill_file", {"skill": name, "path": "SKILL.md"}).text


@pytest.mark.parametrize("name", ["add", "remove"])
def test_not_even_where_the_tool_of_ours_is_not_offered_does_a_skill_take_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownToolError):
        find_tool(scope(bag(tmp_path, [name]), user=False), f"skill_{name}")


def test_only_a_users_session_sees_personal_skills_and_what_changes_them(tmp_path: Path) -> None:
    root = bag(tmp_path / "w", ["apple"])
    personal = write(tmp_path / "p", {"mine/SKILL.md": skill_md("mine", "Mine.")})
    assert {"skill_mine", "skill_add", "skill_remove"} <= set(names(scope(root, personal)))
    other = scope(root, personal, user=False)
    assert not {"skill_mine", "skill_add", "skill_remove"} & set(names(other))
    calls: Mapping[str, Mapping[str, str]] = {
        "skill_mine": {},
        "skill_add": {"path": str(personal / "mine")},
        "skill_remove": {"name": "mine"},
    }
    for name, arguments in calls.items():
        with pytest.raises(UnknownToolError):
            call_tool(other, name, arguments)
    with pytest.raises(UserError, match="no such skill"):
        call_tool(other, "read_skill_file", {"skill": "mine", "path": "SKILL.md"})
    assert (personal / "mine/SKILL.md").is_file()


def test_a_project_skill_hides_a_personal_one_of_its_name_and_that_is_reported(tmp_path: Path) -> None:
    root = bag(tmp_path / "w", {"apple": "The project's."})
    text = skill_md("apple", "The user's.")
    personal = write(tmp_path / "p", {"apple/SKILL.md": text, "pear/SKILL.md": skill_md("pear", "Pears.")})
    skills = available_skills(scope(root, personal))
    assert [(one.name, one.description, one.home) for one in skills.by_name.values()] == [
        ("apple", "The project's.", Home.PROJECT),
        ("pear", "Pears.", Home.PERSONAL),
    ]
    assert skills.remarks == ("the personal skill apple is hidden by the project's skill of that name",)
    assert find_skill(scope(root, personal), "apple").home is Home.PROJECT


def test_a_personal_skill_goes_by_the_name_it_declares_and_can_be_called_by_it(tmp_path: Path) -> None:
    personal = write(tmp_path, {"some-folder/SKILL.md": skill_md("pear", "Pears.", "Peel it.")})
    assert "skill_pear" in names(scope(None, personal))
    assert call_tool(scope(None, personal), "skill_pear", {}).text == "# Skill: pear\n\nPeel it."


def test_a_project_skill_whose_folder_has_another_name_can_be_called_by_the_catalogs(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/SKILL.md": skill_md("other", "Does it.", "Peel it.")})
    assert names(scope(root))[len(OWN) :] == ["skill_apple"]
    assert "Peel it." in call_tool(scope(root), "skill_apple", {}).text


def test_no_secret_of_the_catalog_gets_into_a_description(tmp_path: Path) -> None:
    root = bag(tmp_path, {"apple": f"Use {TOKEN} here."})
    assert find_tool(scope(root), "skill_apple").description == "Use ghp_**** here."
    assert not any(TOKEN in tool.description for tool in offered_tools(scope(root)).tools)


def test_a_file_in_place_of_the_catalog_is_a_mistake_that_is_told(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"])
    (root / ".skills/SKILLS.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match=r"SKILLS\.md"):
        offered_tools(scope(root))
    with pytest.raises(UserError, match=r"SKILLS\.md"):
        call_tool(scope(root), "skill_apple", {})
    assert find_tool(scope(root), "skill_add").name == "skill_add"


def test_each_call_sees_the_catalog_as_it_is(tmp_path: Path) -> None:
    of = scope(bag(tmp_path, ["apple"]))
    catalog = tmp_path / ".skills/SKILLS.md"
    seen = [names(of)[len(OWN) :]]
    bag(tmp_path, ["apple", "pear"])
    seen.append(names(of)[len(OWN) :])
    catalog.unlink()
    seen.append(names(of)[len(OWN) :])
    assert seen == [["skill_apple"], ["skill_apple", "skill_pear"], []]
    catalog.mkdir()
    with pytest.raises(UserError, match=r"SKILLS\.md"):
        names(of)


# How a tool is found, and what that reads.


@pytest.mark.parametrize("name", OWN)
def test_to_find_a_tool_of_ours_nothing_is_read(tmp_path: Path, name: str) -> None:
    root = bag(tmp_path, ["apple"])
    assert opened(lambda: find_tool(scope(root, tmp_path), name)) == []


def test_to_offer_the_tools_no_skill_is_opened(tmp_path: Path) -> None:
    root = bag(tmp_path, [f"apple-{number}" for number in range(30)])
    assert opened(lambda: offered_tools(scope(root))) == [".skills/SKILLS.md"]


def test_a_call_of_a_skill_reads_the_catalog_and_that_skill_and_no_other(tmp_path: Path) -> None:
    root = bag(tmp_path, [f"apple-{number}" for number in range(30)])
    read = opened(lambda: call_tool(scope(root), "skill_apple-7", {}))
    assert {path for path in read if path.endswith("SKILL.md")} == {"apple-7/SKILL.md"}
    assert ".skills/SKILLS.md" in read


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("read_skill_fil", "read_skill_file"),
        ("skil_marketplace", "skill_marketplace"),
        ("apple", "skill_apple"),
        ("convert-to-pfd", "skill_convert-to-pdf"),
        ("Enter", "enter"),
        ("skill_aple", "skill_apple"),
        ("skill_Apple", "skill_apple"),
        ("skill_convert_to_pdf", "skill_convert-to-pdf"),
    ],
)
def test_an_unknown_tool_is_told_with_the_one_that_may_be_meant(tmp_path: Path, name: str, meant: str) -> None:
    root = bag(tmp_path, ["apple", "convert-to-pdf"])
    with pytest.raises(UnknownToolError) as caught:
        call_tool(scope(root), name, {})
    assert str(caught.value) == f"{name}: there is no such tool; did you mean {meant}?"


@pytest.mark.parametrize("name", ["skill_remov", "skill_ghost", "skill_add-it", "skill_tidy-files", "skill_read_file"])
@pytest.mark.parametrize("skills", [[], ["pear"]])
def test_instead_of_a_skill_no_other_tool_is_offered(tmp_path: Path, name: str, skills: list[str]) -> None:
    with pytest.raises(UnknownToolError) as caught:
        find_tool(scope(bag(tmp_path, skills)), name)
    for own in set(OWN) - {"skill_marketplace"}:
        assert own not in str(caught.value).removeprefix(name)
    assert "pear" not in str(caught.value)


def test_a_skill_that_the_catalog_lists_and_that_is_not_there_is_not_offered(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"])
    (root / ".skills/apple/SKILL.md").unlink()
    with pytest.raises(UnknownToolError) as caught:
        find_tool(scope(root), "skill_aple")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("tool", ["skill_plum", "read_skill_file"])
def test_of_a_skill_without_a_line_in_the_catalog_it_is_told_what_lists_it(tmp_path: Path, tool: str) -> None:
    root = bag(tmp_path, ["plums"], {".skills/plum/SKILL.md": skill_md("plum", "Plums.")})
    arguments = {"skill": "plum", "path": "SKILL.md"} if tool == "read_skill_file" else {}
    with pytest.raises(UserError, match=r"plum: it is in \.skills/, but not in the catalog; skillbag sync lists it$"):
        call_tool(scope(root), tool, arguments)


@pytest.mark.parametrize("name", ["skill_add", "skill_remove"])
def test_a_tool_of_users_alone_is_told_as_that(name: str) -> None:
    with pytest.raises(UnknownToolError, match=f"^{name}: there is no such tool; only a user's own session has it$"):
        find_tool(scope(None, user=False), name)


def test_a_tool_that_resembles_nothing_is_told_with_what_there_is() -> None:
    with pytest.raises(UnknownToolError, match=r"^xyzzy: there is no such tool; there are skill_marketplace, .*enter"):
        find_tool(scope(None), "xyzzy")


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
    for tool in offered_tools(scope(bag(tmp_path, ["apple"]))).tools:
        Draft202012Validator.check_schema(tool.parameters)
        Draft202012Validator.check_schema(tool.result)
        assert tool.description
        assert all(shape["additionalProperties"] is False for shape in objects_in(tool.parameters))
        assert tool.parameters["type"] == "object"
        for argument in tool.parameters["properties"].values():
            assert argument["description"].endswith((".", ":"))
        assert json.loads(json.dumps([tool.parameters, tool.result])) == [tool.parameters, tool.result]


def test_what_changes_something_says_so(tmp_path: Path) -> None:
    tools = offered_tools(scope(bag(tmp_path, ["apple"]))).tools
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
def test_a_folder_that_is_none_is_told(tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"file": ""})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="there is no such folder"):
        scope_at(folder)


@pytest.mark.parametrize("session", ["", " ", "a\nb", "x" * 300])
def test_a_session_that_can_be_none_is_told(tmp_path: Path, session: str) -> None:
    with pytest.raises(UserError, match="a session's id is"):
        scope_at(str(tmp_path), session=session)


# What a call costs.


def test_importing_the_tools_imports_nothing_heavy() -> None:
    heavy = (
        "jsonschema subprocess sqlite3 filelock rich mcp httpx skillbag.lifecycle.session skillbag.lifecycle.settings"
    )
    code = f"import sys, skillbag.agent.registry; print([name for name in {heavy.split()!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_schema_of_a_tool_is_compiled_once_for_all_calls(tmp_path: Path) -> None:
    from skillbag.agent import arguments

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


def test_a_skill_that_is_active_already_is_not_written_down_again(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"])
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
    from skillbag.permissions.allowed_tools import why_blocked

    text = skill_md("apple", "Does it.", "Peel.", "allowed-tools: Read\n")
    root = bag(tmp_path / "w", ["apple", "pear"], {".skills/apple/SKILL.md": text})
    personal = write(tmp_path / "p", {"mine/SKILL.md": skill_md("mine", "Mine.")})
    of = scope(root, personal)._replace(session="s1")
    call_tool(of, "skill_apple", {})
    assert why_blocked(of, "Write", {}) is not None
    assert {tool.name: why_blocked(of, tool.name, {}) for tool in offered_tools(of).tools} == dict.fromkeys(names(of))
