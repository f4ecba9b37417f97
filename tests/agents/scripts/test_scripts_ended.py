"""A script of a skill always comes to an end, and nothing of it stays behind, whatever becomes of us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skillbag.agents.scripts.run import run_skill_script
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.processes.groups import kill_running
from tests.processes import all_processes, descriptors, eventually, fields_of, ids_in, is_alive
from tests.rows import each_row
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts are run on POSIX systems only")

PIDS = "echo $$ >>pids; "
CALL = "import sys; from skillbag.agents.scripts.run import run_skill_script as run; run(sys.argv[1], sys.argv[2])"


def ran(skill: Path, text: str, stdin: str | None = None, limit: float = 30) -> str:
    """Write a script of the shell into the skill and run it."""
    write(skill, {"x.sh": text})
    return run_skill_script(str(skill), "x.sh", (), stdin, limit)


def pids(skill: Path, count: int) -> list[int]:
    """The ids that processes of the skill have written, once there are so many."""
    return ids_in(skill / "pids", count)


def survivors(found: list[int]) -> list[int]:
    """Those that are still there after a while; they are ended then."""
    if not os.path.isdir("/proc/self"):
        pytest.skip("no /proc")
    eventually(lambda: not any(map(is_alive, found)))
    left = list(filter(is_alive, found))
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def at_once(call: Callable[[Path, str], object], folder: Path, texts: Sequence[str]) -> None:
    """Call it for each text, each with a folder of its own."""
    places = [folder / str(number) for number in range(len(texts))]
    with ThreadPoolExecutor(len(texts)) as pool:
        list(pool.map(call, places, texts))


LASTING = [
    "sleep 1000",
    "trap '' TERM INT HUP; while :; do sleep 1; done",
    "exec >&- 2>&-; sleep 1000",
    "yes",
    "(echo $BASHPID >>pids; sleep 1000) & (echo $BASHPID >>pids; sleep 1000) & wait",
    "kill -STOP $$",
]


@pytest.mark.slow
@pytest.mark.parametrize("stdin", [None, "x" * 1_000_000])
def test_at_its_limit_it_is_killed_and_that_is_reported(tmp_path: Path, stdin: str | None) -> None:
    def call(folder: Path, text: str) -> None:
        with pytest.raises(UserError, match=r"^Script execution timed out \(2s limit\)$"):
            ran(folder, PIDS + text, stdin, 2)
        assert not survivors(pids(folder, 1))

    began = time.monotonic()
    at_once(call, tmp_path, LASTING)
    assert time.monotonic() - began < 50


OUTLIVING = ["sleep 1000 & echo $! >>pids", "(sleep 1000 & echo $! >>pids)", "yes & echo $! >>pids"]


@pytest.mark.parametrize("after", ["", " >/dev/null 2>&1 </dev/null"])
def test_what_outlives_a_script_neither_holds_up_the_call_nor_lives_on(tmp_path: Path, after: str) -> None:
    def call(folder: Path, text: str) -> None:
        assert "out\n" in ran(folder, f"{{ {text} ; }}{after}; echo out")
        assert not survivors(pids(folder, 1))

    began = time.monotonic()
    at_once(call, tmp_path, OUTLIVING)
    assert time.monotonic() - began < 50


def test_what_makes_a_session_of_its_own_does_not_hold_up_the_call(tmp_path: Path) -> None:
    text = "import os, sys, time\nif os.fork():\n print('out')\n sys.exit()\nos.setsid()\n"
    write(tmp_path, {"x.py": f"{text}open('pids', 'w').write(f'{{os.getpid()}}\\n')\ntime.sleep(1000)"})
    began = time.monotonic()
    assert run_skill_script(str(tmp_path), "x.py", limit=60) == "out\n"
    assert time.monotonic() - began < 50
    os.kill(pids(tmp_path, 1)[0], signal.SIGKILL)


def test_what_is_still_being_written_when_the_script_has_ended_is_not_lost(tmp_path: Path) -> None:
    assert ran(tmp_path, "exec > >(sleep 0.1; cat; echo last); echo first") == "first\nlast\n"


def test_a_crowd_of_processes_is_killed_as_one(tmp_path: Path) -> None:
    # Each makes two, five levels deep: 63 of them.
    two = "bash more.sh $(($1-1)) & bash more.sh $(($1-1)) &"
    write(tmp_path, {"more.sh": f'echo $$ >>pids; [ "$1" = 0 ] || {{ {two} }}; wait; sleep 1000'})
    with ThreadPoolExecutor() as pool:
        call = pool.submit(ran, tmp_path, "bash more.sh 5", limit=60)
        crowd = pids(tmp_path, 63)
        kill_running()
        assert call.result() == "[exit code: -9] (SIGKILL)"
    assert not survivors(crowd)


def test_what_one_thread_runs_can_be_killed_alone(tmp_path: Path) -> None:
    write(tmp_path, {"x.sh": f"{PIDS}read -r -t 100 line <>lasting; echo lived"})
    os.mkfifo(tmp_path / "lasting")
    threads: list[int] = []

    def call() -> str:
        threads.append(threading.get_ident())
        return run_skill_script(str(tmp_path), "x.sh", limit=60)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(call)
        pids(tmp_path, 1)
        second = pool.submit(call)
        pids(tmp_path, 2)
        kill_running(threads[0])
        assert first.result() == "[exit code: -9] (SIGKILL)"
        pipe = os.open(tmp_path / "lasting", os.O_RDWR)
        os.write(pipe, b"\n")
        assert second.result() == "lived\n"
        os.close(pipe)


def test_a_script_may_wait_for_all_of_its_children(tmp_path: Path) -> None:
    text = "import os\nif not os.fork(): os._exit(0)\nn = 0\ntry:\n while os.wait(): n += 1\n"
    text += "except ChildProcessError: print(n)"
    write(tmp_path, {"x.py": text})
    assert run_skill_script(str(tmp_path), "x.py", limit=10) == "1\n"


def test_a_script_may_end_its_own_group(tmp_path: Path) -> None:
    child = "(echo $BASHPID >>pids; sleep 1000) & while ! [ -s pids ]; do :; done"
    assert ran(tmp_path, f"trap : TERM; {child}; kill 0; echo out") == "out\n"
    assert not survivors(pids(tmp_path, 1))


@each_row("by", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_script_does_not_outlive_the_program_that_ran_it(tmp_path: Path, by: signal.Signals) -> None:
    child = "(trap '' TERM HUP INT; echo $BASHPID >>pids; while :; do sleep 1; done)"
    write(tmp_path, {"x.sh": f"trap '' TERM HUP INT; {PIDS} {child} & {child} & wait"})
    ours = subprocess.Popen([sys.executable, "-c", CALL, tmp_path, "x.sh"], stderr=subprocess.DEVNULL)
    found = pids(tmp_path, 3)
    assert len(set(found)) == 3
    assert all(map(is_alive, found))
    ours.send_signal(by)
    ours.wait(300)
    assert not survivors(found)


LATE = """import subprocess, time
class Late(subprocess.Popen):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        time.sleep(0.2)
subprocess.Popen = Late
"""


def test_not_even_one_that_kills_that_program_at_its_very_start_outlives_it(tmp_path: Path) -> None:
    write(tmp_path, {"x.sh": f"#!/bin/sh\nkill -9 $PPID; {PIDS} while :; do sleep 1; done"})
    command = [sys.executable, "-c", LATE + CALL, str(tmp_path), "x.sh"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    # Killed at once, it may not even come to write its number down.
    time.sleep(0.1)
    path = tmp_path / "pids"
    assert not survivors([int(item) for item in path.read_text().split()] if path.exists() else [])


def test_no_guard_stays_when_a_script_has_ended(tmp_path: Path) -> None:
    if not os.path.isdir("/proc/self"):
        pytest.skip("no /proc")
    ran(tmp_path, PIDS)
    group = pids(tmp_path, 1)[0]
    assert eventually(lambda: str(group) not in {fields[2] for fields in map(fields_of, all_processes()) if fields})


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a system call of Linux")
def test_the_first_process_of_a_container_is_left_no_dead_ones(tmp_path: Path) -> None:
    write(tmp_path, {"x.sh": "sleep 1000 & sleep 1000 & true"})
    inherit = "import ctypes, os; assert not ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); "
    ask = "; print(open(f'/proc/self/task/{os.getpid()}/children').read())"
    command = [sys.executable, "-c", f"{inherit}{CALL}{ask}", str(tmp_path), "x.sh"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "\n"


def test_many_run_at_once_and_each_gets_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"x.sh": 'echo "$1"; cat; echo "err $1" >&2; sleep 0.1; exit "$1"'})
    before, threads = descriptors(), set(threading.enumerate())

    def call(number: int) -> str:
        return run_skill_script(str(tmp_path), "x.sh", [str(number)], f"in {number}\n" * 20_000, 60)

    with ThreadPoolExecutor(50) as pool:
        reported = list(pool.map(call, range(1, 51)))
    for number, one in enumerate(reported, 1):
        read = f"in {number}\n" * 20_000
        assert one == f"{number}\n{read}\n[stderr]\nerr {number}\n\n[exit code: {number}]"
    assert not descriptors() - before
    assert set(threading.enumerate()) <= threads


def test_those_that_end_and_those_that_are_killed_do_not_disturb_each_other(tmp_path: Path) -> None:
    write(tmp_path, {"slow.sh": "sleep 1000", "quick.sh": "echo hi"})

    def call(number: int) -> str:
        try:
            return run_skill_script(
                str(tmp_path), "slow.sh" if number % 2 else "quick.sh", limit=1.0 if number % 2 else 60
            )
        except UserError as error:
            return str(error)

    with ThreadPoolExecutor(20) as pool:
        reported = list(pool.map(call, range(20)))
    assert reported == ["hi\n", "Script execution timed out (1s limit)"] * 10
