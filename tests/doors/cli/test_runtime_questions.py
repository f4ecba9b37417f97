"""What `skillbag runtime` asks: on a terminal, or as a question that names who answers it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.runtime.broker.questions import WHO_ANSWERS
from tests.doors.cli.runtime_worlds import make_world, values
from tests.doors.cli.terminals import on_terminal, plain
from tests.runtime.worlds_active import active
from tests.support import Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_person")]

PODS = '{"kind": "web"}'
PROMPT = "deny): "


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "w")


def test_permissions_are_a_question(run: Run, root: Path) -> None:
    found = values(run, root, "call", "pods_get", PODS, "--session", "s1", code=3)
    (question,) = found["questions"]
    assert (question["kind"], question["about"]) == ("permission", "pods")
    assert question["candidates"] == ["once", "session", "always", "deny"]
    assert question["question"].startswith('Skill "pods" wants to activate. Required permissions: env:read (medium')
    done = run("runtime", "call", "pods_get", PODS, cwd=root)
    assert done.code == 3
    assert f"\n  answer: {WHO_ANSWERS}\n" in done.out
    assert not (root / "out.txt").exists()


def test_the_question_names_all_skills_that_ask(run: Run, root: Path) -> None:
    active(root, "top", dependencies="[{name: pods}]", permissions='["shell:exec"]')
    found = values(run, root, "activate", "top", code=3)
    assert [question["about"] for question in found["questions"]] == ["pods", "top"]
    assert values(run, root, "activate", "top", "--approve-skills", "top,pods")["activated"] == ["pods", "top"]


def test_a_tool_that_asks_before_each_call(run: Run, root: Path) -> None:
    given = ("call", "pods_scale", '{"to": 3}', "--approve-skills", "pods")
    (question,) = values(run, root, *given, code=3)["questions"]
    assert (question["kind"], question["about"], question["answer"]) == ("confirm", "pods_scale", WHO_ANSWERS)
    assert '{"to": 3}' in question["question"]
    assert values(run, root, *given, "--confirm")["content"] == '{"scaled":3} (signed)'
    values(run, root, *given, code=3)


@pytest.mark.parametrize(("answer", "code"), [("always", 0), ("o", 0), ("deny", 1)])
def test_on_a_terminal_permissions_are_asked(root: Path, answer: str, code: int) -> None:
    given = ("runtime", "call", "pods_get", PODS)
    ended = on_terminal(root, *given, answer=f"{answer}\n", prompt=PROMPT)
    text = plain(ended.text)
    assert 'Skill "pods" wants to activate.' in text
    assert "[Allow once] [Allow always] [Deny]" in text
    assert ended.code == code
    assert ("pods of web for  (signed)" in text) is (code == 0)


def test_on_a_terminal_a_call_is_confirmed(root: Path) -> None:
    given = ("runtime", "call", "pods_scale", '{"to": 3}', "--approve-skills", "pods")
    ended = on_terminal(root, *given, answer="y\n")
    assert (ended.code, '{"scaled":3} (signed)' in plain(ended.text)) == (0, True)
    refused = on_terminal(root, *given, answer="n\n")
    assert (refused.code, "the user did not allow this one" in " ".join(plain(refused.text).split())) == (1, True)


def test_nothing_is_asked_where_json_is_wanted(root: Path) -> None:
    ended = on_terminal(root, "runtime", "activate", "pods", "--json")
    assert ended.code == 3
    assert '"questions"' in ended.text


def test_a_dry_run_says_what_would_be_done(run: Run, root: Path) -> None:
    active(root, "base", types="[prompt]", implementation=None, prompt="{system_prompt_file: main.star}")
    active(root, "top", dependencies="[{name: base}]", permissions='["shell:exec"]')
    found = values(run, root, "activate", "top", "--dry-run")
    assert [(step["skill"], step["missing"], step["program"]) for step in found["steps"]] == [
        ("base", [], []),
        ("top", ["shell:exec"], ["starlark", "main.star"]),
    ]
    text = run("runtime", "call", "pods_get", "--dry-run", "--skills", "base", cwd=root).out
    assert text.splitlines() == [
        "base would be activated",
        "pods would be activated",
        "  permissions: env:read, file:read",
        "  asked for first: env:read, file:read",
        "  program: starlark main.star",
        "then the tool pods_get would be called",
    ]
    assert run("runtime", "run", "loud", "--dry-run", cwd=root).out.endswith("then the workflow loud would run\n")


def test_a_dry_run_starts_consumes_and_writes_nothing(run: Run, root: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    values(run, root, "call", "pods_get", "--dry-run", "--session", "s1", "--trace", trace)
    assert not trace.exists()
    assert not Path(os.environ["SKILLBAG_STATE_DIR"]).exists()
    values(run, root, "permissions", "pods", "--grant", "once")
    assert values(run, root, "activate", "pods", "--dry-run")["steps"][0]["missing"] == []
    values(run, root, "activate", "pods", "--session", "s1")
    assert values(run, root, "call", "pods_get", "--dry-run", "--session", "s1")["steps"] == []


def test_a_dry_run_says_what_would_be_refused(run: Run, root: Path) -> None:
    (step,) = values(run, root, "activate", "stuck", "--dry-run", code=1)["steps"]
    assert step["refusal"] == 'dependency "nowhere" not found'
    values(run, root, "permissions", "pods", "--deny")
    (step,) = values(run, root, "call", "pods_get", "--dry-run", code=1)["steps"]
    undo = "a person revokes that on a terminal, so that it can be asked for again"
    assert step["refusal"] == f"the user has denied it env:read, file:read; {undo}"
    values(run, root, "activate", "nope", "--dry-run", code=2)
    assert "has no workflows" in values(run, root, "run", "pods", "--dry-run", code=2)["error"]
