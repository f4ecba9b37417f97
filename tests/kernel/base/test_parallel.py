"""Work split over two processes: the parts in order, the same as in one, whatever becomes of the child."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from unittest.mock import Mock

import pytest

from skillbag.kernel.base import parallel
from skillbag.kernel.base.parallel import UntilEnough, in_parts, split

PARENT = os.getpid()
ITEMS = list(range(7))


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with two cores, in a process with one thread."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(sys, "platform", "linux")


class Meeting:
    """Two processes wait here for each other, so that neither is quick enough to do everything."""

    def __init__(self) -> None:
        self._me = os.getpid()
        self._ways = (os.pipe(), os.pipe())

    def wait(self) -> None:
        """Return when the other one is here, too; at once after the first meeting."""
        mine, others = self._ways if os.getpid() == self._me else self._ways[::-1]
        os.write(mine[1], b"x")
        os.read(others[0], 1)
        os.write(others[1], b"x")


def seen(items: Sequence[int]) -> tuple[int, list[int]]:
    return os.getpid(), list(items)


@pytest.mark.usefixtures("two")
def test_each_process_does_a_part() -> None:
    meeting = Meeting()

    def work(items: Sequence[int]) -> tuple[int, list[int]]:
        meeting.wait()
        return seen(items)

    (first, head), (second, tail) = in_parts(work, ITEMS, 2)
    assert head + tail == ITEMS
    assert {first, second} > {os.getpid()}


@pytest.mark.usefixtures("two")
def test_many_parts_come_in_order_whoever_is_quicker() -> None:
    def work(items: Sequence[int]) -> tuple[int, list[int]]:
        time.sleep(0.02 if items[0] % 3 else 0)
        return seen(items)

    parts = in_parts(work, range(500), 2)
    assert [item for _, items in parts for item in items] == list(range(500))
    assert len(parts) == 31
    assert len({process for process, _ in parts}) == 2
    assert len(in_parts(seen, range(100_000), 2)) == 200


@pytest.mark.usefixtures("two")
def test_a_part_larger_than_a_pipe_holds() -> None:
    meeting = Meeting()

    def work(items: Sequence[int]) -> str:
        meeting.wait()
        return "x" * 1_000_000 + str(len(items))

    first, second = in_parts(work, ITEMS, 2)
    assert (first[-1], second[-1], len(second)) == ("3", "4", 1_000_001)


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("end", ["raise", "exit", "kill", "unpicklable"])
def test_a_child_that_fails_is_stood_in_for(end: str, capfd: pytest.CaptureFixture[str]) -> None:
    me = os.getpid()
    meeting = Meeting()

    def work(items: Sequence[int]) -> object:
        meeting.wait()
        if os.getpid() != me:
            if end == "raise":
                raise ValueError("in the child")
            if end == "exit":
                sys.exit(0)
            if end == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            return lambda: items
        return os.getpid(), list(items)

    assert in_parts(work, ITEMS, 2) == [(me, [0, 1, 2]), (me, [3, 4, 5, 6])]
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("room", [0, 1])
def test_where_there_is_no_room_for_a_pipe_one_process_does_all(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, pipe = [], os.pipe

    def scarce() -> tuple[int, int]:
        made.append(1)
        if len(made) > room:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return pipe()

    monkeypatch.setattr(os, "pipe", scarce)
    parts = in_parts(seen, ITEMS, 2)
    assert [item for _, items in parts for item in items] == ITEMS
    assert {process for process, _ in parts} == {os.getpid()}


@pytest.mark.usefixtures("two")
def test_a_fault_of_the_work_itself_is_raised() -> None:
    def work(items: Sequence[int]) -> None:
        raise ZeroDivisionError(len(items))

    with pytest.raises(ZeroDivisionError):
        in_parts(work, ITEMS, 2)


@pytest.mark.usefixtures("two")
def test_few_items_one_core_threads_or_no_fork_are_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(in_parts(seen, ITEMS, 2)) == 2
    assert len(in_parts(seen, ITEMS[:1], 2)) == 1
    for owner, name, value in (
        (threading, "active_count", lambda: 2),
        (os, "sched_getaffinity", lambda _: {3}),
        (sys, "platform", "darwin"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            assert in_parts(seen, ITEMS, 2) == [(os.getpid(), ITEMS)]
    monkeypatch.delattr(os, "fork")
    assert in_parts(seen, ITEMS, 2) == [(os.getpid(), ITEMS)]


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("sizes", "forks"),
    [
        ([1] * 150, 0),
        ([1] * 250, 1),
        ([200, 1, 200], 1),
        ([50, 50, 1], 0),
        ([60, 60, 300], 0),
        ([60, 60, 1, 1, 1], 1),
        ([200], 0),
        ([200, 200], 0),
        ([], 0),
    ],
)
def test_what_counts_is_effort_not_number(sizes: list[int], forks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "ENOUGH", 100)
    fork = Mock(side_effect=os.fork)
    monkeypatch.setattr(os, "fork", fork)
    done = 7

    def work(items: Sequence[int]) -> tuple[int, list[int]]:
        nonlocal done
        done += sum(items)
        return seen(items)

    first = UntilEnough(sizes, lambda: done)
    parts = [*map(work, ([size] for size in first)), *split(work, first.rest, first.processes)]
    assert [item for _, items in parts for item in items] == sizes
    assert fork.call_count == forks


ORPHAN = """
import os, sys
from skillbag.kernel.base import parallel
parallel._cores = lambda: 2
parent, begun = os.getpid(), os.pipe()
def work(items):
    if os.getpid() != parent:
        print(os.getpid(), flush=True)
        os.write(begun[1], b"x")
        return "x" * 1_000_000
    os.read(begun[0], 1)
    os._exit(9)
parallel.in_parts(work, [1, 2, 3, 4], 2)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks on Linux only")
def test_a_child_ends_with_its_parent() -> None:
    # The child holds the pipe of standard output until it ends.
    process = subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE)
    child = 0
    try:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        os.kill(child, signal.SIGKILL)
        raise
