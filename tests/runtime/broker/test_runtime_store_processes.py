"""Several processes at the runtime's database, and processes that are killed at any moment."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.decisions import ApprovalScope
from tests.runtime.grantees import READ, SHELL, approvals, grantee, store
from tests.sampling import sample
from tests.support import PROJECT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills its own children")

WORKER = """
import sys
from pathlib import Path
from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.decisions import ApprovalScope
from skillbag.runtime.errors import NotPermittedError
from tests.runtime.grantees import grantee, store
act, folder, count, first = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
known = Approvals(store(folder, lambda remark: print("remark"), wait=30))
print("ready", flush=True)
sys.stdin.readline()
for number in range(first, first + count):
    if act == "grant":
        known.grant(grantee(f"skill-{number}"), ApprovalScope.ONCE)
        continue
    try:
        known.admit(grantee(f"skill-{number}"))
    except NotPermittedError:
        continue
    print(number)
"""


def together(act: str, folder: Path, count: int, *firsts: int) -> list[list[str]]:
    """What each of these processes prints that begin at the same time."""
    command = [sys.executable, "-c", WORKER, act, str(folder), str(count)]
    started = [
        subprocess.Popen([*command, str(first)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT)
        for first in firsts
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    reported = [process.communicate()[0].split() for process in started]
    assert [process.returncode for process in started] == [0] * len(firsts)
    return reported


def test_exactly_one_process_gets_what_was_approved_once(tmp_path: Path) -> None:
    known = approvals(tmp_path)
    for number in range(20):
        known.grant(grantee(f"skill-{number}"), ApprovalScope.ONCE)
    got = together("admit", tmp_path, 20, 0, 0)
    assert sorted(int(number) for each in got for number in each) == [*range(20)]
    assert known.list() == ()


def test_processes_create_the_database_together(tmp_path: Path) -> None:
    assert together("grant", tmp_path / "state", 3, 0, 3, 6) == [[], [], []]
    assert len({each.skill for each in approvals(tmp_path / "state").list()}) == 9


def test_processes_find_a_damaged_database_together(tmp_path: Path) -> None:
    (tmp_path / "runtime.db").write_bytes(b"garbage" * 1000)
    (tmp_path / "runtime.db").chmod(0o600)
    reported = together("grant", tmp_path, 3, 0, 3, 6)
    assert sorted(reported) == [[], [], ["remark"]]
    assert len([*tmp_path.glob("runtime.db.damaged-*")]) == 1
    assert len({each.skill for each in approvals(tmp_path).list()}) == 9


Step = Callable[[Approvals], object]
STEPS: tuple[Step, ...] = (
    lambda known: known.grant(grantee(), ApprovalScope.ONCE),
    lambda known: known.admit(grantee()),
    lambda known: known.grant(grantee(), ApprovalScope.SESSION, "s1"),
    lambda known: known.grant(grantee(), ApprovalScope.ALWAYS),
    lambda known: known.grant(grantee(), ApprovalScope.DENY),
    lambda known: known.revoke("kubernetes"),
)
STATES = [
    (),
    (("file:read", "once"), ("shell:exec", "once")),
    (),
    (("file:read", "session"), ("shell:exec", "session")),
    (("file:read", "always"), ("file:read", "session"), ("shell:exec", "always"), ("shell:exec", "session")),
    (("file:read", "deny"), ("shell:exec", "deny")),
    (),
]
"""What is stored before the first step, and after each."""


def state(folder: Path) -> tuple[tuple[str, str], ...]:
    """What is stored; the database is sound."""
    remarks: list[str] = []
    opened = store(folder, remarks.append)
    found = tuple((each.permission, each.scope) for each in Approvals(opened).list())
    assert opened.run(lambda connection: connection.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]
    opened.close()
    assert remarks == []
    return found


def forked(work: Callable[[int], object]) -> tuple[bool, int]:
    """Do it in a child, given the descriptor of a pipe; whether it was killed, and how many bytes it wrote."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work(writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with open(reading, "rb") as file:
        written = len(file.read())
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status), written


def killed_at(number: int) -> None:
    """This process dies at the statement, file opening or renaming of this number."""
    left = iter(range(number))

    def count(*_: object) -> None:
        if next(left, None) is None:
            die()

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*arguments: Any, **options: Any) -> Any:
            count()
            return call(*arguments, **options)

        return counting

    connect = sqlite3.connect

    def tracing(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(count)
        return connection

    sqlite3.connect = counted(tracing)
    for name in ("open", "rename", "chmod"):
        setattr(os, name, counted(getattr(os, name)))


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def steps_in(folder: Path, report: int) -> None:
    known = approvals(folder)
    for step in STEPS:
        step(known)
        os.write(report, b".")


def test_a_kill_at_any_write_leaves_whole_steps(tmp_path: Path) -> None:
    def tried(number: int) -> bool:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))

        def work(report: int) -> None:
            killed_at(number)
            steps_in(folder, report)

        was_killed, done = forked(work)
        assert state(folder) in STATES[done : done + 2], f"killed at {number}"
        return was_killed

    last = next(number for number in (1 << bit for bit in range(16)) if not tried(number))
    assert last > 60
    for number in sample("kills of the store", range(last), 16):
        tried(number)


@pytest.mark.slow
def test_a_kill_at_any_time_leaves_whole_steps(tmp_path: Path) -> None:
    chance = random.Random(16)
    for number in range(25):
        folder = tmp_path / str(number)

        def work(report: int, folder: Path = folder, limit: float = chance.uniform(0, 0.03)) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, limit)
            steps_in(folder, report)
            time.sleep(limit)

        done = forked(work)[1]
        assert state(folder) in STATES[done : done + 2]


@pytest.mark.nightly
def test_a_kill_while_a_database_is_set_aside_approves_nothing(tmp_path: Path) -> None:
    number, was_killed = 0, True
    while was_killed:
        folder = tmp_path / str(number)
        opened = store(folder)
        Approvals(opened).grant(grantee(), ApprovalScope.ALWAYS)
        opened.close()
        damage(folder / "runtime.db")

        def work(report: int, folder: Path = folder, number: int = number) -> None:
            killed_at(number)
            approvals(folder).missing(grantee())

        was_killed = forked(work)[0]
        assert approvals(folder).missing(grantee()) == (READ, SHELL)
        assert len([*folder.glob("runtime.db.damaged-*[0-9a-f]")]) == 1
        number += 1
    assert number > 5


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
