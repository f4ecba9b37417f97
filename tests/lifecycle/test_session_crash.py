"""A session that is killed: it has entered with its report delivered, or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lifecycle.agents import (
    SESSION,
    enter,
    launch,
    refresh,
    state_folder,
    tagged,
)
from tests.lifecycle.bags import bag
from tests.support import PROJECT, Run

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
def test_killed_at_any_step_it_has_entered_with_its_report_told_or_not_entered(run: Run, tmp_path: Path) -> None:
    root = tagged(tmp_path / "w")
    count = 24
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(count), "enter"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
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
