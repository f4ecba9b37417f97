"""What is asked before a skill runs: how a value is named, which are allowed, and which are risky."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.parameters import SAYS, effective, hidden, make, requested, resolve


def test_a_question_names_the_type_and_the_place_of_the_value(tmp_path: Path) -> None:
    text = "optional:\n  - {name: count, type: number}\n  - {name: draft, type: boolean}\n  - {name: parts, type: list}"
    root = make(tmp_path, text, context='parameters: {convert: {count: "5", draft: yes, parts: a}}')
    assert [(item.text, str(item.place)) for item in resolve(root).questions] == [
        ("count is 5, which is text, not a number; which value should it have?", "CONTEXT.md:4"),
        ("draft is yes, which is text, not true or false; which value should it have?", "CONTEXT.md:4"),
        ("parts is a, which is text, not a list (such as `[a, b]`); which value should it have?", "CONTEXT.md:4"),
    ]
    assert [candidate.value for candidate in resolve(root).questions[1].candidates] == [True, False]
    assert str(resolve(root, "count=x").questions[0].place) == ".skills/convert/SKILL.md:12"


def test_a_parameter_of_text_takes_numbers_as_they_are_written(tmp_path: Path) -> None:
    text = "optional:\n  - {name: version, type: string, default: 1.10}\n  - {name: free, default: 1.10}"
    root = make(tmp_path, text, context="parameters: {convert: {version: 007}}")
    resolution = resolve(root)
    assert effective(resolution) == {"version": "007", "free": 1.1}
    assert resolution.values["free"].written == "1.10"
    assert hidden(resolution, "version") == [("1.10", "skill", "")]
    assert effective(resolve(root, "version=true", "free=true")) == {"version": "true", "free": True}
    assert effective(resolve(root, values={"version": 2, "free": 2})) == {"version": "2", "free": 2}
    assert requested(resolve(root, values={"version": ["a"]})) == [("invalid", "version")]
    assert effective(resolve(root, prohibits=["version=007"])) == {"version": "1.10", "free": 1.1}
    assert effective(resolve(root, prohibits=["version=7"]))["version"] == "007"


@pytest.mark.proves("inputs", "inputs.ask", "inputs.report-kind")
def test_a_value_that_is_none_of_those_allowed_is_asked_about(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: format, values: [pdf, 1.10, true], default: pdf}]", user=SAYS % "docx")
    resolution = resolve(root)
    assert requested(resolution) == [("invalid", "format")]
    question = resolution.questions[0]
    assert question.text == "format is docx, which is not one of its allowed values; which value should it have?"
    assert [candidate.written for candidate in question.candidates] == ["pdf", "1.10", "true"]
    assert str(question.place) == "USER_CONTEXT.md:4"
    for good in ("pdf", "1.1", '"1.10"', "true", "[pdf, true]"):
        assert resolve(root, f"format={good}").ready, good
    for bad in ("PDF", "1", "[pdf, docx]"):
        assert requested(resolve(root, f"format={bad}")) == [("invalid", "format")], bad


_RISKY = """
optional:
  - name: target
    confirm: [production, staging]
    default: test
  - name: force
    confirm: true
    type: boolean
  - name: message
    confirm: "*"
"""


@pytest.mark.proves("inputs", "inputs.ask")
def test_a_risky_value_of_any_level_is_confirmed(tmp_path: Path) -> None:
    root = make(tmp_path, _RISKY, context="parameters: {convert: {target: production}}")
    resolution = resolve(root)
    assert requested(resolution) == [("confirm", "target")]
    question = resolution.questions[0]
    assert question.text == "convert asks before it runs with target = production; go on?"
    assert (question.answer, question.clause) == ("--set confirm=target", "inputs.ask")
    assert resolve(root, "confirm=target").ready
    assert resolve(root, "target=test").ready
    assert requested(resolve(root, "target=[test, staging]")) == [("confirm", "target")]
    assert requested(resolve(root, "target=test", "force=true", "message=hello")) == [
        ("confirm", "force"), ("confirm", "message"),
    ]  # fmt: skip
    assert resolve(root, "target=test", "force=false").ready


@pytest.mark.proves("inputs", "inputs.ask", "inputs.rerun")
def test_confirmations_add_up_and_come_from_the_conversation_alone(tmp_path: Path) -> None:
    risks = ("target=staging", "force=true", "message=hello")
    root = make(tmp_path, _RISKY, user="parameters: {convert: {confirm: [target, force, message]}}")
    assert len(resolve(root, *risks).questions) == 3
    assert requested(resolve(root, *risks, "confirm=target", "confirm=message")) == [("confirm", "force")]
    assert resolve(root, *risks, "confirm=[target, force, message]").ready
    assert resolve(root, *risks, values={"confirm": ["target", "force", "message"]}).ready
    assert [remark.text for remark in resolve(root).remarks] == ["convert has no parameter confirm; this has no effect"]


@pytest.mark.proves("inputs", "inputs.ask")
def test_a_skill_that_asks_first_does_so_whatever_its_inputs(tmp_path: Path) -> None:
    root = make(tmp_path, "confirm: |\n  Everybody can\n  read it\nrequired: [{name: format}]")
    resolution = resolve(root)
    assert requested(resolution) == [("missing", "format"), ("confirm", "convert")]
    assert resolution.questions[1].text == "convert asks before it runs: Everybody can read it; go on?"
    assert resolution.questions[1].answer == "--set confirm=convert"
    assert str(resolution.questions[1].place) == ".skills/convert/SKILL.md:11"
    assert resolve(root, "format=pdf", "confirm=convert").ready


def test_a_skill_without_risks_may_have_a_parameter_named_confirm(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: confirm}]")
    assert effective(resolve(root, "confirm=yes")) == {"confirm": "yes"}


@pytest.mark.proves("inputs", "inputs.ask")
def test_an_invalid_value_is_asked_about_before_its_risk(tmp_path: Path) -> None:
    root = make(tmp_path, 'optional: [{name: target, values: [test, live], confirm: "*"}]')
    assert requested(resolve(root, "target=production")) == [("invalid", "target")]
    assert requested(resolve(root, "target=live")) == [("confirm", "target")]
