"""What can be a session's id, and how it is given."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from skillbag.session.refresh.state import check_id, new_id
from tests.session.agents import enter, is_one_sentence, states
from tests.supply.install.worlds import call, snapshot
from tests.support import Run

GOOD_IDS = [
    "s1",
    "../../../etc/passwd",
    "/absolute/path",
    "a/b\\c:d*e?f",
    "--session",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
    "x" * 200,
    "名前 the second",
    "%00$(touch x)`y`;'\"",
    "😀",
]


@pytest.mark.parametrize("session", GOOD_IDS)
def test_any_printable_id_is_one_and_leads_nowhere_else(run: Run, tmp_path: Path, session: str, root: Path) -> None:
    around = snapshot(tmp_path)
    code, values = call(run, root, "enter", f"--session={session}")
    assert (code, values["session"], values["status"]) == (0, session, "entered")
    assert call(run, root, "enter", f"--session={session}")[1]["status"] == "already"
    assert call(run, root, "refresh", f"--session={session}")[1]["nothing"] is True
    (path,) = states()
    assert len(path.name) == len("0" * 32 + ".json")
    assert snapshot(tmp_path) == around


BAD_IDS = [
    "",
    "  ",
    " s1",
    "s1\n",
    "x" * 10_240,
    "x" * 201,
    "a\x1b[31mred",
    "a\x07",
    "a\u200bb",
    "a\u202eb",
    "a\u00a0b",
]
BAD_IDS += [os.fsdecode(b"a\xff")]


@pytest.mark.parametrize(
    ("arguments", "session"),
    [*((["enter"], session) for session in BAD_IDS), (["refresh"], "a\x1b[31mred"), (["order"], "a\x1b[31mred")],
)
def test_an_id_that_is_not_allowed_is_one_short_sentence(
    run: Run, root: Path, arguments: list[str], session: str
) -> None:
    outcome = run(*arguments, f"--session={session}", cwd=root)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "a session's id is 1 to 200 printable characters" in outcome.err
    assert len(outcome.err) < 400
    assert outcome.err.rstrip("\n").isprintable()
    code, values = call(run, root, *arguments, f"--session={session}")
    assert (code, values["error"][:14]) == (2, "a session's id")
    assert states() == []


def test_two_spellings_of_a_letter_are_two_sessions(run: Run, root: Path) -> None:
    composed, decomposed = "caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9")
    assert [enter(run, root, session=item)["status"] for item in (composed, decomposed)] == ["entered", "entered"]


def test_new_ids_are_ids_and_differ() -> None:
    made = {new_id() for _ in range(100)}
    assert len(made) == 100
    assert {check_id(item) for item in made} == made


def test_without_an_id_a_session_command_says_what_to_give(run: Run, root: Path) -> None:
    outcome = run("refresh", cwd=root)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: no session is named; give --session ID, the one that skillbag enter printed\n"


def test_the_id_may_come_from_the_environment(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_SESSION", "from the environment")
    assert call(run, root, "enter")[1]["session"] == "from the environment"
    assert call(run, root, "refresh")[1]["nothing"] is True


COMMANDS = [["refresh"], ["order"], ["run", "greet"], ["resolve", "greet"]]


@pytest.mark.parametrize("arguments", COMMANDS)
@pytest.mark.parametrize("session", ["s2", "never"])
def test_a_session_that_has_not_entered_gets_the_command(
    run: Run, root: Path, arguments: list[str], session: str
) -> None:
    enter(run, root)
    outcome = run(*arguments, "--session", session, cwd=root)
    is_one_sentence(outcome, f"the session {session} has not entered this workspace")
    assert outcome.err.endswith(f"skillbag enter --session {session} does\n")


@pytest.mark.parametrize("arguments", [["enter"], *COMMANDS[1:]])
def test_a_folder_without_a_workspace_is_one_sentence(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    is_one_sentence(run(*arguments, cwd=tmp_path), "no workspace is here", "skillbag init makes one")
