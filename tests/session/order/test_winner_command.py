"""The command `winner`: its text, its JSON, its questions, and what it opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.agents import answer, is_refused
from tests.session.bags import bag, context, skill_md
from tests.session.order.test_conflicts import A_WINS, ASKS, B_WINS, rule
from tests.supply.install.worlds import call
from tests.support import Run

ASK = "Ask first if this is destructive, security-sensitive, visible outside or hard to undo.\n"
"""Both declare nothing about risk."""


@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
def test_the_command_prints_the_winner_first_and_then_why(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a", "b"], {"USER_CONTEXT.md": context(B_WINS)})
    outcome = run("winner", "a", "b", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (0, "b\na rule of USER_CONTEXT.md (USER_CONTEXT.md:5)\n")
    assert run("winner", "a", "b", "--prefer", "a", cwd=tmp_path).out == "a\nthe conversation says so\n"
    (tmp_path / "USER_CONTEXT.md").unlink()
    assert run("winner", "b", "a", cwd=tmp_path).out == f"a\nno rule decides; it is the first by name\n{ASK}"


@pytest.mark.proves("lifecycle", "resolution.ask")
def test_a_question_exits_with_3_and_names_the_answers(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a", "b"], {".skills/b/SKILL.md": skill_md("b", "Does it.", ASKS)})
    outcome = run("winner", "a", "b", cwd=tmp_path)
    assert (outcome.code, outcome.err) == (3, "")
    first, *rest = outcome.out.splitlines()
    assert first.startswith("Ask: No rule decides between a and b, and b asks first (It publishes the page); which")
    assert rest == ["  - a", "  - b", "  answer: --prefer SKILL"]
    assert run("winner", "a", "b", "--prefer", "b", cwd=tmp_path).code == 0


def test_the_json_of_a_winner(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a", "b"], {"USER_CONTEXT.md": context(A_WINS, B_WINS)})
    values = answer(run, tmp_path, "winner", "a", "b")
    head = {"version": 1, "command": "winner", "exit": 0, "skills": ["a", "b"], "questions": [], "ask_first": ""}
    hidden = {"winner": "a", "level": "user-context", "file": "USER_CONTEXT.md", "line": 5}
    winner = {**hidden, "winner": "b", "line": 12, "why": "a rule of USER_CONTEXT.md"}
    assert values == {**head, **winner, "hidden": [hidden]}


def test_the_json_of_a_question_and_of_the_alphabet(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a", "b", "c"], {".skills/b/SKILL.md": skill_md("b", "Does it.", ASKS)})
    code, values = call(run, tmp_path, "winner", "a", "b")
    assert (code, values["winner"], values["level"]) == (3, None, None)
    (question,) = values["questions"]
    assert (question["kind"], question["about"], question["candidates"]) == ("winner", "a, b", ["a", "b"])
    code, values = call(run, tmp_path, "winner", "a", "c")
    assert (code, values["winner"], values["level"], values["file"]) == (0, "a", "alphabet", None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a",), "name two or more"),
        (("a", "a"), "named twice"),
        (("a", "bb"), "there is no such skill here"),
        (("a_x", "b"), "did you mean a-x?"),
        (("a", "b", "--prefer", "d"), "--prefer d: it is none of them; write one of a, b"),
        ((), "winner: name two or more"),
    ],
)
def test_bad_usage_is_one_sentence(tmp_path: Path, run: Run, arguments: tuple[str, ...], words: str) -> None:
    is_refused(run("winner", *arguments, cwd=bag(tmp_path, ["a", "b", "a-x"])), words)


def test_a_skill_is_opened_only_if_it_comes_to_the_alphabet(tmp_path: Path, run: Run) -> None:
    files = {".skills/a/SKILL.md": b"\xff", "USER_CONTEXT.md": context(B_WINS).encode()}
    outcome = run("winner", "a", "b", "--trace", cwd=bag(tmp_path, ["a", "b"], files))
    assert outcome.code == 0
    assert "SKILL.md" not in outcome.err.replace(".skills/SKILLS.md", "")
    (tmp_path / "USER_CONTEXT.md").unlink()
    outcome = run("winner", "a", "b", cwd=tmp_path)
    assert outcome.code == 2
    assert ".skills/a/SKILL.md:1: byte 0xff is not UTF-8" in outcome.err


@pytest.mark.proves("lifecycle", "resolution.skill-conflict")
@pytest.mark.parametrize("file", ["USER_CONTEXT.md", "CONTEXT.md"])
@pytest.mark.parametrize(
    ("block", "out"),
    [
        (rule("b", "a", "b"), "{file}:5 puts a out"),
        ("prohibit: {skills: [a]}", "{file}:4 puts a out"),
    ],
    ids=["beaten", "prohibited"],
)
def test_the_reason_names_what_put_a_skill_out_before_the_alphabet(
    tmp_path: Path, run: Run, file: str, block: str, out: str
) -> None:
    root = bag(tmp_path, ["a", "b", "c"], {file: context(block)})
    text = run("winner", "a", "b", "c", cwd=root).out
    why = "of b and c it is the first by name, since no rule decides between them"
    assert text == f"b\n{out.format(file=file)}; {why}\n{ASK}"
    _, values = call(run, root, "winner", "c", "b", "a")
    assert (values["winner"], values["level"], values["file"]) == ("b", "alphabet", None)


def test_several_that_were_put_out_are_named_each_with_its_line(tmp_path: Path, run: Run) -> None:
    files = {"USER_CONTEXT.md": context("prohibit: {skills: [b]}"), "CONTEXT.md": context(rule("d", "a", "d"))}
    text = run("winner", "a", "b", "c", "d", cwd=bag(tmp_path, ["a", "b", "c", "d"], files)).out
    assert text.startswith(
        "c\nUSER_CONTEXT.md:4 puts b out, CONTEXT.md:5 puts a out; of c and d it is the first by name"
    )
