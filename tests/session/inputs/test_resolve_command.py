"""`skillbag session resolve`: what a person, an agent and a program are told, and that nothing else is opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rows import each_row
from tests.session.agents import answer, is_one_sentence
from tests.session.parameters import block, make, skill_text
from tests.supply.install.worlds import snapshot
from tests.support import Run

_PARAMETERS = """
required:
  - name: input-path
    discover: "docs/*.md"
optional:
  - name: format
    default: html
    values: [pdf, html, docx]
  - name: page-size
    required-if: {format: pdf}
  - name: version
    default: 1.10
  - name: tone
"""


def world(root: Path, **more: Any) -> Path:
    more.setdefault("context", "parameters: {convert: {format: docx, formt: x}}")
    more.setdefault("user", 'prohibit: {parameters: {"*": {format: docx}}}')
    return make(root, _PARAMETERS, files={"docs/a.md": ""}, **more)


@pytest.mark.proves("inputs", "inputs.order", "precedence.prohibition")
def test_the_text_says_each_value_its_origin_and_what_it_hides(run: Run, tmp_path: Path) -> None:
    outcome = run("resolve", "convert", "--set", "version=2", cwd=world(tmp_path))
    assert (outcome.code, outcome.err) == (0, "")
    expected = """\
convert is ready: skillbag run convert
- input-path = docs/a.md (discovered, .skills/convert/SKILL.md:12)
- format = html (skill, .skills/convert/SKILL.md:16)
    not docx (context, CONTEXT.md:4): prohibited by USER_CONTEXT.md:4
- page-size: no value
- version = 2 (conversation)
    hides 1.10 (skill, .skills/convert/SKILL.md:21)
- tone: no value
Note: CONTEXT.md:4: convert has no parameter formt; this has no effect
"""
    assert outcome.out == expected


@pytest.mark.proves("inputs", "inputs.ask", "inputs.report-kind")
def test_questions_end_with_exit_code_3_and_say_how_to_answer(run: Run, tmp_path: Path) -> None:
    root = world(tmp_path)
    (root / "docs" / "b.md").write_text("")
    outcome = run("resolve", "convert", "--set", "format=pdf", "--prohibit", "version=1.10", cwd=root)
    assert (outcome.code, outcome.err) == (3, "")
    expected = """\
convert can't run yet: 2 questions
- input-path: no value
- format = pdf (conversation)
    not docx (context, CONTEXT.md:4): prohibited by USER_CONTEXT.md:4
    hides html (skill, .skills/convert/SKILL.md:16)
- page-size: no value
- version: no value
    not 1.10 (skill, .skills/convert/SKILL.md:21): prohibited by the conversation
- tone: no value
Ask: 2 files match docs/*.md; which one is input-path? (.skills/convert/SKILL.md:12) [inputs.ask]
  - docs/a.md
  - docs/b.md
  answer: --set input-path=VALUE
Ask: convert needs page-size since format is pdf, and nothing gives a value (.skills/convert/SKILL.md:18) \
[inputs.conditional]
  answer: --set page-size=VALUE
Note: CONTEXT.md:4: convert has no parameter formt; this has no effect
"""
    assert outcome.out == expected
    answered = ("--set", "input-path=docs/b.md", "--set", "page-size=A4")
    again = run("resolve", "convert", "--set", "format=pdf", *answered, cwd=root)
    assert again.code == 0


@pytest.mark.proves("inputs", "inputs.order", "inputs.ask")
def test_the_json_says_the_same_with_types(run: Run, tmp_path: Path) -> None:
    values = answer(run, world(tmp_path), "resolve", "convert", "--set", "format=pdf", "--set", "tone=[a, 007]", code=3)
    place = {"file": ".skills/convert/SKILL.md"}
    assert {key: values[key] for key in ("version", "command", "exit", "skill", "ready")} == {
        "version": 1, "command": "resolve", "exit": 3, "skill": "convert", "ready": False,
    }  # fmt: skip
    by_name = {parameter.pop("name"): parameter for parameter in values["parameters"]}
    assert list(by_name) == ["input-path", "format", "page-size", "version", "tone"]
    assert by_name["input-path"] == {
        "required": True, "value": "docs/a.md", "written": "docs/a.md", "level": "discovered", **place, "line": 12,
        "hidden": [],
    }  # fmt: skip
    assert by_name["format"] == {
        "required": False, "value": "pdf", "written": "pdf", "level": "conversation", "file": None, "line": None,
        "hidden": [
            {
                "value": "docx", "written": "docx", "level": "context", "file": "CONTEXT.md", "line": 4,
                "dropped": "prohibited by USER_CONTEXT.md:4",
            },
            {"value": "html", "written": "html", "level": "skill", **place, "line": 16, "dropped": ""},
        ],
    }  # fmt: skip
    nothing = dict.fromkeys(("value", "written", "level", "file", "line"))
    assert by_name["page-size"] == {"required": True, **nothing, "hidden": []}
    assert (by_name["version"]["value"], by_name["version"]["written"]) == (1.1, "1.10")
    assert (by_name["tone"]["value"], by_name["tone"]["written"]) == (["a", 7], '["a", 007]')
    assert values["questions"] == [
        {
            "kind": "condition", "about": "page-size", "candidates": [], "answer": "--set page-size=VALUE",
            "question": "convert needs page-size since format is pdf, and nothing gives a value",
            "clause": "inputs.conditional", **place, "line": 18,
        }
    ]  # fmt: skip
    assert values["notes"] == [
        {"file": "CONTEXT.md", "line": 4, "text": "convert has no parameter formt; this has no effect"}
    ]


@pytest.mark.proves("inputs", "precedence.conversation-supplies")
def test_inputs_are_read_from_a_file_or_standard_input_below_what_is_set(run: Run, tmp_path: Path) -> None:
    root = world(tmp_path)
    plain = {"input-path": "x.md", "version": [1, {"a": None}], "tone": "t"}
    (root / "inputs.json").write_text(json.dumps(plain))
    outcome = run("resolve", "convert", "--inputs", "inputs.json", "--set", "tone=said", "--json", cwd=root)
    given = {parameter["name"]: parameter["value"] for parameter in json.loads(outcome.out)["parameters"]}
    assert given == {**plain, "format": "html", "page-size": None, "tone": "said"}
    (root / "link.json").symlink_to("inputs.json")
    assert run("resolve", "convert", "--inputs", root / "link.json", cwd=root).code == 0
    piped = run("resolve", "convert", "--inputs", "-", "--json", cwd=root, stdin=b'{"tone": true}')
    assert {parameter["name"]: parameter["value"] for parameter in json.loads(piped.out)["parameters"]}["tone"] is True


@each_row(
    ("data", "words"),
    [
        (b"", "-: not valid JSON: line 1, column 1: Expecting value"),
        (b"{", "-: not valid JSON: line 1"),
        (b'{\n"a": NaN}', "NaN is not a JSON number"),
        (b'{"a": -Infinity}', "-Infinity is not a JSON number"),
        (b"[]", "not a JSON object"),
        (b'{"tone": ["\\ud800"]}', "not valid JSON: a text in it has a lone surrogate"),
        (b"\xff", "not valid JSON"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "not valid JSON: a number in it has 5,000 digits"),
        (b'{"a": "\xff"}', "not valid JSON: it is not encoded as UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"tone": ' + b"[" * 400 + b"]" * 400 + b"}", "nested more than 100 levels deep"),
        (b'"' + b"x" * (1 << 20) + b'"', "longer than 1 MiB"),
        (b'{"unknown": 1}', "convert has no parameter unknown"),
    ],
)
def test_bad_inputs_are_a_sentence(run: Run, tmp_path: Path, data: bytes, words: str) -> None:
    is_one_sentence(run("resolve", "convert", "--inputs", "-", cwd=world(tmp_path), stdin=data), words)


@each_row(
    ("arguments", "words"),
    [
        (["nothing"], "nothing: there is no such skill here"),
        (["convrt"], "did you mean convert?"),
        (["../convert"], "there is no such skill here"),
        (["\x1b[31m\u202e"], "there is no such skill here"),
        ([""], "there is no such skill here"),
        (["convert", "--set", "\x1b[31m\n=x"], "convert has no parameter \\x1b[31m; it has"),
        (["convert", "--set", "confirm=yes"], "convert has no such risk to accept; it asks before nothing"),
        (["convert", "--prohibit", "x=1"], "convert has no parameter x"),
        (["convert", "--inputs", "nothing.json"], "nothing.json: there is no such file"),
        (["convert", "--inputs", "docs"], "docs: it is a folder"),
        (["convert", "--inputs", "/dev/null"], "give - for standard input"),
        (["convert", "--inputs", "SKILLBAG.md"], "SKILLBAG.md: not valid JSON: line 1"),
        (["convert", "--session", "a\nb"], ""),
        (["convert", "--workspace", "nowhere"], "there is no such folder"),
    ],
)
def test_each_mistake_is_one_sentence_and_exit_code_2(
    run: Run, tmp_path: Path, arguments: list[str], words: str
) -> None:
    root = world(tmp_path)
    before = snapshot(root)
    is_one_sentence(run("resolve", *arguments, cwd=root), words)
    outcome = run("resolve", *arguments, "--json", cwd=root)
    values = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (2, "")
    assert (values["version"], values["command"], values["exit"]) == (1, "resolve", 2)
    assert list(values) == ["version", "command", "exit", "error"]
    assert snapshot(root) == before


@pytest.mark.parametrize("name", ["SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md"])
def test_a_broken_block_in_any_file_is_a_sentence_with_its_place(run: Run, tmp_path: Path, name: str) -> None:
    root = world(tmp_path)
    (root / name).write_text("SkillBag v0.3.0\n" + block("parameters: {convert: {format: [}}"))
    is_one_sentence(run("resolve", "convert", cwd=root), f"{name}:5: the block is not valid YAML")


def test_a_broken_skill_is_a_sentence_with_its_place(run: Run, tmp_path: Path) -> None:
    root = world(tmp_path)
    skill = root / ".skills" / "convert" / "SKILL.md"
    skill.write_text(skill_text("required: [{name: a, discover: ../../etc/*}]"))
    is_one_sentence(run("resolve", "convert", cwd=root), ".skills/convert/SKILL.md:11: `discover` has")
    skill.unlink()
    is_one_sentence(run("resolve", "convert", cwd=root), "is listed, but .skills/convert/SKILL.md is missing")


def test_a_context_file_that_leads_out_of_the_workspace_is_not_read(run: Run, tmp_path: Path) -> None:
    root = world(tmp_path / "root")
    (tmp_path / "outside.md").write_text(block("parameters: {convert: {format: pdf}}"))
    (root / "CONTEXT.md").unlink()
    (root / "CONTEXT.md").symlink_to("../outside.md")
    is_one_sentence(run("resolve", "convert", cwd=root), "CONTEXT.md:1: ")


def test_an_execution_identifier_is_resolved_as_it_is_run(run: Run, tmp_path: Path) -> None:
    text = "---\nname: convert-page\ndescription: Convert a page.\n---\n\nConvert it.\n"
    root = make(tmp_path, _PARAMETERS, files={".skills/convert-page/SKILL.md": text})
    assert run("self", "sync", cwd=root).code == 0
    assert run("resolve", "convert-page", cwd=root).code == 0
    assert run("resolve", "convert_page", cwd=root).out == run("resolve", "convert-page", cwd=root).out


@pytest.mark.parametrize("body", ["parameters:\n  convert: {format: pdf}", 'parameters:\n  "*": ['])
def test_a_setting_that_is_in_no_yaml_block_is_told(run: Run, tmp_path: Path, body: str) -> None:
    root = world(tmp_path)
    (root / "CONTEXT.md").write_text(f"```\n{body}\n```\n", "utf-8")
    out = run("resolve", "convert", cwd=root).out
    assert out.endswith("Note: CONTEXT.md:2: `parameters` is not in a `yaml` block, so it is ignored; put it in one\n")
