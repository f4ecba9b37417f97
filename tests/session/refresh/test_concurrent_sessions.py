"""Several processes at once, and killed ones: one report for a session, and nothing lost of what it has loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from skillbag import Session, open_workspace
from skillbag.session.refresh.state import changing
from tests.session.agents import SESSION, ended, enter, launch, refresh, state, state_folder, states
from tests.session.bags import bag, crowded
from tests.session.forks import Forked, forks, together
from tests.support import Run

pytestmark = forks


def answers(root: Path, *commands: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the commands print that begin at the same moment."""
    outcomes = together(root, *((*arguments, "--json") for arguments in commands))
    assert [(outcome.code, outcome.err) for outcome in outcomes] == [(0, "")] * len(commands)
    return [json.loads(outcome.out) for outcome in outcomes]


@pytest.mark.proves("lifecycle", "entry.once")
def test_of_entries_at_the_same_moment_one_has_the_report(root: Path) -> None:
    said = answers(root, *[("enter", "--session", SESSION)] * 6)
    assert sorted(answer["status"] for answer in said) == ["already"] * 5 + ["entered"]
    assert sum(bool(answer["catalog"]) for answer in said) == 1
    assert len(states()) == 1


@pytest.mark.proves("lifecycle", "entry.once")
def test_an_entry_waits_for_the_one_that_is_under_way(tmp_path: Path, run: Run) -> None:
    root = crowded(tmp_path / "w")
    first = launch(root, "enter", "--json", "--session", SESSION)
    assert first.stdout
    start = first.stdout.read(10)
    second = launch(root, "enter", "--json", "--session", SESSION)
    # The first can't end while its output is not read. So it has not entered, and the second can't know yet.
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(2)
    assert json.loads(start + first.stdout.read())["status"] == "entered"
    assert ended(first)[0] == 0
    assert json.loads(ended(second)[1])["status"] == "already"


@pytest.mark.proves("lifecycle", "entry.once")
def test_threads_of_one_program_share_the_session_too(root: Path) -> None:
    said: list[str] = []

    def work() -> None:
        said.append(Session(open_workspace(str(root)), SESSION).enter().status.value)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["already", "already", "already", "entered"]


def test_sessions_of_one_workspace_do_not_wait_for_each_other(root: Path) -> None:
    with changing(str(root), "another"):
        assert answers(root, ("enter", "--session", SESSION))[0]["status"] == "entered"


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_what_several_runs_load_at_once_is_all_remembered(tmp_path: Path, run: Run) -> None:
    names = [f"skill-{number}" for number in range(6)]
    root = bag(tmp_path / "w", names)
    enter(run, root)
    answers(root, *(("run", name, "--session", SESSION) for name in names))
    assert sorted(state()["loaded"]) == names


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_of_refreshes_at_the_same_moment_one_reports(root: Path, run: Run) -> None:
    enter(run, root)
    (root / "CONTEXT.md").write_text("# C\n")
    said = answers(root, *[("refresh", "--session", SESSION)] * 4)
    assert sum(answer["read"] == ["CONTEXT.md"] for answer in said) == 1
    assert refresh(run, root)["nothing"] is True


def test_a_refresh_beside_runs_loses_nothing(tmp_path: Path, run: Run) -> None:
    names = [f"skill-{number}" for number in range(4)]
    root = bag(tmp_path / "w", names)
    enter(run, root)
    (root / "CONTEXT.md").write_text("# C\n")
    answers(root, *(("run", name, "--session", SESSION) for name in names), ("refresh", "--session", SESSION))
    assert sorted(state()["loaded"]) == names
    assert refresh(run, root)["nothing"] is True


def test_an_entry_that_waits_too_long_is_an_error(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillbag.session.refresh.state._WAIT", 0.2)
    with changing(str(root), SESSION):
        outcome = run("enter", "--session", SESSION, cwd=root)
    assert (outcome.code, outcome.out) == (4, "")
    assert f"another process has been at work in the session {SESSION}" in outcome.err
    assert enter(run, root)["status"] == "entered"


STEPS = {"open", "os.rename", "os.mkdir", "os.chmod", "os.remove", "os.link"}
"""What changes the kept sessions, besides taking a lock."""


def kill_at(number: int) -> None:
    """Kill this process before its step with this number."""
    left, within = number, f"{state_folder()}{os.sep}"

    def hook(event: str, given: tuple[object, ...]) -> None:
        nonlocal left
        in_state = event in STEPS and any(isinstance(path, str) and path.startswith(within) for path in given)
        left -= in_state or event == "fcntl.flock"
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


@pytest.mark.slow
@pytest.mark.proves("lifecycle", "entry.once")
def test_killed_at_any_step_it_has_entered_after_its_report_or_not_entered(run: Run, root: Path) -> None:
    seen = set()
    for number in range(1, 25):
        done = Forked(root, "enter", "--session", f"k{number}", prepare=partial(kill_at, number)).ended()
        assert done.err == ""
        report = done.out
        status = enter(run, root, session=f"k{number}")["status"]
        assert report.endswith("never secrets.\n") or (status, report) == ("entered", "")
        assert refresh(run, root, session=f"k{number}")["nothing"] is True
        seen.add((status, bool(report)))
    # Killed before the report, between report and state, after the state.
    assert seen == {("entered", False), ("entered", True), ("already", True)}


def test_killed_while_it_waits_for_its_reader_a_session_has_not_entered(run: Run, tmp_path: Path) -> None:
    root = crowded(tmp_path / "w")
    process = launch(root, "enter", "--json", "--session", SESSION)
    assert process.stdout
    # The pipe is full by now, and what is in it is not all.
    assert process.stdout.read(10) == '{\n  "versi'
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert enter(run, root)["status"] == "entered"
