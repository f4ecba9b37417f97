"""`skillbag run`: how a skill is named, what is printed of it, what must be asked first, what is worth remembering."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.lifecycle.invocation import MOST_FILES
from tests.install.worlds import call
from tests.lifecycle.bags import bag, context, parameters, session, skill_md
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


def body_of(run: Run, folder: Path, body: str | bytes, front: str = "") -> tuple[str, str]:
    """The text and the instructions in JSON of a skill with this body."""
    text = skill_md("a", "Does it.", "@", front).encode()
    raw = body.encode() if isinstance(body, str) else body
    bag(folder, ["a"], {".skills/a/SKILL.md": text.replace(b"@", raw)})
    _, values = call(run, folder, "run", "a")
    return run("run", "a", cwd=folder).out, values["instructions"]


@pytest.mark.proves("lifecycle", "naming.invocation")
@pytest.mark.proves("tags", "tags.comply", "tags.use")
@pytest.mark.proves("agent", "tags.comply")
@pytest.mark.proves("inputs", "inputs.before-run")
def test_a_run_prints_all_that_an_agent_needs(tmp_path: Path, run: Run) -> None:
    user = context("parameters: {convert-to-pdf: {format: html}}")
    workspace(tmp_path, {"USER_CONTEXT.md": user})
    outcome = run("run", "convert_to_pdf", "--set", "input-path=docs/a.md", cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert (
        outcome.out
        == f"""# Skill: convert-to-pdf

Allowed tools: git pandoc

{BODY}

## Effective parameters

- input-path = docs/a.md (conversation)
- format = html (user-context, USER_CONTEXT.md:4)

## Supporting files

- scripts/convert.py

## Companions

Then run, in this order:

- skillbag run check_links
- skillbag run sign_off (#run/last: after every other skill)
"""
    )


def test_sections_without_content_are_left_out(tmp_path: Path, run: Run) -> None:
    assert run("run", "a", cwd=bag(tmp_path, ["a"])).out == "# Skill: a\n\nDo it.\n"


@pytest.mark.proves("lifecycle", "naming.invocation")
def test_the_json_of_a_run(tmp_path: Path, run: Run) -> None:
    code, values = call(run, workspace(tmp_path), "run", "convert_to_pdf", "--set", "input-path=a.md")
    assert code == 0
    assert [(one["name"], one["value"], one["level"]) for one in values.pop("parameters")] == [
        ("input-path", "a.md", "conversation"),
        ("format", "pdf", "skill"),
        ("output-dir", None, None),
    ]
    assert values == {
        "version": 1,
        "command": "run",
        "exit": 0,
        "skill": "convert-to-pdf",
        "run": "convert_to_pdf",
        "ready": True,
        "instructions": BODY,
        "questions": [],
        "files": ["scripts/convert.py"],
        "file_count": 1,
        "allowed_tools": "git pandoc",
        "companions": [
            {"name": "check-links", "run": "check_links", "phase": "companion"},
            {"name": "sign-off", "run": "sign_off", "phase": "last"},
        ],
        "remember": [],
        "session": None,
        "pending": None,
        "notes": [],
    }


@pytest.mark.proves("lifecycle", "naming.invocation")
@pytest.mark.parametrize("name", ["a", "a-b", "a-1-b2", "2-up", "x-y-z-w"])
def test_a_skill_runs_by_its_execution_id_and_by_its_name(tmp_path: Path, run: Run, name: str) -> None:
    bag(tmp_path, [name])
    by_name, by_id = run("run", name, cwd=tmp_path), run("run", name.replace("-", "_"), cwd=tmp_path)
    assert by_name == by_id
    assert (by_id.code, by_id.out) == (0, f"# Skill: {name}\n\nDo it.\n")


@pytest.mark.proves("lifecycle", "naming.invocation")
@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("convert_to-pdf", "convert_to-pdf: there is no such skill here; did you mean convert-to-pdf?"),
        ("convert_to_dpf", "did you mean convert-to-pdf?"),
        ("gone", ".skills/SKILLS.md:2: gone is listed, but .skills/gone/SKILL.md is not there; skillbag sync"),
        ("stray", "stray: it is in .skills/, but not in the catalog; skillbag sync lists it"),
        ("\x1b[2Jx", "\\x1b[2Jx: there is no such skill here"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(tmp_path: Path, run: Run, identifier: str, words: str) -> None:
    bag(tmp_path, [NAME, "gone"], {".skills/stray/SKILL.md": skill_md("stray", "Does it.")})
    (tmp_path / ".skills/gone/SKILL.md").unlink()
    outcome = run("run", identifier, cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("skillbag: ")
    assert outcome.err.count("\n") == 1
    assert words in outcome.err
    code, values = call(run, tmp_path, "run", identifier)
    assert code == 2
    assert "error" in values


@pytest.mark.proves("lifecycle", "bootstrap.invocation")
def test_the_reserved_skill_runs_by_its_identifier(tmp_path: Path, run: Run) -> None:
    assert run("init", tmp_path).code == 0
    code, values = call(run, tmp_path, "run", "skillbag_get_skills")
    assert (code, values["skill"], values["run"]) == (0, "skillbag-get-skills", "skillbag_get_skills")
    assert [(one["name"], one["value"]) for one in values["parameters"]] == [
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


# The instructions.


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One.\r\n\r\nTwo.\r\n", "One.\n\nTwo."),
        ("\n\n  One.\n\n\n", "One."),
        ("One.\rTwo.", "One.\nTwo."),
        ("---\nname: other\n---\n", "---\nname: other\n---"),
        ("Ünï 🙂\n", "Ünï 🙂"),
    ],
    ids=["crlf", "blank-lines", "cr", "second-front-matter", "unicode"],
)
def test_the_body_is_given_with_plain_line_ends(tmp_path: Path, run: Run, body: str, expected: str) -> None:
    text, instructions = body_of(run, tmp_path, body)
    assert instructions == expected
    assert text == f"# Skill: a\n\n{expected}\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_front_matter_never_gets_into_the_instructions(tmp_path: Path, run: Run, newline: str, mark: str) -> None:
    text = mark + skill_md("a", "Hidden words.", "Seen.", "license: Hidden\n").replace("\n", newline)
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": text.encode()})
    assert run("run", "a", cwd=tmp_path).out == "# Skill: a\n\nSeen.\n"


@pytest.mark.parametrize("ending", ["", "\n", "\n\n   \n", "\r\n"])
def test_a_skill_without_a_body_has_no_instructions(tmp_path: Path, run: Run, ending: str) -> None:
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": f"---\nname: a\ndescription: Does it.\n---{ending}"})
    assert run("run", "a", cwd=tmp_path).out == "# Skill: a\n"
    assert call(run, tmp_path, "run", "a")[1]["instructions"] == ""


TOKEN = "ghp_" + "x7Kq2mWv9RtZ4bNc8Yp3" + "Lj6Hf5Gd1SaQ0e2T"


def test_secrets_and_control_characters_of_the_instructions_are_not_shown(tmp_path: Path, run: Run) -> None:
    text, instructions = body_of(run, tmp_path, f"Use {TOKEN}.\n\x1b[2JClear\u202e it.\n")
    assert text == "# Skill: a\n\nUse ghp_****.\n\\x1b[2JClear\\u202e it.\n"
    assert instructions == "Use ghp_****.\n\x1b[2JClear\u202e it."


def test_a_private_key_of_several_lines_is_masked_as_a_whole(tmp_path: Path, run: Run) -> None:
    lines = "\n".join(f"MIIEowIBAAKCAQEA{number}x7Kq2mWv9RtZ4bNc8Yp3Lj6Hf5Gd1SaQ0e2TqWzPl" for number in range(6))
    text, instructions = body_of(
        run, tmp_path, f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\nAfter.\n"
    )
    for shown in (text, instructions):
        assert "x7Kq2mWv" not in shown
        assert shown.rstrip().endswith("After.")


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("allowed-tools: git  curl\n", "git curl"),
        ("allowed-tools: [git, curl]\n", "git curl"),
        ("allowed-tools: Bash(git:*) Read\n", "Bash(git:*) Read"),
        ("allowed-tools: ''\n", ""),
        ("allowed-tools: {a: b}\n", ""),
        ("", ""),
    ],
)
def test_allowed_tools_are_shown_on_a_line(tmp_path: Path, run: Run, front: str, expected: str) -> None:
    text, _ = body_of(run, tmp_path, "Do it.", front)
    head = f"# Skill: a\n\nAllowed tools: {expected}\n\n" if expected else "# Skill: a\n\n"
    assert text == f"{head}Do it.\n"


# Supporting files.


def test_supporting_files_are_those_that_belong_to_the_skill(tmp_path: Path, run: Run) -> None:
    inside = ["references/b.md", "references/a b.md", "scripts/x.py", "LICENSE", "scripts/deep/er/y.sh", "notes/ü.md"]
    outside = [".hidden", "scripts/.cache/x", "__pycache__/x.pyc", ".DS_Store", "assets/Thumbs.db", "node_modules/m.js"]
    bag(tmp_path, ["a"], {f".skills/a/{path}": "" for path in [*inside, *outside]})
    assert call(run, tmp_path, "run", "a")[1]["files"] == sorted(inside)


def test_links_count_where_they_lead_to_a_file_of_the_skill(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path / "w", ["a", "b"], {".skills/a/real.md": "", ".skills/a/sub/x.md": "", "own.md": ""})
    folder = root / ".skills/a"
    (folder / "inside.md").symlink_to("real.md")
    (folder / "outside.md").symlink_to("/etc/hostname")
    (folder / "workspace.md").symlink_to("../../own.md")
    (folder / "other.md").symlink_to("../b/SKILL.md")
    (folder / "dangling.md").symlink_to("gone.md")
    (folder / "folder").symlink_to("sub", target_is_directory=True)
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    assert call(run, root, "run", "a")[1]["files"] == ["inside.md", "real.md", "sub/x.md"]


def test_of_many_supporting_files_the_first_are_shown_and_all_are_counted(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {f".skills/a/references/{number:03}.md": "" for number in range(MOST_FILES + 3)})
    _, values = call(run, tmp_path, "run", "a")
    assert (len(values["files"]), values["file_count"]) == (50, 53)
    lines = run("run", "a", cwd=tmp_path).out.splitlines()
    assert lines[-2:] == ["- references/049.md", "- … and 3 more"]


def test_a_file_name_cannot_write_to_the_terminal(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {".skills/a/x\x1b[2J\n## Companions.md": ""})
    assert run("run", "a", cwd=tmp_path).out.splitlines()[-1] == "- x\\x1b[2J\\n## Companions.md"


# What must be asked first.


@pytest.mark.proves("inputs", "inputs.before-run")
def test_a_value_that_may_not_be_taken_is_told_beside_the_instructions_that_name_it(tmp_path: Path, run: Run) -> None:
    block = "optional:\n  - name: output-dir\n    default: out/\n  - name: format\n  - name: size\n    default: 1"
    rules = context("prohibit: {parameters: {a: {output-dir: [out/], size: [1]}}}\nparameters: {a: {size: 2}}")
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(block)), "CONTEXT.md": rules})
    text = run("run", "a", cwd=tmp_path).out
    assert text.split("## Effective parameters\n\n")[1].splitlines() == [
        "- output-dir: no value",
        "    not out/ (skill, .skills/a/SKILL.md:12): prohibited by CONTEXT.md:4",
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
    assert [(one["kind"], one["about"]) for one in values["questions"]] == [("missing", "input-path")]


@pytest.mark.proves("lifecycle", "entry.missing")
def test_missing_dependencies_are_asked_about_first(tmp_path: Path, run: Run) -> None:
    needs = skill_md(NAME, DESCRIPTION, BODY, "dependencies:\n  - name: needed\n")
    workspace(tmp_path, {"CONTEXT.md": context(DECLARES), FILE: needs})
    code, values = call(run, tmp_path, "run", "convert_to_pdf")
    assert code == 3
    assert [(one["kind"], one["about"], one["answer"]) for one in values["questions"]][:2] == [
        ("dependency", "absent", "skillbag install"),
        ("dependency", "needed", "skillbag install convert-to-pdf"),
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


@pytest.mark.proves("tags", "tags.use", "tags.user-override", "precedence.prohibition")
@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ('tags: {convert-to-pdf: {remove: ["#use/check-links"]}}', ["sign-off"]),
        ('tags: {check-links: {add: ["#use/tidy"]}}', ["check-links", "tidy", "sign-off"]),
        ("prohibit: {skills: [check-links]}", ["sign-off"]),
        ('tags: {check-links: {add: ["#run/last"]}}', ["check-links", "sign-off"]),
        ('tags: {sign-off: {remove: ["#run/last"]}}', ["check-links", "sign-off"]),
    ],
)
def test_companions_follow_the_users_tags(tmp_path: Path, run: Run, block: str, expected: list[str]) -> None:
    bag(tmp_path, {**SKILLS, "tidy": "Tidy."}, {"USER_CONTEXT.md": context(block)})
    _, values = call(run, tmp_path, "run", NAME)
    assert [one["name"] for one in values["companions"]] == expected


# In a session.


def test_a_run_counts_the_skill_as_loaded_and_tells_what_has_changed(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"])
    session(tmp_path, "s 1").enter()
    before = call(run, tmp_path, "run", "a", "--session", "s 1")[1]
    assert (before["session"], before["pending"]["nothing"]) == ("s 1", True)
    (tmp_path / ".skills/a/SKILL.md").write_text(skill_md("a", "Does it.", "Do it anew."))
    assert [one.path for one in session(tmp_path, "s 1").refresh().changed] == [".skills/a/SKILL.md"]
    (tmp_path / "CONTEXT.md").write_text("Words.\n")
    outcome = run("run", "a", "--session", "s 1", cwd=tmp_path)
    assert outcome.out == (
        "# Skill: a\n\nDo it anew.\n\nChanged since this session read it: CONTEXT.md (new); "
        "skillbag refresh --session 's 1' tells what to read again.\n"
    )
    after = call(run, tmp_path, "run", "a", "--session", "s 1")[1]
    assert after["pending"]["changed"] == [{"path": "CONTEXT.md", "what": "new"}]


def test_a_skill_that_cannot_run_yet_is_not_loaded(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path)
    session(tmp_path, "s1").enter()
    assert run("run", NAME, "--session", "s1", cwd=tmp_path).code == 3
    (tmp_path / FILE).write_text(skill_md(NAME, DESCRIPTION, "Other."))
    assert session(tmp_path, "s1").refresh().is_nothing


def test_a_session_that_has_not_entered_runs_nothing(tmp_path: Path, run: Run) -> None:
    outcome = run("run", "a", "--session", "s1", cwd=bag(tmp_path, ["a"]))
    assert (outcome.code, outcome.out) == (2, "")
    assert "skillbag enter --session s1" in outcome.err


@pytest.mark.proves("lifecycle", "files.catalog-first")
def test_no_other_skill_is_opened(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path)
    outcome = run("run", NAME, "--set", "input-path=a.md", "--trace", cwd=tmp_path)
    opened = [line.removeprefix("opened ").partition(":")[0] for line in outcome.err.splitlines()]
    assert [path for path in opened if path.endswith("/SKILL.md")] == [FILE]
    assert f"opened {FILE}: it is run\n" in outcome.err


# What is worth remembering.

ASKED = """
required:
  - name: input-path
optional:
  - name: tool
    default: pandoc
  - name: output-dir
  - name: once
    persist: false
  - name: kept
    persist: true
  - name: api-key
    persist: true
  - name: dirs
"""


def worth(
    run: Run, folder: Path, *says: str, user: str = "", asked: str = ASKED, needs: str = "input-path=a.md"
) -> Any:
    """What a run with these values proposes to remember: the values by name."""
    files = {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(asked))}
    if user:
        files["USER_CONTEXT.md"] = context(user)
    bag(folder, ["a"], files)
    arguments = [part for pair in [*([needs] if needs else []), *says] for part in ("--set", pair)]
    code, values = call(run, folder, "run", "a", *arguments)
    assert code == 0
    return {one["name"]: one["value"] for one in values["remember"]}


@pytest.mark.proves("inputs", "inputs.persist-stable", "precedence.persist")
def test_stable_values_of_the_conversation_are_worth_remembering(tmp_path: Path, run: Run) -> None:
    assert worth(run, tmp_path, "tool=weasyprint", "output-dir=build/out") == {
        "tool": "weasyprint",
        "output-dir": "build/out",
    }
    text = run("run", "a", "--set", "input-path=a.md", "--set", "output-dir=my out", cwd=tmp_path).out
    assert text.endswith("\n\n## Worth remembering\n\n- skillbag remember 'output-dir=my out' --skill a\n")


@pytest.mark.proves("inputs", "inputs.persist-stable")
def test_only_what_the_levels_below_do_not_give_is_worth_it(tmp_path: Path, run: Run) -> None:
    assert worth(run, tmp_path, "tool=pandoc") == {}
    user = "parameters: {a: {tool: weasyprint, output-dir: out}}"
    assert worth(run, tmp_path, "tool=weasyprint", "output-dir=out", user=user) == {}
    assert worth(run, tmp_path, "tool=pandoc", "output-dir=other", user=user) == {
        "tool": "pandoc",
        "output-dir": "other",
    }


@pytest.mark.proves("inputs", "inputs.persist-stable")
def test_a_value_that_is_given_but_prohibited_below_is_news(tmp_path: Path, run: Run) -> None:
    user = "prohibit: {parameters: {a: {tool: pandoc}}}"
    assert worth(run, tmp_path, "tool=pandoc", user=user) == {"tool": "pandoc"}


@pytest.mark.proves("inputs", "inputs.skill-persistence")
def test_the_skill_says_which_parameters_are_kept(tmp_path: Path, run: Run) -> None:
    assert worth(run, tmp_path, "once=small", "kept=https://example.com/x") == {"kept": "https://example.com/x"}
    required = "required:\n  - name: home\n    persist: true\n  - name: task"
    assert worth(run, tmp_path, "home=docs", "task=docs", asked=required, needs="") == {"home": "docs"}


@pytest.mark.proves("inputs", "inputs.persist-not")
@pytest.mark.parametrize("value", ["https://example.com/a", "/tmp/x/y", "2024-05-06"])
def test_one_off_values_are_not_worth_it(tmp_path: Path, run: Run, value: str) -> None:
    assert worth(run, tmp_path, f"output-dir={value}") == {}


@pytest.mark.proves("inputs", "inputs.no-secrets")
@pytest.mark.parametrize("says", [f"kept={TOKEN}", "api-key=x7Kq2mWv9RtZ4bNc8Yp3", f"kept=[a, {TOKEN}]"])
def test_a_secret_is_never_worth_it_and_never_shown(tmp_path: Path, run: Run, says: str) -> None:
    assert worth(run, tmp_path, says) == {}
    text = run("run", "a", "--set", "input-path=a.md", "--set", says, cwd=tmp_path).out
    assert "x7Kq2mWv9RtZ4" not in text
    assert "Worth" not in text


@pytest.mark.proves("inputs", "precedence.persist", "bootstrap.persist")
@pytest.mark.parametrize("skill", ["a", '"*"'])
@pytest.mark.parametrize("word", ["false", '"false"'])
def test_nothing_is_worth_it_if_the_user_says_no(tmp_path: Path, run: Run, skill: str, word: str) -> None:
    user = f"parameters: {{{skill}: {{persist-nonsecret-parameters: {word}}}}}"
    assert worth(run, tmp_path, "tool=weasyprint", "kept=yes", user=user) == {}
    assert worth(run, tmp_path, "tool=weasyprint", user=user.replace(word, "true")) == {"tool": "weasyprint"}


@pytest.mark.proves("inputs", "precedence.persist")
def test_what_the_user_says_of_a_skill_counts_more_than_what_of_all(tmp_path: Path, run: Run) -> None:
    name = "persist-nonsecret-parameters"
    user = f'parameters: {{a: {{{name}: true}}, "*": {{{name}: false}}}}'
    assert worth(run, tmp_path, "tool=weasyprint", user=user) == {"tool": "weasyprint"}


@pytest.mark.proves("inputs", "bootstrap.persist")
def test_the_parameter_of_the_reserved_skill_turns_it_off(tmp_path: Path, run: Run) -> None:
    assert run("init", tmp_path).code == 0

    def kept(*arguments: str) -> list[str]:
        _, values = call(
            run, tmp_path, "run", "skillbag_get_skills", "--set", "destination=vendored/skills/", *arguments
        )
        return [one["name"] for one in values["remember"]]

    assert kept() == ["destination"]
    assert kept("--set", "persist-nonsecret-parameters=false") == []


@pytest.mark.parametrize(
    ("says", "argument"),
    [
        ('kept=it\'s "so"', """'kept=it'"'"'s "so"'"""),
        ("kept=[a b, 1, true]", """'kept=["a b", 1, true]'"""),
        ("kept=1.10", "kept=1.10"),
        ('kept="1.10"', """'kept="1.10"'"""),
        ("kept='true'", """'kept="true"'"""),
        ("kept='[a]'", """'kept="[a]"'"""),
        ("kept=yes; rm -rf /", "'kept=yes; rm -rf /'"),
    ],
)
def test_the_proposed_command_says_what_was_said(tmp_path: Path, run: Run, says: str, argument: str) -> None:
    worth(run, tmp_path, says)
    code, values = call(run, tmp_path, "run", "a", "--set", "input-path=a.md", "--set", says)
    assert code == 0
    assert [one["command"] for one in values["remember"]] == [f"skillbag remember {argument} --skill a"]
    again = shlex.split(argument)[0]
    _, repeated = call(run, tmp_path, "run", "a", "--set", "input-path=a.md", "--set", again)
    assert repeated["remember"] == values["remember"]


def test_a_value_of_several_lines_is_not_proposed(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(ASKED))})
    stdin = b'{"input-path": "a.md", "kept": "one\\ntwo", "tool": "weasyprint"}'
    outcome = run("run", "a", "--inputs", "-", cwd=tmp_path, stdin=stdin)
    assert outcome.out.endswith("## Worth remembering\n\n- skillbag remember tool=weasyprint --skill a\n")


def test_nothing_is_proposed_while_something_must_be_asked(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(ASKED))})
    code, values = call(run, tmp_path, "run", "a", "--set", "tool=weasyprint")
    assert (code, values["remember"]) == (3, [])


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("USER_CONTEXT.md", context("tags: {a: {add: [run-last]}}"), "USER_CONTEXT.md:4: "),
        ("CONTEXT.md", context("dependencies: [{name: b}]"), "CONTEXT.md:4: "),
        (".skills/a/SKILL.md", skill_md("a", "Does it.", parameters("required: x")), ".skills/a/SKILL.md:9: "),
    ],
)
def test_a_malformed_file_is_a_mistake_with_its_place(
    tmp_path: Path, run: Run, file: str, text: str, place: str
) -> None:
    outcome = run("run", "a", cwd=bag(tmp_path, ["a"], {file: text}))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"skillbag: {place}")


def test_outside_of_a_workspace_it_says_so(tmp_path: Path, run: Run) -> None:
    outcome = run("run", "a", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
