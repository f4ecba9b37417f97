"""Which tags hold: those of the descriptions, the user's changes, and what is prohibited at each level."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.kernel.standard.declarations import Level
from skillbag.session.settings.effective_settings import Tagging
from skillbag.session.skills.effective_tags import effective_tags
from skillbag.session.skills.skills import BadSkillError, listed_skills
from tests.rows import each_row
from tests.session.bags import bag, context, session
from tests.session.tables import toml_table

ALWAYS, LAST = "#run/always", "#run/last"
BARS_X = "prohibit: {skills: [x]}"


def tagging(folder: Path, *without: str) -> Tagging:
    one = session(folder)
    return effective_tags(listed_skills(one.workspace), one.settings, without)


def held(folder: Path, *without: str) -> dict[str, list[str]]:
    return {name: [tag.text for tag in tags] for name, tags in tagging(folder, *without).tags.items()}


def disabled(folder: Path, *without: str) -> list[str]:
    return [f"{one.skill} {one.tag or '-'}: {one.why} ({one.place})" for one in tagging(folder, *without).disabled]


def tags_of_x(folder: Path, description: str, user: str = "", project: str = "") -> list[str]:
    """The tags of the skill x of this description, under these context files."""
    files = {"USER_CONTEXT.md": user, "CONTEXT.md": project}
    bag(folder, {"x": description, "y": "Other."}, {name: text for name, text in files.items() if text})
    return held(folder)["x"]


@each_row(("description", "expected"), toml_table("tags")["spelt"])
@pytest.mark.proves("tags", "tags.comply")
def test_tags_are_read_from_the_catalog_as_they_are_spelt(
    tmp_path: Path, description: str, expected: list[str]
) -> None:
    assert tags_of_x(tmp_path, description) == expected


def test_a_tag_has_the_level_and_place_of_its_description(tmp_path: Path) -> None:
    bag(tmp_path, {"a": "First.", "x": "Do. #run/always"})
    (tag,) = tagging(tmp_path).tags["x"]
    assert (tag.text, tag.level, str(tag.place)) == (ALWAYS, Level.SKILL, ".skills/SKILLS.md:2")


def test_no_skill_is_opened_for_its_tags(tmp_path: Path) -> None:
    bag(tmp_path, {"x": "Do. #run/always"}, {".skills/x/SKILL.md": b"\xff\xfe"})
    assert held(tmp_path) == {"x": [ALWAYS]}


USER = "USER_CONTEXT.md"


@each_row(("description", "blocks", "expected"), toml_table("tags")["changed"])
@pytest.mark.proves("tags", "tags.user-override")
def test_user_context_adds_and_removes_tags(
    tmp_path: Path, description: str, blocks: list[str], expected: list[str]
) -> None:
    before = bag(tmp_path, {"x": description}).joinpath(".skills/x/SKILL.md").read_bytes()
    assert tags_of_x(tmp_path, description, user=context(*blocks)) == expected
    assert (tmp_path / ".skills/x/SKILL.md").read_bytes() == before


@pytest.mark.proves("tags", "tags.user-override", "tags.run-always", "tags.run-last")
def test_a_removed_run_tag_is_reported_with_the_line_that_removes_it(tmp_path: Path) -> None:
    user = context(
        'tags:\n  x:\n    remove: ["#run/always", "#use/y", "#run/other"]\n  "*":\n    remove: ["#run/last"]'
    )
    bag(tmp_path, {"x": "Do. #run/always #run/last #use/y", "y": "Other."}, {USER: user})
    assert disabled(tmp_path) == [
        "x #run/always: removed by USER_CONTEXT.md (USER_CONTEXT.md:6)",
        "x #run/last: removed by USER_CONTEXT.md (USER_CONTEXT.md:8)",
    ]


def test_an_added_tag_has_the_users_level_and_place(tmp_path: Path) -> None:
    bag(tmp_path, {"x": "Do. #run/last"}, {USER: context('tags:\n  x: {add: ["#run/last"]}')})
    (tag,) = tagging(tmp_path).tags["x"]
    assert (tag.level, str(tag.place)) == (Level.USER_CONTEXT, "USER_CONTEXT.md:5")


@pytest.mark.proves("tags", "tags.user-override")
def test_tags_of_project_context_have_no_effect(tmp_path: Path) -> None:
    assert tags_of_x(tmp_path, "Do. #run/last", project=context('tags: {x: {remove: ["#run/last"]}}')) == [LAST]
    assert [remark.place.file for remark in session(tmp_path).settings.remarks] == ["CONTEXT.md"]


@pytest.mark.parametrize("file", ["USER_CONTEXT.md", "CONTEXT.md"])
@pytest.mark.proves("tags", "precedence.prohibition", "tags.run-always", "tags.run-last")
def test_a_prohibited_skill_does_not_run_by_its_own_tags(tmp_path: Path, file: str) -> None:
    bag(tmp_path, {"x": "Do. #run/always #run/last"}, {file: context(BARS_X)})
    assert held(tmp_path) == {"x": []}
    assert disabled(tmp_path) == [f"x -: prohibited by {file} ({file}:4)"]


@pytest.mark.parametrize("file", ["USER_CONTEXT.md", "CONTEXT.md"])
@pytest.mark.proves("tags", "precedence.prohibition", "tags.use")
def test_a_prohibited_skill_is_no_companion(tmp_path: Path, file: str) -> None:
    bag(tmp_path, {"a": "Do. #use/x #use/y", "b": "Do. #use/x", "x": "Do.", "y": "Do."}, {file: context(BARS_X)})
    assert held(tmp_path) == {"a": ["#use/y"], "b": [], "x": [], "y": []}
    assert disabled(tmp_path) == [f"x -: prohibited by {file} ({file}:4)"]


@pytest.mark.proves("tags", "precedence.prohibition")
def test_a_prohibited_skill_that_nothing_brings_in_is_not_mentioned(tmp_path: Path) -> None:
    bag(tmp_path, {"a": "Do. #use/gone", "x": "Do. #team/blue"}, {USER: context("prohibit: {skills: [x, gone]}")})
    assert held(tmp_path) == {"a": [], "x": ["#team/blue"]}
    assert disabled(tmp_path) == []


ADDS_TO_X = 'tags: {x: {add: ["#run/always"]}}'


@pytest.mark.proves("tags", "precedence.prohibition")
def test_the_projects_prohibition_does_not_bind_the_user(tmp_path: Path) -> None:
    user, project = context(ADDS_TO_X), context(BARS_X)
    assert tags_of_x(tmp_path, "Do. #run/last", user=user, project=project) == [ALWAYS]
    assert disabled(tmp_path) == ["x #run/last: prohibited by CONTEXT.md (CONTEXT.md:4)"]


@pytest.mark.proves("tags", "precedence.prohibition")
def test_the_user_may_bring_in_a_companion_that_the_project_prohibits(tmp_path: Path) -> None:
    user, project = context('tags: {a: {add: ["#use/x"]}}'), context(BARS_X)
    bag(tmp_path, {"a": "Do.", "b": "Do. #use/x", "x": "Do."}, {USER: user, "CONTEXT.md": project})
    assert held(tmp_path) == {"a": ["#use/x"], "b": [], "x": []}
    assert disabled(tmp_path) == ["b #use/x: prohibited by CONTEXT.md (CONTEXT.md:4)"]


@pytest.mark.proves("tags", "precedence.prohibition")
def test_a_prohibition_does_not_bind_its_own_level(tmp_path: Path) -> None:
    assert tags_of_x(tmp_path, "Do. #run/last", user=context(ADDS_TO_X, BARS_X)) == [ALWAYS]


@pytest.mark.proves("tags", "precedence.prohibition")
def test_a_skill_that_the_conversation_rules_out_has_no_tags_and_is_no_companion(tmp_path: Path) -> None:
    user = context('tags: {x: {add: ["#run/last"]}, a: {add: ["#use/x"]}}')
    bag(tmp_path, {"a": "Do. #use/x #run/last", "x": "Do. #run/always"}, {USER: user})
    assert held(tmp_path, "x") == {"a": [LAST]}
    assert disabled(tmp_path, "x") == ["x -: ruled out by the conversation (None)"]


def test_a_skill_may_be_ruled_out_by_its_execution_id_and_without_being_there(tmp_path: Path) -> None:
    bag(tmp_path, {"a-b": "Do. #run/always"})
    (tmp_path / ".skills/a-b/SKILL.md").unlink()
    assert tagging(tmp_path, "a_b").barred == {"a-b"}


def test_a_misspelt_skill_to_rule_out_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    bag(tmp_path, {"check-links": "Do. #run/always"})
    with pytest.raises(BadSkillError, match=r"^chek-links: .* did you mean check-links\?$"):
        tagging(tmp_path, "chek-links")
