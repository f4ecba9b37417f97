"""The tools of a scope: which there are, how each is found, and that each is defined in a way that any door can use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.agents.personal.available import Home, available_skill, available_skills
from skillbag.agents.personal.names import RESERVED
from skillbag.agents.tools.registry import call_tool, find_tool, offered_tools
from skillbag.agents.tools.tool import UnknownToolError
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import traced
from tests.agents.tools.calls import BUILT_IN, names, scope
from tests.rows import each_row
from tests.session.bags import TOKEN, bag, context, skill_md
from tests.supply.install.worlds import write


def opened(work: Any) -> list[str]:
    """The names of the files that are opened meanwhile, each with its folder."""
    with traced() as accesses:
        work()
    return ["/".join(access.path.split("/")[-2:]) for access in accesses]


# What is offered.


def test_the_tools_have_a_fixed_order_and_those_of_skills_come_last_by_name(tmp_path: Path) -> None:
    root = bag(tmp_path, ["zebra", "apple"])
    assert names(scope(root)) == [*BUILT_IN, "skill_apple", "skill_zebra"]


def test_outside_of_a_workspace_the_own_tools_are_there_all_the_same() -> None:
    assert names(scope(None)) == BUILT_IN


def test_a_skill_that_the_catalog_lists_and_that_is_not_there_has_no_tool(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple", "gone"])
    (root / ".skills/gone/SKILL.md").unlink()
    assert names(scope(root))[len(BUILT_IN) :] == ["skill_apple"]
    with pytest.raises(UnknownToolError):
        find_tool(scope(root), "skill_gone")


@each_row("name", sorted(RESERVED))
def test_a_skill_with_the_name_of_a_tool_of_ours_gets_none_of_its_own_and_is_reported(
    tmp_path: Path, name: str
) -> None:
    root = bag(tmp_path, ["apple", name])
    offer = offered_tools(scope(root))
    assert [tool.name for tool in offer.tools] == [*BUILT_IN, "skill_apple"]
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
    assert [(entry.name, entry.description, entry.home) for entry in skills.by_name.values()] == [
        ("apple", "The project's.", Home.PROJECT),
        ("pear", "Pears.", Home.PERSONAL),
    ]
    assert skills.remarks == ("the personal skill apple is hidden by the project's skill of that name",)
    assert available_skill(scope(root, personal), "apple").home is Home.PROJECT


def test_a_personal_skill_goes_by_the_name_it_declares_and_can_be_called_by_it(tmp_path: Path) -> None:
    personal = write(tmp_path, {"some-folder/SKILL.md": skill_md("pear", "Pears.", "Peel it.")})
    assert "skill_pear" in names(scope(None, personal))
    assert call_tool(scope(None, personal), "skill_pear", {}).text == "# Skill: pear\n\nPeel it."
    with pytest.raises(UnknownToolError):
        call_tool(scope(None, personal), "skill_some-folder", {})


def test_a_project_skill_whose_folder_has_another_name_can_be_called_by_the_catalogs(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/SKILL.md": skill_md("other", "Does it.", "Peel it.")})
    assert names(scope(root))[len(BUILT_IN) :] == ["skill_apple"]
    assert "Peel it." in call_tool(scope(root), "skill_apple", {}).text


def test_no_secret_of_the_catalog_gets_into_a_description(tmp_path: Path) -> None:
    root = bag(tmp_path, {"apple": f"Use {TOKEN} here."})
    assert find_tool(scope(root), "skill_apple").description == "Use ghp_**** here."
    assert not any(TOKEN in tool.description for tool in offered_tools(scope(root)).tools)


def test_a_file_in_place_of_the_catalog_is_a_mistake_that_is_reported(root: Path) -> None:
    (root / ".skills/SKILLS.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match=r"SKILLS\.md"):
        offered_tools(scope(root))
    with pytest.raises(UserError, match=r"SKILLS\.md"):
        call_tool(scope(root), "skill_apple", {})
    assert find_tool(scope(root), "skill_add").name == "skill_add"


def test_each_call_sees_the_catalog_as_it_is(tmp_path: Path) -> None:
    of = scope(bag(tmp_path, ["apple"]))
    catalog = tmp_path / ".skills/SKILLS.md"
    seen = [names(of)[len(BUILT_IN) :]]
    bag(tmp_path, ["apple", "pear"])
    seen.append(names(of)[len(BUILT_IN) :])
    catalog.unlink()
    seen.append(names(of)[len(BUILT_IN) :])
    assert seen == [["skill_apple"], ["skill_apple", "skill_pear"], []]
    catalog.mkdir()
    with pytest.raises(UserError, match=r"SKILLS\.md"):
        names(of)


# How a tool is found, and what that reads.


@pytest.mark.parametrize("name", BUILT_IN)
def test_to_find_a_tool_of_ours_nothing_is_read(root: Path, tmp_path: Path, name: str) -> None:
    assert opened(lambda: find_tool(scope(root, tmp_path), name)) == []


def test_to_offer_the_tools_no_skill_is_opened(tmp_path: Path) -> None:
    root = bag(tmp_path, [f"apple-{number}" for number in range(30)])
    read = opened(lambda: offered_tools(scope(root)))
    assert read[0] == ".skills/SKILLS.md"
    # The context files say which tags hold.
    assert [Path(path).name for path in read[1:]] == ["SKILLBAG.md"]


@pytest.mark.proves("tags", "tags.user-override")
def test_a_tool_is_described_with_the_tags_that_hold(tmp_path: Path) -> None:
    user = context("tags: {loud: {remove: ['#run/always']}, calm: {add: ['#run/last']}}")
    root = bag(tmp_path, {"loud": "Is loud. #run/always", "calm": "Calms."}, {"USER_CONTEXT.md": user})
    described = {tool.name: tool.description for tool in offered_tools(scope(root)).tools}
    assert (described["skill_loud"], described["skill_calm"]) == ("Is loud.", "Calms. #run/last")
    (tmp_path / "USER_CONTEXT.md").write_text(context("tags: ["))
    assert {tool.name: tool.description for tool in offered_tools(scope(root)).tools}["skill_calm"] == "Calms."


def test_a_call_of_a_skill_reads_the_catalog_and_that_skill_and_no_other(tmp_path: Path) -> None:
    root = bag(tmp_path, [f"apple-{number}" for number in range(30)])
    read = opened(lambda: call_tool(scope(root), "skill_apple-7", {}))
    assert {path for path in read if path.endswith("SKILL.md")} == {"apple-7/SKILL.md"}
    assert ".skills/SKILLS.md" in read


@each_row(
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
def test_an_unknown_tool_is_reported_with_the_one_that_may_be_meant(tmp_path: Path, name: str, meant: str) -> None:
    root = bag(tmp_path, ["apple", "convert-to-pdf"])
    with pytest.raises(UnknownToolError) as caught:
        call_tool(scope(root), name, {})
    assert str(caught.value) == f"{name}: there is no such tool; did you mean {meant}?"


@each_row("name", ["skill_remov", "skill_ghost", "skill_add-it", "skill_tidy-files", "skill_read_file"])
@each_row("skills", [[], ["pear"]])
def test_instead_of_a_skill_no_other_tool_is_offered(tmp_path: Path, name: str, skills: list[str]) -> None:
    with pytest.raises(UnknownToolError) as caught:
        find_tool(scope(bag(tmp_path, skills)), name)
    for own in set(BUILT_IN) - {"skill_marketplace"}:
        assert own not in str(caught.value).removeprefix(name)
    assert "pear" not in str(caught.value)


def test_a_skill_that_the_catalog_lists_and_that_is_not_there_is_not_offered(root: Path) -> None:
    (root / ".skills/apple/SKILL.md").unlink()
    with pytest.raises(UnknownToolError) as caught:
        find_tool(scope(root), "skill_aple")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize("tool", ["skill_plum", "read_skill_file"])
def test_of_a_skill_without_a_line_in_the_catalog_it_is_told_what_lists_it(tmp_path: Path, tool: str) -> None:
    root = bag(tmp_path, ["plums"], {".skills/plum/SKILL.md": skill_md("plum", "Plums.")})
    arguments = {"skill": "plum", "path": "SKILL.md"} if tool == "read_skill_file" else {}
    with pytest.raises(
        UserError,
        match=r"plum: it is in \.skills/, but not in the catalog; skillbag self sync lists it, or says why not$",
    ):
        call_tool(scope(root), tool, arguments)


@pytest.mark.parametrize("name", ["skill_add", "skill_remove"])
def test_a_tool_of_users_alone_is_reported_as_that(name: str) -> None:
    with pytest.raises(UnknownToolError, match=f"^{name}: there is no such tool; only a user's own session has it$"):
        find_tool(scope(None, user=False), name)


def test_a_tool_that_resembles_nothing_is_reported_with_what_there_is() -> None:
    with pytest.raises(UnknownToolError, match=r"^xyzzy: there is no such tool; there are skill_marketplace, .*enter"):
        find_tool(scope(None), "xyzzy")
