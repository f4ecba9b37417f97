"""Input Resolution: which value counts, what it hides, and what must be asked before a skill runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag import Session, open_workspace
from skillbag.lifecycle.answers import BadAnswerError
from tests.lifecycle.parameters import asked, block, effective, hidden, make, origins, resolve
from tests.support import Tree

_FORMAT = "optional:\n  - name: format\n    default: html\n"
_SAYS = "parameters: {convert: {format: %s}}"


@pytest.mark.proves("inputs", "precedence.order", "inputs.order")
def test_each_level_hides_the_lower_ones(tmp_path: Path) -> None:
    root = make(tmp_path, _FORMAT, context=_SAYS % "c", user=_SAYS % "u", entrypoint=_SAYS % "e")
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
    texts = block(_SAYS % "first") + block(_SAYS % "second") + block(_SAYS % "third")
    resolution = resolve(make(tmp_path, _FORMAT, files={"CONTEXT.md": texts}))
    assert (effective(resolution), origins(resolution)) == ({"format": "third"}, {"format": "CONTEXT.md:14"})
    assert hidden(resolution, "format") == [
        ("second", "context", ""), ("first", "context", ""), ("html", "skill", ""),
    ]  # fmt: skip


@pytest.mark.proves("inputs", "precedence.last-wins")
def test_a_skill_by_its_name_counts_more_than_every_skill_even_if_that_comes_last(tmp_path: Path) -> None:
    texts = block(_SAYS % "own") + block('parameters: {"*": {format: all}}')
    resolution = resolve(make(tmp_path, _FORMAT, files={"CONTEXT.md": texts}))
    assert effective(resolution) == {"format": "own"}
    assert hidden(resolution, "format") == [("all", "context", ""), ("html", "skill", "")]


@pytest.mark.proves("inputs", "precedence.order")
def test_the_level_counts_more_than_the_name(tmp_path: Path) -> None:
    root = make(tmp_path, _FORMAT, context=_SAYS % "own", user='parameters: {"*": {format: all}}')
    assert effective(resolve(root)) == {"format": "all"}


def test_what_is_said_of_other_skills_concerns_nobody_here(tmp_path: Path) -> None:
    context = "parameters: {converter: {format: pdf}}\nprohibit: {parameters: {converter: {format: html}}}"
    resolution = resolve(make(tmp_path, _FORMAT, context=context))
    assert (effective(resolution), hidden(resolution, "format")) == ({"format": "html"}, [])
    assert resolution.remarks == ()


@pytest.mark.parametrize("nothing", ["null", "~", ""])
@pytest.mark.proves("inputs", "precedence.last-wins")
def test_null_takes_back_what_the_same_file_said_and_no_more(tmp_path: Path, nothing: str) -> None:
    user = block(_SAYS % "u") + block(f"parameters:\n  convert:\n    format: {nothing}")
    root = make(tmp_path, _FORMAT, context=_SAYS % "c", files={"USER_CONTEXT.md": user})
    resolution = resolve(root)
    assert effective(resolution) == {"format": "c"}
    assert hidden(resolution, "format") == [
        ("u", "user-context", "taken back by USER_CONTEXT.md:11"), ("html", "skill", ""),
    ]  # fmt: skip


@pytest.mark.proves("inputs", "precedence.last-wins")
def test_what_was_taken_back_can_be_given_again(tmp_path: Path) -> None:
    user = block(_SAYS % "null") + block(_SAYS % "u")
    assert effective(resolve(make(tmp_path, _FORMAT, files={"USER_CONTEXT.md": user}))) == {"format": "u"}


def test_null_for_a_skill_takes_back_what_is_said_of_every_skill(tmp_path: Path) -> None:
    user = block('parameters: {"*": {format: u}}') + block(_SAYS % "null")
    assert effective(resolve(make(tmp_path, _FORMAT, files={"USER_CONTEXT.md": user}))) == {"format": "html"}


def test_null_of_the_conversation_says_nothing(tmp_path: Path) -> None:
    root = make(tmp_path, _FORMAT)
    assert effective(resolve(root, "format=pdf", "format=null")) == {"format": "html"}
    assert effective(resolve(root, values={"format": None})) == {"format": "html"}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_a_prohibited_value_falls_to_the_next_level_and_says_why(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _FORMAT,
        user="prohibit: {parameters: {convert: {format: docx}}}",
        context=_SAYS % "docx",
        entrypoint=_SAYS % "odt",
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
        files={"CONTEXT.md": block(_SAYS % "pdf") + block(_SAYS % "docx")},
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
    root = make(tmp_path / "up", _FORMAT, context=bar, user=_SAYS % "pdf", entrypoint=bar)
    assert effective(resolve(root)) == {"format": "pdf"}
    assert effective(resolve(root, "format=html")) == {"format": "html"}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_each_level_can_prohibit_what_the_skill_would_take(tmp_path: Path) -> None:
    bar = "prohibit: {parameters: {convert: {format: html}}}"
    for number, files in enumerate(({"user": bar}, {"context": bar}, {"entrypoint": bar})):
        root = make(tmp_path / str(number), _FORMAT, **files)  # type: ignore[arg-type]
        assert effective(resolve(root)) == {}
        assert resolve(root).ready
    root = make(tmp_path / "said", _FORMAT, context=_SAYS % "html")
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
        context=_SAYS % "docx",
    )
    resolution = resolve(root)
    assert asked(resolution) == [("missing", "format")]
    assert "docx (CONTEXT.md:4) is prohibited by USER_CONTEXT.md:4" in resolution.questions[0].text


@pytest.mark.proves("inputs", "precedence.conversation-supplies", "inputs.required", "inputs.ask")
def test_a_required_value_that_nobody_gives_is_asked_for_until_the_conversation_gives_it(tmp_path: Path) -> None:
    root = make(
        tmp_path, "required:\n  - name: format\n    description: The format to write\n    values: [pdf, html]\n"
    )
    resolution = resolve(root)
    assert asked(resolution) == [("missing", "format")]
    question = resolution.questions[0]
    assert question.text == "convert needs format (The format to write), and nothing gives a value"
    assert [one.value for one in question.candidates] == ["pdf", "html"]
    assert (question.clause, question.answer) == ("inputs.required", "--set format=VALUE")
    assert str(question.place) == ".skills/convert/SKILL.md:12"
    answered = resolve(root, "format=pdf")
    assert answered.ready
    assert effective(answered) == {"format": "pdf"}


@pytest.mark.proves("inputs", "inputs.required")
def test_a_default_does_not_satisfy_a_requirement(tmp_path: Path) -> None:
    resolution = resolve(make(tmp_path, "required: [{name: format, default: pdf}]"))
    assert asked(resolution) == [("missing", "format")]


@pytest.mark.proves("inputs", "inputs.required")
def test_blank_text_does_not_satisfy_a_requirement_and_hides_what_is_below(tmp_path: Path) -> None:
    root = make(tmp_path, "required: [{name: format}]", user=_SAYS % "'  '", context=_SAYS % "pdf")
    resolution = resolve(root)
    assert asked(resolution) == [("missing", "format")]
    assert "what USER_CONTEXT.md:4 gives is blank" in resolution.questions[0].text
    assert "what the conversation gives is blank" in resolve(root, "format=").questions[0].text
    for given in ("0", "false", "[]"):
        assert resolve(root, f"format={given}").ready


def test_blank_text_is_enough_where_nothing_is_required(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: size, type: number, values: [1, 2], default: ''}]")
    assert resolve(root).ready


_CONDITIONAL = """
required:
  - name: input-path
optional:
  - name: format
    default: html
  - name: page-size
    required-if: {format: [pdf, ps], input-path: "*"}
    values: [A4, letter]
"""


@pytest.mark.proves("inputs", "inputs.conditional")
def test_a_conditional_requirement_is_judged_by_the_values_that_count(tmp_path: Path) -> None:
    root = make(tmp_path, _CONDITIONAL, context='parameters: {"*": {format: pdf}}')
    resolution = resolve(root, "input-path=a.md")
    assert asked(resolution) == [("condition", "page-size")]
    question = resolution.questions[0]
    assert (
        question.text == "convert needs page-size since format is pdf and input-path is a.md, and nothing gives a value"
    )
    assert [one.value for one in question.candidates] == ["A4", "letter"]
    assert question.clause == "inputs.conditional"
    assert [one.required for one in resolution.inputs] == [True, False, True]
    assert resolve(root, "input-path=a.md", "page-size=A4").ready
    unmet = resolve(root, "input-path=a.md", "format=html")
    assert unmet.ready
    assert [one.required for one in unmet.inputs] == [True, False, False]


@pytest.mark.proves("inputs", "inputs.conditional")
def test_all_conditions_have_to_hold_and_no_value_holds_none(tmp_path: Path) -> None:
    root = make(tmp_path, _CONDITIONAL)
    assert asked(resolve(root, "format=pdf")) == [("missing", "input-path")]
    assert asked(resolve(root, "format=ps", "input-path=")) == [("missing", "input-path")]
    assert asked(resolve(root, "format=[html, ps]", "input-path=a.md")) == [("condition", "page-size")]
    assert asked(resolve(root, "format=ps", "input-path=a.md", "page-size= ")) == [("condition", "page-size")]


@pytest.mark.proves("inputs", "inputs.conditional", "inputs.rerun")
def test_a_value_that_is_found_can_meet_a_condition(tmp_path: Path) -> None:
    text = 'optional:\n  - {name: source, discover: "*.csv"}\n  - {name: separator, required-if: {source: "*"}}'
    root = make(tmp_path, text)
    assert resolve(root).ready
    (root / "a.csv").write_text("")
    assert asked(resolve(root)) == [("condition", "separator")]


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
        assert asked(resolution) == [("invalid", "given")], text
        assert resolution.questions[0].clause == "inputs.report-kind"


def test_the_type_is_said_in_words_with_the_place_of_the_value(tmp_path: Path) -> None:
    text = "optional:\n  - {name: count, type: number}\n  - {name: draft, type: boolean}\n  - {name: parts, type: list}"
    root = make(tmp_path, text, context='parameters: {convert: {count: "5", draft: yes, parts: a}}')
    assert [(one.text, str(one.place)) for one in resolve(root).questions] == [
        ("count is 5, which is text, not a number; what is it to be?", "CONTEXT.md:4"),
        ("draft is yes, which is text, not true or false; what is it to be?", "CONTEXT.md:4"),
        ("parts is a, which is text, not a list (such as `[a, b]`); what is it to be?", "CONTEXT.md:4"),
    ]
    assert [one.value for one in resolve(root).questions[1].candidates] == [True, False]
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
    assert asked(resolve(root, values={"version": ["a"]})) == [("invalid", "version")]
    assert effective(resolve(root, prohibits=["version=007"])) == {"version": "1.10", "free": 1.1}
    assert effective(resolve(root, prohibits=["version=7"]))["version"] == "007"


@pytest.mark.proves("inputs", "inputs.ask", "inputs.report-kind")
def test_a_value_that_is_none_of_those_allowed_is_asked_about(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: format, values: [pdf, 1.10, true], default: pdf}]", user=_SAYS % "docx")
    resolution = resolve(root)
    assert asked(resolution) == [("invalid", "format")]
    question = resolution.questions[0]
    assert question.text == "format is docx, which is none of the values that it may have; what is it to be?"
    assert [one.written for one in question.candidates] == ["pdf", "1.10", "true"]
    assert str(question.place) == "USER_CONTEXT.md:4"
    for good in ("pdf", "1.1", '"1.10"', "true", "[pdf, true]"):
        assert resolve(root, f"format={good}").ready, good
    for bad in ("PDF", "1", "[pdf, docx]"):
        assert asked(resolve(root, f"format={bad}")) == [("invalid", "format")], bad


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
def test_a_risky_value_is_confirmed_whoever_gives_it(tmp_path: Path) -> None:
    root = make(tmp_path, _RISKY, context="parameters: {convert: {target: production}}")
    resolution = resolve(root)
    assert asked(resolution) == [("confirm", "target")]
    question = resolution.questions[0]
    assert question.text == "convert asks before it runs with target = production; go on?"
    assert (question.answer, question.clause) == ("--set confirm=target", "inputs.ask")
    assert resolve(root, "confirm=target").ready
    assert resolve(root, "target=test").ready
    assert asked(resolve(root, "target=[test, staging]")) == [("confirm", "target")]
    assert asked(resolve(root, "target=test", "force=true", "message=hello")) == [
        ("confirm", "force"), ("confirm", "message"),
    ]  # fmt: skip
    assert resolve(root, "target=test", "force=false").ready


@pytest.mark.proves("inputs", "inputs.ask", "inputs.rerun")
def test_confirmations_add_up_and_come_from_the_conversation_alone(tmp_path: Path) -> None:
    risks = ("target=staging", "force=true", "message=hello")
    root = make(tmp_path, _RISKY, user="parameters: {convert: {confirm: [target, force, message]}}")
    assert len(resolve(root, *risks).questions) == 3
    assert asked(resolve(root, *risks, "confirm=target", "confirm=message")) == [("confirm", "force")]
    assert resolve(root, *risks, "confirm=[target, force, message]").ready
    assert resolve(root, *risks, values={"confirm": ["target", "force", "message"]}).ready
    assert [remark.text for remark in resolve(root).remarks] == ["convert has no parameter confirm; this has no effect"]


@pytest.mark.proves("inputs", "inputs.ask")
def test_a_skill_that_asks_first_does_so_whatever_its_inputs(tmp_path: Path) -> None:
    root = make(tmp_path, "confirm: |\n  Everybody can\n  read it\nrequired: [{name: format}]")
    resolution = resolve(root)
    assert asked(resolution) == [("missing", "format"), ("confirm", "convert")]
    assert resolution.questions[1].text == "convert asks before it runs: Everybody can read it; go on?"
    assert resolution.questions[1].answer == "--set confirm=convert"
    assert str(resolution.questions[1].place) == ".skills/convert/SKILL.md:11"
    assert resolve(root, "format=pdf", "confirm=convert").ready


def test_a_skill_without_risks_may_have_a_parameter_named_confirm(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: confirm}]")
    assert effective(resolve(root, "confirm=yes")) == {"confirm": "yes"}


@pytest.mark.proves("inputs", "inputs.ask")
def test_an_invalid_value_is_mended_before_its_risk_is_accepted(tmp_path: Path) -> None:
    root = make(tmp_path, 'optional: [{name: target, values: [test, live], confirm: "*"}]')
    assert asked(resolve(root, "target=production")) == [("invalid", "target")]
    assert asked(resolve(root, "target=live")) == [("confirm", "target")]


@pytest.mark.proves("inputs", "inputs.rerun")
def test_an_answer_resolves_everything_anew(tmp_path: Path) -> None:
    root = make(tmp_path, _CONDITIONAL)
    assert asked(resolve(root)) == [("missing", "input-path")]
    # The answer makes a condition hold, and in between somebody has changed the project's context.
    (root / "CONTEXT.md").write_text(block("parameters: {convert: {format: ps}}"))
    assert asked(resolve(root, "input-path=a.md")) == [("condition", "page-size")]
    (root / "CONTEXT.md").write_text(block("parameters: {convert: {format: ps, page-size: A5}}"))
    assert asked(resolve(root, "input-path=a.md")) == [("invalid", "page-size")]
    assert effective(resolve(root, "input-path=a.md", "page-size=A4")) == {
        "input-path": "a.md", "format": "ps", "page-size": "A4",
    }  # fmt: skip


@pytest.mark.proves("inputs", "inputs.report-kind")
def test_every_problem_of_an_input_is_told_at_once_and_as_one(tmp_path: Path) -> None:
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
    assert asked(resolution) == [
        ("missing", "a"), ("ambiguous", "b"), ("condition", "c"), ("invalid", "e"), ("confirm", "f"),
    ]  # fmt: skip
    assert not resolution.ready


@pytest.mark.proves("inputs", "inputs.before-run")
def test_a_skill_whose_inputs_leave_a_question_does_not_run(tmp_path: Path) -> None:
    session = Session(open_workspace(str(make(tmp_path, "required: [{name: format}]"))))
    invocation = session.run("convert").invocation
    assert (invocation.instructions, asked(invocation.resolution)) == ("", [("missing", "format")])
    ran = session.run("convert", says=["format=pdf"]).invocation
    assert ran.instructions.startswith("Convert it.")
    assert effective(ran.resolution) == {"format": "pdf"}


def test_settings_of_parameters_that_there_are_not_are_remarked_upon(tmp_path: Path) -> None:
    context = """
parameters: {convert: {formt: pdf, persist-nonsecret-parameters: false}, "*": {anything: 1}}
prohibit: {parameters: {convert: {fromat: docx}, "*": {other: 1}}}
"""
    resolution = resolve(make(tmp_path, _FORMAT, context=context))
    assert [(str(one.place), one.text) for one in resolution.remarks] == [
        ("CONTEXT.md:4", "convert has no parameter formt; this has no effect"),
        ("CONTEXT.md:5", "convert has no parameter fromat; this has no effect"),
    ]
    assert resolution.ready


def test_values_of_the_conversation_come_as_text_and_as_plain_values(tmp_path: Path) -> None:
    root = make(tmp_path, "optional:\n  - {name: a}\n  - {name: b}\n  - {name: c, type: string}")
    plain = {"a": [1, "x", {"y": None}], "b": 1.5, "c": "plain"}
    assert effective(resolve(root, values=plain)) == plain
    said = resolve(root, "a=first", "b= [x, 1.10]", "a=last", "c=[draft] 1", values=plain)
    assert effective(said) == {"a": "last", "b": ["x", 1.1], "c": "[draft] 1"}
    assert effective(resolve(root, "c=[draft]")) == {"c": "[draft]"}
    assert effective(resolve(root, "a=b=c", "b==")) == {"a": "b=c", "b": "="}


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("format", "--set format: write --set NAME=VALUE"),
        ("=pdf", "--set =pdf: write --set NAME=VALUE"),
        ("", '--set "": write --set NAME=VALUE'),
        ("inputpath=a", "convert has no parameter inputpath (did you mean input-path?); it has input-path, format"),
        ("input_path=a", "convert has no parameter input_path (did you mean input-path?); it has input-path, format"),
        ("qq=a", "convert has no parameter qq; it has input-path, format"),
        ("*=a", "convert has no parameter *; it has input-path, format"),
        ("__proto__=a", "convert has no parameter __proto__; it has input-path, format"),
        ("confirm=yes", "yes: convert has no such risk to accept; confirm takes format, convert"),
    ],
)
def test_an_answer_that_fits_nothing_is_refused_in_a_sentence(tmp_path: Path, says: str, message: str) -> None:
    root = make(tmp_path, "confirm: why\nrequired: [{name: input-path}]\noptional: [{name: format, confirm: pdf}]")
    with pytest.raises(BadAnswerError) as refusal:
        resolve(root, says)
    assert str(refusal.value) == message
    if "confirm" not in says:
        with pytest.raises(BadAnswerError) as refusal:
            resolve(root, prohibits=[says])
        assert str(refusal.value) == message.replace("--set", "--prohibit")


def test_answers_that_are_not_plain_are_refused(tmp_path: Path) -> None:
    root = make(tmp_path, "optional: [{name: a}]")
    with pytest.raises(BadAnswerError, match="the value of a can't be taken"):
        resolve(root, values={"a": object()})
    with pytest.raises(BadAnswerError, match="convert has no parameter b"):
        resolve(root, values={"b": 1})
    with pytest.raises(BadAnswerError, match="it asks before nothing"):
        resolve(root, "confirm=a-risk")
    with pytest.raises(BadAnswerError, match="convert has no parameter a; it has none"):
        resolve(make(tmp_path / "none", "optional: []"), "a=1")


def test_a_skill_without_parameters_is_ready(tmp_path: Path, tree: Tree) -> None:
    root = make(tmp_path, "")
    assert resolve(root).inputs == ()
    assert resolve(root).ready


def test_odd_names_and_values_are_names_and_values(tmp_path: Path) -> None:
    names = ["*", "__proto__", "constructor", "größe", "a b", "[x]", "1.10", "null", "💥", "a\\x1b[31m"]
    text = "optional:\n" + "".join(f'  - name: "{name}"\n' for name in names)
    given = "".join(f'    "{name}": "\\u202e{name}"\n' for name in names)
    root = make(tmp_path, text, context=f"parameters:\n  convert:\n{given}")
    plain = [name.replace("\\x1b", "\x1b") for name in names]
    assert effective(resolve(root)) == {name: f"\u202e{name}" for name in plain}
    assert effective(resolve(root, *(f"{name}=1" for name in plain))) == dict.fromkeys(plain, 1)


@pytest.mark.parametrize("size", [10_000])
def test_enormous_declarations_and_settings_are_resolved(tmp_path: Path, size: int) -> None:
    """What would take minutes if each parameter were compared with each setting, or each item with each value."""
    numbers = ", ".join(f"v{number}" for number in range(size))
    text = f"optional:\n  - {{name: big, values: [{numbers}], default: [{numbers}]}}\n" + "".join(
        f"  - name: p{number}\n" for number in range(size)
    )
    settings = "".join(f"    p{number}: {number}\n" for number in range(size))
    bars = ", ".join(f"w{number}" for number in range(size))
    context = f"parameters:\n  convert:\n{settings}\nprohibit: {{parameters: {{convert: {{big: [{bars}]}}}}}}"
    resolution = resolve(make(tmp_path, text, context=context))
    assert resolution.ready
    assert len(resolution.inputs) == size + 1
    assert resolution.values["p777"].value == 777
