"""Runs with companions and in a session, and the values that `skillbag run` proposes to remember."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.session.agents import answer
from tests.session.bags import TOKEN, bag, context, head, parameters, session, skill_md
from tests.session.entry.test_run import DESCRIPTION, FILE, NAME, SKILLS, workspace
from tests.session.tables import lines_of
from tests.supply.install.worlds import call
from tests.support import Run


@pytest.mark.proves("tags", "tags.use", "tags.user-override", "precedence.prohibition")
@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ('tags: {convert-to-pdf: {remove: ["#use/check-links"]}}', ["sign-off"]),
        ('tags: {check-links: {add: ["#use/tidy"]}}', ["tidy", "check-links", "sign-off"]),
        ("prohibit: {skills: [check-links]}", ["sign-off"]),
        ('tags: {check-links: {add: ["#run/last"]}}', ["check-links", "sign-off"]),
        ('tags: {sign-off: {remove: ["#run/last"]}}', ["check-links", "sign-off"]),
    ],
)
def test_companions_follow_the_users_tags(tmp_path: Path, run: Run, block: str, expected: list[str]) -> None:
    bag(tmp_path, {**SKILLS, "tidy": "Tidy."}, {"USER_CONTEXT.md": context(block)})
    _, values = call(run, tmp_path, "run", NAME)
    assert [companion["name"] for companion in values["companions"]] == expected


# In a session.


def test_a_run_counts_the_skill_as_loaded_and_reports_changes(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"])
    session(tmp_path, "s 1").enter()
    before = call(run, tmp_path, "run", "a", "--session", "s 1")[1]
    assert (before["session"], before["pending"]["nothing"]) == ("s 1", True)
    (tmp_path / ".skills/a/SKILL.md").write_text(skill_md("a", "Does it.", "Do it anew."))
    assert [change.path for change in session(tmp_path, "s 1").refresh().changed] == [".skills/a/SKILL.md"]
    (tmp_path / "CONTEXT.md").write_text("Words.\n")
    outcome = run("run", "a", "--session", "s 1", cwd=tmp_path)
    assert outcome.out == (
        f"{head('a')}Do it anew.\n\nChanged since this session read it: CONTEXT.md (new); "
        "skillbag turn --session 's 1' prints what is new.\n"
    )
    after = call(run, tmp_path, "run", "a", "--session", "s 1")[1]
    assert after["pending"]["changed"] == [{"path": "CONTEXT.md", "what": "new"}]


def test_a_skill_that_cannot_run_yet_is_not_loaded(tmp_path: Path, run: Run) -> None:
    workspace(tmp_path)
    session(tmp_path, "s1").enter()
    assert run("run", NAME, "--session", "s1", cwd=tmp_path).code == 3
    (tmp_path / FILE).write_text(skill_md(NAME, DESCRIPTION, "Other."))
    assert session(tmp_path, "s1").refresh().is_nothing


def test_a_skill_root_that_leads_out_of_the_workspace_holds_no_skill(tmp_path: Path, run: Run) -> None:
    outside = workspace(tmp_path / "outside")
    root = tmp_path / "w"
    root.mkdir()
    (root / "SKILLBAG.md").write_bytes((outside / "SKILLBAG.md").read_bytes())
    (root / ".skills").symlink_to(outside / ".skills")
    assert run("run", "convert_to_pdf", cwd=outside).code == 3
    outcome = run("run", "convert_to_pdf", cwd=root)
    assert outcome.code == 2
    assert "leaves the workspace" in outcome.err or "no such skill" in outcome.err


REQUESTED = """
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
    run: Run, folder: Path, *says: str, user: str = "", requested: str = REQUESTED, needs: str = "input-path=a.md"
) -> Any:
    """What a run with these values proposes to remember: the values by name."""
    files = {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(requested))}
    if user:
        files["USER_CONTEXT.md"] = context(user)
    bag(folder, ["a"], files)
    arguments = [part for pair in [*([needs] if needs else []), *says] for part in ("--set", pair)]
    values = answer(run, folder, "run", "a", *arguments)
    return {suggestion["name"]: suggestion["value"] for suggestion in values["remember"]}


@pytest.mark.proves("inputs", "inputs.persist-stable", "precedence.persist")
def test_stable_values_of_the_conversation_are_worth_remembering(tmp_path: Path, run: Run) -> None:
    assert worth(run, tmp_path, "tool=weasyprint", "output-dir=build/out") == {
        "tool": "weasyprint",
        "output-dir": "build/out",
    }
    text = run("run", "a", "--set", "input-path=a.md", "--set", "output-dir=my out", cwd=tmp_path).out
    assert text.endswith("\n\n## Worth remembering\n\n- skillbag session remember 'output-dir=my out' --skill a\n")


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
    assert worth(run, tmp_path, "home=docs", "task=docs", requested=required, needs="") == {"home": "docs"}


def of_required(run: Run, folder: Path, rows: list[str]) -> Iterator[str]:
    """The rows `NAME=VALUE` that a run proposes to remember where its skill requires the parameters."""
    rounds: list[dict[str, str]] = []
    for row in rows:
        name = row.partition("=")[0]
        of = next((names for names in rounds if name not in names), None)
        if of is None:
            rounds.append(of := {})
        of[name] = row
    for number, names in enumerate(rounds):
        requested = "".join(["required:\n", *(f"  - name: {name}\n" for name in names)])
        yield from map(names.get, worth(run, folder / str(number), *names.values(), requested=requested, needs=""))


@pytest.mark.proves("inputs", "inputs.persist-stable", "inputs.persist-not")
def test_of_what_a_skill_requires_folders_preferences_and_choices_are_worth_it(tmp_path: Path, run: Run) -> None:
    lasting, one_off = lines_of("lasting_values"), lines_of("one_off_values")
    assert sorted(of_required(run, tmp_path / "lasting", lasting)) == sorted(lasting)
    assert [*of_required(run, tmp_path / "one-off", one_off)] == []


@pytest.mark.proves("inputs", "inputs.persist-stable", "inputs.persist-not")
def test_a_choice_among_listed_values_is_worth_it_unless_it_is_the_task(tmp_path: Path, run: Run) -> None:
    required = "required:\n  - name: mood\n    values: [calm, glad]\n  - name: action\n    values: [add, delete]"
    assert worth(run, tmp_path, "mood=glad", "action=add", requested=required, needs="") == {"mood": "glad"}


@pytest.mark.proves("inputs", "inputs.persist-not")
def test_the_matter_of_one_task_is_not_worth_it_though_it_may_be_left_out(tmp_path: Path, run: Run) -> None:
    optional = "optional: [{name: customer-name}, {name: question}, {name: mood}]"
    says = ("customer-name=Jane", "question=why", "mood=calm")
    assert worth(run, tmp_path, *says, requested=optional, needs="") == {"mood": "calm"}


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
        return [suggestion["name"] for suggestion in values["remember"]]

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
def test_the_proposed_command_has_the_given_value(tmp_path: Path, run: Run, says: str, argument: str) -> None:
    worth(run, tmp_path, says)
    values = answer(run, tmp_path, "run", "a", "--set", "input-path=a.md", "--set", says)
    assert [suggestion["command"] for suggestion in values["remember"]] == [
        f"skillbag session remember {argument} --skill a"
    ]
    again = shlex.split(argument)[0]
    _, repeated = call(run, tmp_path, "run", "a", "--set", "input-path=a.md", "--set", again)
    assert repeated["remember"] == values["remember"]


def test_a_value_of_several_lines_is_not_proposed(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(REQUESTED))})
    stdin = b'{"input-path": "a.md", "kept": "one\\ntwo", "tool": "weasyprint"}'
    outcome = run("run", "a", "--inputs", "-", cwd=tmp_path, stdin=stdin)
    assert outcome.out.endswith("## Worth remembering\n\n- skillbag session remember tool=weasyprint --skill a\n")


def test_nothing_is_proposed_while_something_must_be_asked(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": skill_md("a", "Does it.", parameters(REQUESTED))})
    code, values = call(run, tmp_path, "run", "a", "--set", "tool=weasyprint")
    assert (code, values["remember"]) == (3, [])
