"""Input Resolution: which value counts, what it hides, what may not be taken, and what an answer changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag import Session, open_workspace
from tests.session.parameters import CONDITIONAL, SAYS, block, effective, hidden, make, origins, requested, resolve

_FORMAT = "optional:\n  - name: format\n    default: html\n"


@pytest.mark.proves("inputs", "precedence.order", "inputs.order")
def test_each_level_hides_the_lower_ones(tmp_path: Path) -> None:
    root = make(tmp_path, _FORMAT, context=SAYS % "c", user=SAYS % "u", entrypoint=SAYS % "e")
    all_but_conversation = [
        ("u", "user-context", ""),
        ("c", "context", ""),
        ("e", "entrypoint", ""),
        ("html", "skill", ""),
    ]
    said = resolve(root, "format=said")
    assert (effective(said), origins(said)) == ({"format": "said"}, {"format": "conversation"})
    assert hidden(said, "format") == all_but_conversation
    rest = resolve(root)
    assert (effective(rest), origins(rest)) == ({"format": "u"}, {"format": "USER_CONTEXT.md:4"})
    assert hidden(rest, "format") == all_but_conversation[1:]
    (root / "USER_CONTEXT.md").unlink()
    assert origins(resolve(root)) == {"format": "CONTEXT.md:4"}
    (root / "CONTEXT.md").unlink()
    assert origins(resolve(root)) == {"format": "SKILLBAG.md:5"}
    (root / "SKILLBAG.md").write_text("SkillBag v0.3.0\n")
    last = resolve(root)
    assert (effective(last), origins(last)) == ({"format": "html"}, {"format": ".skills/convert/SKILL.md:13"})
    assert hidden(last, "format") == []


@pytest.mark.proves("inputs", "precedence.last-wins")
def test_within_a_file_the_last_definition_counts_and_hides_the_others(tmp_path: Path) -> None:
    texts = block(SAYS % "first") + block(SAYS % "second") + block(SAYS % "third")
    resolution = resolve(make(tmp_path, _FORMAT, files={"CONTEXT.md": texts}))
    assert (effective(resolution), origins(resolution)) == ({"format": "third"}, {"format": "CONTEXT.md:14"})
    assert hidden(resolution, "format") == [
        ("second", "context", ""), ("first", "context", ""), ("html", "skill", ""),
    ]  # fmt: skip


@pytest.mark.proves("inputs", "precedence.last-wins")
def test_a_skill_by_its_name_counts_more_than_every_skill_even_if_that_comes_last(tmp_path: Path) -> None:
    texts = block(SAYS % "own") + block('parameters: {"*": {format: all}}')
    resolution = resolve(make(tmp_path, _FORMAT, files={"CONTEXT.md": texts}))
    assert effective(resolution) == {"format": "own"}
    assert hidden(resolution, "format") == [("all", "context", ""), ("html", "skill", "")]


def test_settings_of_other_skills_have_no_effect(tmp_path: Path) -> None:
    context = "parameters: {converter: {format: pdf}}\nprohibit: {parameters: {converter: {format: html}}}"
    resolution = resolve(make(tmp_path, _FORMAT, context=context))
    assert (effective(resolution), hidden(resolution, "format")) == ({"format": "html"}, [])
    assert resolution.remarks == ()


@pytest.mark.parametrize("nothing", ["null", "~", ""])
@pytest.mark.proves("inputs", "precedence.last-wins")
def test_null_unsets_values_of_the_same_file_only(tmp_path: Path, nothing: str) -> None:
    user = block(SAYS % "u") + block(f"parameters:\n  convert:\n    format: {nothing}")
    root = make(tmp_path, _FORMAT, context=SAYS % "c", files={"USER_CONTEXT.md": user})
    resolution = resolve(root)
    assert effective(resolution) == {"format": "c"}
    assert hidden(resolution, "format") == [
        ("u", "user-context", "unset by USER_CONTEXT.md:11"), ("html", "skill", ""),
    ]  # fmt: skip


OF_ALL = 'parameters: {"*": {format: all}}'


@pytest.mark.parametrize(
    ("user", "context", "says", "expected"),
    [
        # The level counts more than the name.
        ([OF_ALL], SAYS % "own", [], "all"),
        # What was unset can be set again, and null for a skill unsets what is set for all.
        ([SAYS % "null", SAYS % "u"], None, [], "u"),
        ([OF_ALL, SAYS % "null"], None, [], "html"),
        # Null of the conversation sets nothing.
        ([], None, ["format=pdf", "format=null"], "html"),
    ],
)
@pytest.mark.proves("inputs", "precedence.order", "precedence.last-wins")
def test_the_value_that_counts(
    tmp_path: Path, user: list[str], context: str | None, says: list[str], expected: str
) -> None:
    root = make(tmp_path, _FORMAT, context=context, files={"USER_CONTEXT.md": "".join(map(block, user))})
    assert effective(resolve(root, *says)) == {"format": expected}


def test_a_plain_null_of_the_conversation_sets_nothing(tmp_path: Path) -> None:
    assert effective(resolve(make(tmp_path, _FORMAT), values={"format": None})) == {"format": "html"}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_a_prohibited_value_falls_to_the_next_level_and_says_why(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _FORMAT,
        user="prohibit: {parameters: {convert: {format: docx}}}",
        context=SAYS % "docx",
        entrypoint=SAYS % "odt",
    )
    resolution = resolve(root)
    assert effective(resolution) == {"format": "odt"}
    assert hidden(resolution, "format") == [
        ("docx", "context", "prohibited by USER_CONTEXT.md:4"), ("html", "skill", ""),
    ]  # fmt: skip


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_after_a_prohibited_value_an_earlier_one_of_the_same_file_does_not_come_back(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _FORMAT,
        user='prohibit: {parameters: {"*": {format: docx}}}',
        files={"CONTEXT.md": block(SAYS % "pdf") + block(SAYS % "docx")},
    )
    resolution = resolve(root)
    assert effective(resolution) == {"format": "html"}
    assert [value for value, *_ in hidden(resolution, "format")] == ["docx", "pdf"]


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_a_prohibition_binds_lower_levels_alone(tmp_path: Path) -> None:
    bar = "prohibit: {parameters: {convert: {format: [pdf, html]}}}"
    for named in ("USER_CONTEXT.md", "CONTEXT.md"):
        root = make(tmp_path / named, _FORMAT, files={named: block(f"{bar}\nparameters: {{convert: {{format: pdf}}}}")})
        assert effective(resolve(root)) == {"format": "pdf"}
    root = make(tmp_path / "up", _FORMAT, context=bar, user=SAYS % "pdf", entrypoint=bar)
    assert effective(resolve(root)) == {"format": "pdf"}
    assert effective(resolve(root, "format=html")) == {"format": "html"}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_each_level_can_prohibit_what_the_skill_would_take(tmp_path: Path) -> None:
    bar = "prohibit: {parameters: {convert: {format: html}}}"
    for number, files in enumerate(({"user": bar}, {"context": bar}, {"entrypoint": bar})):
        root = make(tmp_path / str(number), _FORMAT, **files)  # type: ignore[arg-type]
        assert effective(resolve(root)) == {}
        assert resolve(root).ready
    root = make(tmp_path / "said", _FORMAT, context=SAYS % "html")
    resolution = resolve(root, prohibits=["format=html"])
    assert effective(resolution) == {}
    assert [why for *_, why in hidden(resolution, "format")] == ["prohibited by the conversation"] * 2
    assert effective(resolve(root, "format=html", prohibits=["format=html"])) == {"format": "html"}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_a_list_with_a_prohibited_value_is_prohibited_as_a_whole(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        "optional: [{name: formats, default: [html, docx, 1.10]}]",
        context="parameters: {convert: {formats: [pdf, html]}}",
    )
    assert effective(resolve(root, prohibits=["formats=[docx, odt]"])) == {"formats": ["pdf", "html"]}
    assert effective(resolve(root, prohibits=["formats=pdf"])) == {"formats": ["html", "docx", 1.1]}
    assert effective(resolve(root, prohibits=["formats=pdf", 'formats="1.10"'])) == {}
    assert effective(resolve(root, prohibits=["formats=[[pdf, html]]"])) == {"formats": ["html", "docx", 1.1]}


@pytest.mark.proves("inputs", "precedence.prohibition", "inputs.required")
def test_a_required_value_that_is_prohibited_is_asked_for(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        "required: [{name: format}]",
        user="prohibit: {parameters: {convert: {format: docx}}}",
        context=SAYS % "docx",
    )
    resolution = resolve(root)
    assert requested(resolution) == [("missing", "format")]
    assert "docx (CONTEXT.md:4) is prohibited by USER_CONTEXT.md:4" in resolution.questions[0].text


@pytest.mark.proves("inputs", "inputs.rerun")
def test_an_answer_resolves_everything_again(tmp_path: Path) -> None:
    root = make(tmp_path, CONDITIONAL)
    assert requested(resolve(root)) == [("missing", "input-path")]
    # The answer makes a condition hold, and in between somebody has changed the project's context.
    (root / "CONTEXT.md").write_text(block("parameters: {convert: {format: ps}}"))
    assert requested(resolve(root, "input-path=a.md")) == [("condition", "page-size")]
    (root / "CONTEXT.md").write_text(block("parameters: {convert: {format: ps, page-size: A5}}"))
    assert requested(resolve(root, "input-path=a.md")) == [("invalid", "page-size")]
    assert effective(resolve(root, "input-path=a.md", "page-size=A4")) == {
        "input-path": "a.md", "format": "ps", "page-size": "A4",
    }  # fmt: skip


@pytest.mark.proves("inputs", "inputs.report-kind")
def test_each_input_has_one_question_and_all_are_asked_at_once(tmp_path: Path) -> None:
    text = """
required:
  - {name: a}
  - {name: b, discover: "*.x"}
optional:
  - {name: c, required-if: {d: 1}}
  - {name: d, default: 1}
  - {name: e, type: number, default: e}
  - {name: f, default: 1, confirm: 1}
"""
    resolution = resolve(make(tmp_path, text, files={"1.x": "", "2.x": ""}))
    assert requested(resolution) == [
        ("missing", "a"), ("ambiguous", "b"), ("condition", "c"), ("invalid", "e"), ("confirm", "f"),
    ]  # fmt: skip
    assert not resolution.ready


@pytest.mark.proves("inputs", "inputs.before-run")
def test_a_skill_whose_inputs_leave_a_question_does_not_run(tmp_path: Path) -> None:
    session = Session(open_workspace(str(make(tmp_path, "required: [{name: format}]"))))
    invocation = session.run("convert").invocation
    assert (invocation.instructions, requested(invocation.resolution)) == ("", [("missing", "format")])
    ran = session.run("convert", says=["format=pdf"]).invocation
    assert ran.instructions.startswith("Convert it.")
    assert effective(ran.resolution) == {"format": "pdf"}
