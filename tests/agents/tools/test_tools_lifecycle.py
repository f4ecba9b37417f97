"""`enter`, `refresh`, `resolve` and `remember` as tools: what the commands say, in words for an agent with tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import call_tool, find_tool
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.discovery import NoWorkspaceError
from tests.rows import each_row
from tests.session.bags import TOKEN, bag, context, parameters, skill_md
from tests.supply.install.worlds import call, write
from tests.support import PROJECT, Run

FORMAT = "required:\n  - name: format\noptional:\n  - name: language"


def world(folder: Path) -> Scope:
    """A workspace with a skill that needs a format, and a session that has not entered."""
    files = {".skills/convert/SKILL.md": skill_md("convert", "Converts.", parameters(FORMAT))}
    return Scope(str(bag(folder, {"convert": "Converts.", "tidy": "Tidies."}, files)), None, "s1")


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    return world(tmp_path)


# Entry and refresh.


def test_entry_tells_what_there_is_and_names_tools(tmp_path: Path) -> None:
    result = call_tool(world(tmp_path), "enter", {})
    assert not result.asks
    assert result.text.startswith(f"Entry into the workspace {tmp_path}\nSession: s1\nRead: SKILLBAG.md")
    assert "convert: Converts.\ntidy: Tidies." in result.text
    assert "- To run a skill: skill_NAME, with inputs" in result.text


def test_a_session_enters_once_and_is_given_the_report_again_where_it_asks(scope: Scope) -> None:
    first = call_tool(scope, "enter", {}).text
    assert call_tool(scope, "enter", {}).text == (
        'Session s1 has entered already; enter {"again": true} gives the report once more.\n'
    )
    again = call_tool(scope, "enter", {"again": True}).text
    assert again.replace(", once more", "", 1) == first


def test_who_names_no_session_is_told_the_new_one(tmp_path: Path) -> None:
    scope = world(tmp_path)._replace(session=None)
    last = call_tool(scope, "enter", {}).text.rstrip().splitlines()[-1]
    message, _, session = last.rstrip(".").partition("SKILLBAG_SESSION=")
    assert message == "The session is new; later calls belong to it with "
    assert call_tool(scope._replace(session=session), "refresh", {}).text == "Nothing has changed.\n"


def test_what_must_be_asked_at_entry_makes_it_a_question(tmp_path: Path) -> None:
    bag(
        tmp_path,
        {"cook": "Cooks. #run/always"},
        {
            "CONTEXT.md": context(
                "dependencies:\n  - {name: lemon, version: v1.0.0, source: https://example.com/Org/skills.git}"
            )
        },
    )
    result = call_tool(Scope(str(tmp_path), None, "s1"), "enter", {})
    assert result.asks
    assert "## Missing skills: ask the user, who runs: skillbag install\n\n- lemon" in result.text
    order = "## Run in this order, once what is asked is answered\n\n- cook: ask first, as said below"
    assert order in result.text


def test_a_refresh_tells_what_has_changed_and_counts_as_told(scope: Scope, tmp_path: Path) -> None:
    call_tool(scope, "enter", {})
    write(tmp_path, {"USER_CONTEXT.md": context("parameters: {'*': {language: en}}")})
    message = "New: USER_CONTEXT.md\nRead now, before relying on it: USER_CONTEXT.md\n"
    assert call_tool(scope, "refresh", {}).text == message
    assert call_tool(scope, "refresh", {}).text == "Nothing has changed.\n"
    chosen = call_tool(scope, "refresh", {"skills": ["convert"]}).text
    assert chosen == "Read now, before relying on it: .skills/convert/SKILL.md\n"


@pytest.mark.parametrize("session", [None, "s1"])
def test_a_refresh_without_entry_tells_to_call_enter(tmp_path: Path, session: str | None) -> None:
    scope = world(tmp_path)._replace(session=session)
    with pytest.raises(UserError, match=r"^This session has not entered the workspace: call enter first"):
        call_tool(scope, "refresh", {})


@each_row(("tool", "arguments"), [("enter", {}), ("refresh", {}), ("remember", {"name": "language", "value": "en"})])
def test_outside_of_a_workspace_there_is_nothing_to_enter(tool: str, arguments: dict[str, str]) -> None:
    with pytest.raises(NoWorkspaceError, match="no workspace is here"):
        call_tool(Scope(None, None, "s1"), tool, arguments)


# Inputs.


def test_resolve_gives_what_the_command_gives(scope: Scope, tmp_path: Path, run: Run) -> None:
    result = call_tool(
        scope, "resolve", {"skill": "convert", "inputs": {"format": "pdf"}, "prohibits": ["language=de"]}
    )
    _, values = call(run, tmp_path, "resolve", "convert", "--set", "format=pdf", "--prohibit", "language=de")
    assert result.value == {key: values[key] for key in values if key not in ("version", "command", "exit")}
    assert not result.asks
    Draft202012Validator(find_tool(scope, "resolve").result).validate(result.value)


def test_the_questions_of_resolve_are_answered_by_tools(tmp_path: Path) -> None:
    result = call_tool(world(tmp_path), "resolve", {"skill": "convert"})
    assert result.asks
    assert isinstance(result.value, dict)
    question = result.value["questions"][0]
    assert question["answer"] == 'call the skill\'s tool with this among its inputs: {"format": VALUE}'
    schema = json.loads((PROJECT / "schemas/lifecycle.schema.json").read_text("utf-8"))
    whole = {"version": 1, "command": "resolve", "exit": 3, **result.value}
    Draft202012Validator(schema).validate(whole)


def test_the_inputs_of_a_personal_skill_are_resolved_without_a_workspace(tmp_path: Path) -> None:
    write(tmp_path, {"some/skill.md": skill_md("convert", "Converts.", parameters(FORMAT))})
    result = call_tool(Scope(None, str(tmp_path)), "resolve", {"skill": "convert", "inputs": {"format": "pdf"}})
    assert isinstance(result.value, dict)
    assert result.value["skill"] == "convert"
    assert [entry["value"] for entry in result.value["parameters"]] == ["pdf", None]


# Remembering.


def test_remember_gives_what_the_command_gives(tmp_path: Path, run: Run) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    result = call_tool(world(one), "remember", {"name": "format", "value": "pdf", "skill": "convert"})
    world(other)
    _, values = call(run, other, "remember", "format=pdf", "--skill", "convert")
    assert result.value == {key: values[key] for key in values if key not in ("version", "command", "exit")}
    assert (one / "USER_CONTEXT.md").read_bytes() == (other / "USER_CONTEXT.md").read_bytes()
    Draft202012Validator(find_tool(world(one), "remember").result).validate(result.value)


@each_row(
    ("value", "written"),
    [(3, "3"), (2.5, "2.5"), (True, "true"), ("true", '"true"'), (["pdf", 1], "[pdf, 1]"), ("a: b", '"a: b"')],
)
def test_a_value_keeps_its_type(tmp_path: Path, value: object, written: str) -> None:
    call_tool(world(tmp_path), "remember", {"name": "size", "value": value, "explicit": True})
    text = (tmp_path / "USER_CONTEXT.md").read_text("utf-8")
    assert f"size: {written}\n" in text or f"size: {written}\n".replace('"', "'") in text


def test_what_rarely_lasts_is_refused_unless_the_user_asks_for_it(tmp_path: Path) -> None:
    scope, arguments = world(tmp_path), {"name": "feed", "value": "https://example.com/news"}
    with pytest.raises(UserError, match=r"nothing was written; `explicit` keeps it anyway$"):
        call_tool(scope, "remember", arguments)
    assert not (tmp_path / "USER_CONTEXT.md").exists()
    call_tool(scope, "remember", {**arguments, "explicit": True})
    assert "https://example.com/news" in (tmp_path / "USER_CONTEXT.md").read_text("utf-8")


def test_a_secret_is_never_kept_and_never_repeated(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        call_tool(world(tmp_path), "remember", {"name": "note", "value": TOKEN, "explicit": True})
    assert TOKEN not in str(caught.value)
    assert not (tmp_path / "USER_CONTEXT.md").exists()
