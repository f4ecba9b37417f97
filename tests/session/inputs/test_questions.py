"""What is asked before a skill runs: missing, conditional and mistyped inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.parameters import CONDITIONAL, SAYS, effective, make, requested, resolve


@pytest.mark.proves("inputs", "precedence.conversation-supplies", "inputs.required", "inputs.ask")
def test_a_missing_required_value_is_asked_for_until_the_conversation_gives_it(tmp_path: Path) -> None:
    root = make(
        tmp_path, "required:\n  - name: format\n    description: The format to write\n    values: [pdf, html]\n"
    )
    resolution = resolve(root)
    assert requested(resolution) == [("missing", "format")]
    question = resolution.questions[0]
    assert question.text == "convert needs format (The format to write), and nothing gives a value"
    assert [candidate.value for candidate in question.candidates] == ["pdf", "html"]
    assert (question.clause, question.answer) == ("inputs.required", "--set format=VALUE")
    assert str(question.place) == ".skills/convert/SKILL.md:12"
    answered = resolve(root, "format=pdf")
    assert answered.ready
    assert effective(answered) == {"format": "pdf"}


@pytest.mark.proves("inputs", "inputs.required")
def test_a_default_does_not_satisfy_a_requirement(tmp_path: Path) -> None:
    resolution = resolve(make(tmp_path, "required: [{name: format, default: pdf}]"))
    assert requested(resolution) == [("missing", "format")]


@pytest.mark.proves("inputs", "inputs.required")
def test_blank_text_does_not_satisfy_a_requirement_and_hides_what_is_below(tmp_path: Path) -> None:
    root = make(tmp_path, "required: [{name: format}]", user=SAYS % "'  '", context=SAYS % "pdf")
    resolution = resolve(root)
    assert requested(resolution) == [("missing", "format")]
    assert "what USER_CONTEXT.md:4 gives is blank" in resolution.questions[0].text
    assert "what the conversation gives is blank" in resolve(root, "format=").questions[0].text
    for given in ("0", "false", "[]"):
        assert resolve(root, f"format={given}").ready


def test_blank_text_is_enough_where_nothing_is_required(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: size, type: number, values: [1, 2], default: ''}]")
    assert resolve(root).ready


@pytest.mark.proves("inputs", "inputs.conditional")
def test_a_conditional_requirement_is_judged_by_the_values_that_count(tmp_path: Path) -> None:
    root = make(tmp_path, CONDITIONAL, context='parameters: {"*": {format: pdf}}')
    resolution = resolve(root, "input-path=a.md")
    assert requested(resolution) == [("condition", "page-size")]
    question = resolution.questions[0]
    assert (
        question.text == "convert needs page-size since format is pdf and input-path is a.md, and nothing gives a value"
    )
    assert [candidate.value for candidate in question.candidates] == ["A4", "letter"]
    assert question.clause == "inputs.conditional"
    assert [input_.required for input_ in resolution.inputs] == [True, False, True]
    assert resolve(root, "input-path=a.md", "page-size=A4").ready
    unmet = resolve(root, "input-path=a.md", "format=html")
    assert unmet.ready
    assert [input_.required for input_ in unmet.inputs] == [True, False, False]


@pytest.mark.proves("inputs", "inputs.conditional")
def test_all_conditions_have_to_hold_and_no_value_holds_none(tmp_path: Path) -> None:
    root = make(tmp_path, CONDITIONAL)
    assert requested(resolve(root, "format=pdf")) == [("missing", "input-path")]
    assert requested(resolve(root, "format=ps", "input-path=")) == [("missing", "input-path")]
    assert requested(resolve(root, "format=[html, ps]", "input-path=a.md")) == [("condition", "page-size")]
    assert requested(resolve(root, "format=ps", "input-path=a.md", "page-size= ")) == [("condition", "page-size")]


@pytest.mark.proves("inputs", "inputs.conditional", "inputs.rerun")
def test_a_value_that_is_found_can_meet_a_condition(tmp_path: Path) -> None:
    text = 'optional:\n  - {name: source, discover: "*.csv"}\n  - {name: separator, required-if: {source: "*"}}'
    root = make(tmp_path, text)
    assert resolve(root).ready
    (root / "a.csv").write_text("")
    assert requested(resolve(root)) == [("condition", "separator")]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("string", ["pdf", "1.10", "true", "[a]", "{a: 1}"], []),
        ("number", ["1", "1.5", "-3", "0x1f"], ["pdf", "true", '"1"', "[1]", ".inf"]),
        ("boolean", ["true", "False"], ["yes", "1", '"true"', "[true]"]),
        ("list", ["[]", "[a, 1]"], ["a", "1", "a, b", "{a: 1}"]),
        ("path", ["a", "1", "[a]"], []),
    ],
)
@pytest.mark.proves("inputs", "inputs.report-kind", "inputs.ask")
def test_a_value_of_another_type_is_asked_about(tmp_path: Path, kind: str, good: list[str], bad: list[str]) -> None:
    root = make(tmp_path, f"optional: [{{name: given, type: {kind}}}]")
    for text in good:
        assert resolve(root, f"given={text}").ready, text
    for text in bad:
        resolution = resolve(root, f"given={text}")
        assert requested(resolution) == [("invalid", "given")], text
        assert resolution.questions[0].clause == "inputs.report-kind"
