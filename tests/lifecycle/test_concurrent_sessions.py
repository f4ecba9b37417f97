"""Several processes at once, and killed ones: one report for a session, and nothing lost of what it has loaded."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from skillbag import Session, open_workspace
from skillbag.lifecycle.state import changing
from tests.lifecycle.agents import SESSION, ended, enter, launch, refresh, script, state, state_folder, states
from tests.lifecycle.bags import bag
from tests.support import Run


def together(root: Path, *commands: list[str]) -> list[dict[str, Any]]:
    """What the commands say that are started at the same moment."""
    processes = [launch(root, *arguments, "--json") for arguments in commands]
    outcomes = [ended(process) for process in processes]
    assert [(code, err) for code, _, err in outcomes] == [(0, "")] * len(commands)
    return [json.loads(out) for _, out, _ in outcomes]


@pytest.mark.proves("lifecycle", "entry.once")
def test_of_entries_at_the_same_moment_one_has_the_report(root: Path) -> None:
    said = together(root, *[["enter", "--session", SESSION]] * 6)
    assert sorted(one["status"] for one in said) == ["already"] * 5 + ["entered"]
    assert sum(bool(one["catalog"]) for one in said) == 1
    assert len(states()) == 1


@pytest.mark.proves("lifecycle", "entry.once")
def test_an_entry_waits_for_the_one_that_is_under_way(tmp_path: Path, run: Run) -> None:
    texts = {f"skill-{number:03}": "A long description of what it does, over and over. " * 5 for number in range(400)}
    root = bag(tmp_path / "w", texts)
    first = launch(root, "enter", "--json", "--session", SESSION)
    assert first.stdout
    start = first.stdout.read(10)
    second = launch(root, "enter", "--json", "--session", SESSION)
    # The first can't end: nobody takes what it says. So it has not entered, and the second can't know yet.
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
        assert together(root, ["enter", "--session", SESSION])[0]["status"] == "entered"


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_what_several_runs_load_at_once_is_all_remembered(tmp_path: Path, run: Run) -> None:
    names = [f"skill-{number}" for number in range(6)]
    root = bag(tmp_path / "w", names)
    enter(run, root)
    together(root, *(["run", name, "--session", SESSION] for name in names))
    assert sorted(state()["loaded"]) == names


@pytest.mark.proves("lifecycle", "refresh.complete")
def test_of_refreshes_at_the_same_moment_one_tells(root: Path, run: Run) -> None:
    enter(run, root)
    (root / "CONTEXT.md").write_text("# C\n")
    said = together(root, *[["refresh", "--session", SESSION]] * 4)
    assert sum(one["read"] == ["CONTEXT.md"] for one in said) == 1
    assert refresh(run, root)["nothing"] is True


def test_a_refresh_beside_runs_loses_nothing(tmp_path: Path, run: Run) -> None:
    names = [f"skill-{number}" for number in range(4)]
    root = bag(tmp_path / "w", names)
    enter(run, root)
    (root / "CONTEXT.md").write_text("# C\n")
    together(root, *(["run", name, "--session", SESSION] for name in names), ["refresh", "--session", SESSION])
    assert sorted(state()["loaded"]) == names
    assert refresh(run, root)["nothing"] is True


def test_who_has_to_wait_too_long_is_told(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillbag.lifecycle.state._WAIT", 0.2)
    with changing(str(root), SESSION):
        outcome = run("enter", "--session", SESSION, cwd=root)
    assert (outcome.code, outcome.out) == (4, "")
    assert f"another process has been at work in the session {SESSION}" in outcome.err
    assert enter(run, root)["status"] == "entered"


@pytest.mark.skipif(os.name != "posix", reason="the process is killed by a signal")
def test_a_killed_process_holds_nobody_up(tmp_path: Path, run: Run) -> None:
    texts = {f"skill-{number:03}": "A long description of what it does, over and over. " * 5 for number in range(400)}
    root = bag(tmp_path / "w", texts)
    first = launch(root, "enter", "--json", "--session", SESSION)
    assert first.stdout
    first.stdout.read(10)
    first.kill()
    first.communicate()
    assert enter(run, root)["status"] == "entered"


# Enters in a session for each number up to the first argument, and kills the process before its step with this number:
# of those by which it changes what is kept of sessions.
KILLED = """
import os, signal, sys
from skillbag.cli import main
import skillbag.cli.enter, filelock, skillbag.lifecycle.entry, skillbag.report.entry
STEPS = {"open", "os.rename", "os.mkdir", "os.chmod", "os.remove", "os.link"}
folder = os.environ["SKILLBAG_STATE_DIR"]
count = 0
def is_step(event, arguments):
    within = any(isinstance(one, str) and one.startswith(folder + os.sep) for one in arguments)
    return event == "fcntl.flock" or event in STEPS and within
def hook(event, arguments):
    global count
    if is_step(event, arguments):
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)
for number in range(1, int(sys.argv.pop(1)) + 1):
    if os.fork() == 0:
        sys.stdout = open(f"{folder}-out-{number}", "w")
        sys.addaudithook(hook)
        os.environ["SKILLBAG_SESSION"] = f"k{number}"
        main()
    os.wait()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks")
@pytest.mark.proves("lifecycle", "entry.once")
def test_killed_at_any_step_it_has_entered_with_its_report_told_or_not_entered(run: Run, root: Path) -> None:
    count = 24
    done = script(root, KILLED, count, "enter")
    assert "Traceback" not in done.stderr
    seen = set()
    for number in range(1, count + 1):
        told = Path(f"{state_folder()}-out-{number}").read_text("utf-8")
        status = enter(run, root, session=f"k{number}")["status"]
        assert told.endswith("never secrets.\n") or (status, told) == ("entered", "")
        assert refresh(run, root, session=f"k{number}")["nothing"] is True
        seen.add((status, bool(told)))
    # Killed before the report, between report and state, after the state.
    assert seen == {("entered", False), ("entered", True), ("already", True)}


def test_killed_while_it_waits_for_its_reader_a_session_has_not_entered(run: Run, tmp_path: Path) -> None:
    texts = {f"skill-{number:03}": "A long description of what it does, over and over. " * 5 for number in range(400)}
    root = bag(tmp_path / "w", texts)
    process = launch(root, "enter", "--json", "--session", SESSION)
    assert process.stdout
    # The pipe is full by now, and what is in it is not all.
    assert process.stdout.read(10) == '{\n  "versi'
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert enter(run, root)["status"] == "entered"
