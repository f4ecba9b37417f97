"""`skillbag run`: how a skill is named, what is printed, what must be asked first, and what a session makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.session.agents import answer, is_one_sentence
from tests.session.bags import bag, context, head, parameters, session, skill_md
from tests.supply.install.worlds import call
from tests.support import Run

NAME = "convert-to-pdf"
DESCRIPTION = "Convert files. #use/check-links #use/sign-off #use/absent"

BODY = parameters(
    """
required:
  - name: input-path
optional:
  - name: format
    default: pdf
  - name: output-dir
""",
    "Convert the file.",
)

FILE = f".skills/{NAME}/SKILL.md"
SKILLS = {NAME: DESCRIPTION, "check-links": "Check.", "sign-off": "Sign. #run/last"}


def workspace(folder: Path, files: Mapping[str, str | bytes] = {}) -> Path:
    """A workspace with the skill `convert-to-pdf`; `files` come on top, and may replace."""
    text = skill_md(NAME, DESCRIPTION, BODY, "allowed-tools: git  pandoc\n")
    return bag(folder, SKILLS, {FILE: text, f".skills/{NAME}/scripts/convert.py": "", **files})


@pytest.mark.proves("lifecycle", "naming.invocation")
@pytest.mark.proves("tags", "tags.comply", "tags.use")
@pytest.mark.proves("agent", "tags.comply")
@pytest.mark.proves("inputs", "inputs.before-run")
def test_a_run_prints_all_that_an_agent_needs(tmp_path: Path, run: Run) -> None:
    user = context("parameters: {convert-to-pdf: {format: html}}")
    workspace(tmp_path, {"USER_CONTEXT.md": user})
    outcome = run("run", "convert_to_pdf", "--set", "input-path=docs/a.md", cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    expected = f"""{head("convert-to-pdf")}Allowed tools: git pandoc

## Companions

Run these first, in this order, unless the instructions say when:

- skillbag run check_links
- skillbag run sign_off (#run/last: after every other skill)

{BODY}

## Effective parameters

- input-path = docs/a.md (conversation)
- format = html (user-context, USER_CONTEXT.md:4)

## Supporting files

In .skills/convert-to-pdf/:

- scripts/convert.py
"""
    assert outcome.out == expected


ASKS = parameters("confirm: It sends mail\noptional: [{name: to, default: me}]")
ASKS_OF_VALUE = parameters("optional: [{name: format, default: pdf, confirm: html}]")


@pytest.mark.proves("lifecycle", "resolution.ask")
@pytest.mark.proves("inputs", "inputs.ask")
def test_what_declares_nothing_about_risk_is_asked_about_before_it_does_harm(tmp_path: Path, run: Run) -> None:
    asks = "Ask first if this is destructive, security-sensitive, visible outside or hard to undo"
    skills = dict.fromkeys(["mail", "of-value", "plain"], "Does it. #run/always")
    bodies = {"mail": ASKS, "of-value": ASKS_OF_VALUE}
    files = {f".skills/{name}/SKILL.md": skill_md(name, skills[name], body) for name, body in bodies.items()}
    root = bag(tmp_path, skills, files)
    line = f"{asks}: plain declares nothing about risk."
    for command in (["run", "plain"], ["enter", "--session", "a"], ["turn", "--session", "b"]):
        assert run(*command, cwd=root).out.count(line) == 1
    for command in (["run", "mail", "--set", "confirm=mail"], ["run", "of-value"]):
        assert asks not in run(*command, cwd=root).out
    assert f"{asks}.\n" in run("winner", "plain", "plain-b", cwd=bag(tmp_path / "c", ["plain", "plain-b"])).out
    assert asks not in run("winner", "plain", "plain-b", "--prefer", "plain", cwd=tmp_path / "c").out


def test_sections_without_content_are_left_out(tmp_path: Path, run: Run) -> None:
    assert run("run", "a", cwd=bag(tmp_path, ["a"])).out == f"{head('a')}Do it.\n"


@pytest.mark.proves("lifecycle", "naming.invocation")
def test_the_json_of_a_run(tmp_path: Path, run: Run) -> None:
    values = answer(run, workspace(tmp_path), "run", "convert_to_pdf", "--set", "input-path=a.md")
    assert [(parameter["name"], parameter["value"], parameter["level"]) for parameter in values.pop("parameters")] == [
        ("input-path", "a.md", "conversation"),
        ("format", "pdf", "skill"),
        ("output-dir", None, None),
    ]
    head = {
        "version": 1,
        "command": "run",
        "exit": 0,
        "skill": "convert-to-pdf",
        "run": "convert_to_pdf",
        "ready": True,
    }
    files = {"files": ["scripts/convert.py"], "file_count": 1}
    companions = [
        {"name": "check-links", "run": "check_links", "phase": "companion"},
        {"name": "sign-off", "run": "sign_off", "phase": "last"},
    ]
    assert values == {
        **head,
        **files,
        "instructions": BODY,
        "allowed_tools": "git pandoc",
        "companions": companions,
        "questions": [],
        "remember": [],
        "session": None,
        "pending": None,
        "notes": [],
        "ask_first": "Ask first if this is destructive, security-sensitive, visible outside or hard to undo",
    }


@pytest.mark.proves("lifecycle", "naming.invocation")
@pytest.mark.parametrize("name", ["a", "a-b", "a-1-b2", "a1-2-3b", "2-up", "x-y-z-w"])
def test_a_skill_runs_by_its_execution_id_and_by_its_name(tmp_path: Path, run: Run, name: str) -> None:
    bag(tmp_path, [name])
    by_name, by_id = run("run", name, cwd=tmp_path), run("run", name.replace("-", "_"), cwd=tmp_path)
    assert by_name == by_id
    assert (by_id.code, by_id.out) == (0, f"{head(name)}Do it.\n")


@pytest.mark.proves("lifecycle", "naming.invocation")
@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("convert_to-pdf", "convert_to-pdf: there is no such skill here; did you mean convert-to-pdf?"),
        ("convert_to_dpf", "did you mean convert-to-pdf?"),
        (
            "gone",
            ".skills/SKILLS.md:2: gone is listed, but .skills/gone/SKILL.md is missing; skillbag self sync updates it",
        ),
        ("st_ray", "st_ray: it is in .skills/, but not in the catalog; skillbag self sync lists it, or says why not"),
        ("\x1b[2Jx", "\\x1b[2Jx: there is no such skill here"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(tmp_path: Path, run: Run, identifier: str, words: str) -> None:
    bag(tmp_path, [NAME, "gone"], {".skills/st-ray/SKILL.md": skill_md("st-ray", "Does it.")})
    (tmp_path / ".skills/gone/SKILL.md").unlink()
    is_one_sentence(run("run", identifier, cwd=tmp_path), words)
    values = answer(run, tmp_path, "run", identifier, code=2)
    assert "error" in values


@pytest.mark.proves("lifecycle", "bootstrap.invocation")
def test_the_reserved_skill_runs_by_its_identifier(tmp_path: Path, run: Run) -> None:
    assert run("init", tmp_path).code == 0
    code, values = call(run, tmp_path, "run", "skillbag_get_skills")
    assert (code, values["skill"], values["run"]) == (0, "skillbag-get-skills", "skillbag_get_skills")
    assert [(parameter["name"], parameter["value"]) for parameter in values["parameters"]] == [
        ("skills", []),
        ("destination", ".skills/"),
        ("upgrade", False),
        ("persist-nonsecret-parameters", True),
    ]
    assert "AGENTS.md" in values["instructions"]


DECLARES = "dependencies:\n  - {name: absent, version: v1, source: https://example.com/org/repo.git}"


@pytest.mark.proves("lifecycle", "bootstrap.invocation", "entry.missing")
def test_the_reserved_skill_runs_although_skills_are_missing(tmp_path: Path, run: Run) -> None:
    assert run("init", tmp_path).code == 0
    (tmp_path / "CONTEXT.md").write_text(context(DECLARES))
    assert run("run", "skillbag_get_skills", cwd=tmp_path).code == 0


# What must be asked first.


@pytest.mark.proves("inputs", "inputs.before-run")
def test_a_prohibited_value_is_shown_beside_the_instructions_that_name_it(tmp_path: Path, run: Run) -> None:
    block = "optional:\n  - name: output-dir\n    default: out/\n  - name: format\n  - name: size\n    default: 1"
    rules = context("prohibit: {parameters: {a: {output-dir: [out/], size: [1]}}}\nparameters: {a: {size: 2}}")
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(block)), "CONTEXT.md": rules})
    text = run("run", "a", cwd=tmp_path).out
    assert text.split("## Effective parameters\n\n")[1].splitlines() == [
        "- output-dir: no value",
        "    not out/ (skill, .skills/a/SKILL.md:11): prohibited by CONTEXT.md:4",
        "- size = 2 (context, CONTEXT.md:5)",
    ]


@pytest.mark.proves("inputs", "inputs.before-run")
def test_nothing_of_the_instructions_is_printed_before_inputs_are_resolved(tmp_path: Path, run: Run) -> None:
    outcome = run("run", "convert_to_pdf", cwd=workspace(tmp_path))
    assert (outcome.code, outcome.err) == (3, "")
    assert outcome.out.splitlines()[0] == "convert-to-pdf can't run yet: 1 question"
    assert "Ask: " in outcome.out
    assert "input-path" in outcome.out
    assert "Convert the file." not in outcome.out
    code, values = call(run, tmp_path, "run", "convert_to_pdf")
    assert (code, values["ready"], values["instructions"], values["files"]) == (3, False, "", [])
    assert [(question["kind"], question["about"]) for question in values["questions"]] == [("missing", "input-path")]


@pytest.mark.proves("lifecycle", "entry.missing")
def test_missing_dependencies_are_asked_about_first(tmp_path: Path, run: Run) -> None:
    needs = skill_md(NAME, DESCRIPTION, BODY, "dependencies:\n  - name: needed\n")
    workspace(tmp_path, {"CONTEXT.md": context(DECLARES), FILE: needs})
    values = answer(run, tmp_path, "run", "convert_to_pdf", code=3)
    rows = [tuple(row[key] for key in ("kind", "about", "answer", "file", "line")) for row in values["questions"]]
    assert rows[:2] == [
        ("dependency", "absent", "skillbag install", "CONTEXT.md", 5),
        ("dependency", "needed", "skillbag install convert-to-pdf", FILE, 5),
    ]
    assert values["instructions"] == ""
    text = run("run", "convert_to_pdf", cwd=tmp_path).out
    assert text.startswith("convert-to-pdf can't run yet: 3 questions\nAsk: The skill absent is declared")
    assert text.endswith("\nWithout what is missing: skillbag run convert_to_pdf --incomplete\n")


@pytest.mark.proves("lifecycle", "entry.missing")
def test_the_way_without_what_is_missing_is_one_of_the_session(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path, {"CONTEXT.md": context(DECLARES)})
    session(tmp_path, "a b").enter()
    text = run("run", "convert_to_pdf", "--session", "a b", cwd=tmp_path).out
    assert "\nWithout what is missing: skillbag run convert_to_pdf --session 'a b' --incomplete\n" in text
    assert "--incomplete" not in run("run", "convert_to_pdf", "--incomplete", cwd=tmp_path).out


def test_an_incomplete_workspace_runs_if_it_is_asked_for(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path, {"CONTEXT.md": context(DECLARES)})
    arguments = ("run", "convert_to_pdf", "--set", "input-path=a.md")
    assert run(*arguments, cwd=tmp_path).code == 3
    assert run(*arguments, "--incomplete", cwd=tmp_path).code == 0
    assert run("run", "convert_to_pdf", "--incomplete", cwd=tmp_path).code == 3


@pytest.mark.proves("inputs", "inputs.before-run")
def test_values_come_from_a_file_and_are_ruled_out_as_for_resolve(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path, {"CONTEXT.md": context("parameters: {convert-to-pdf: {format: docx}}")})
    stdin = b'{"input-path": "a.md"}'
    outcome = run("run", NAME, "--inputs", "-", "--prohibit", "format=docx", cwd=tmp_path, stdin=stdin)
    assert outcome.code == 0
    assert "- input-path = a.md (conversation)\n- format = pdf (skill, " in outcome.out


def test_a_setting_without_effect_is_noted(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path, {"USER_CONTEXT.md": context("parameters: {convert-to-pdf: {formt: html}}")})
    outcome = run("run", NAME, "--set", "input-path=a.md", cwd=tmp_path)
    assert outcome.out.splitlines()[-1].startswith("Note: USER_CONTEXT.md:4: ")
    assert "formt" in outcome.out.splitlines()[-1]
    assert "Note: " in run("run", NAME, cwd=tmp_path).out


# Companions.
