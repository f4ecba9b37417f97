"""A long-lived child that lines are exchanged with."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from skillbag.kernel.processes.groups import kill_running
from skillbag.kernel.processes.talking import Program, TalkingChild
from tests.processes import descriptors, eventually, is_alive
from tests.rows import each_row


@contextmanager
def talking(*words: str) -> Iterator[TalkingChild]:
    child = TalkingChild(Program(words, dict(os.environ), "/"))
    try:
        yield child
    finally:
        child.close()


def received(child: TalkingChild, count: int, seconds: float = 10) -> list[bytes]:
    lines: list[bytes] = []
    until = time.monotonic() + seconds
    while len(lines) < count and child.end is None and time.monotonic() < until:
        lines += child.receive(0.2)
    return lines


def end_of(child: TalkingChild) -> str | None:
    received(child, 1 << 30)
    return child.end


def test_lines_come_back_whole_and_in_order() -> None:
    sent = [b"x" * size for size in (0, 1, 10, 65_536, 1_000_000, 3)]
    with talking("cat") as child:
        for line in sent:
            child.send(line)
        assert received(child, len(sent)) == sent


@each_row(
    ("script", "end"),
    [
        ("exit 0", "ended with exit code 0"),
        ("exit 7", "ended with exit code 7"),
        ("kill -9 $$", "was ended by SIGKILL"),
        ("exec >&-; sleep 1000", "closed its output"),
        ("sleep 1000 & exit 3", "ended with exit code 3"),
        ("head -c 2000000 /dev/zero", "wrote a line of more than 1 MiB"),
    ],
)
def test_its_end_is_noticed_at_once_with_its_reason(script: str, end: str) -> None:
    with talking("sh", "-c", script) as child:
        began = time.monotonic()
        assert end_of(child) == end
        assert time.monotonic() - began < 50
        assert child.has_ended
        assert child.receive(10) == []


def test_what_it_wrote_before_its_end_is_received() -> None:
    with talking("sh", "-c", "echo a; echo b >&2; printf 'c\\nd'; exit 1") as child:
        assert received(child, 9) == [b"a", b"c"]
        assert child.log() == "b\n"


def test_the_end_of_its_log_is_kept() -> None:
    with talking("sh", "-c", "yes log | head -c 1000000 >&2; echo last >&2") as child:
        end_of(child)
        assert child.log().endswith("log\nlog\nlast\n"[-9:])
        assert len(child.log()) <= 64 << 10


def test_a_flood_does_not_keep_receive_from_returning() -> None:
    with talking("yes") as child:
        began = time.monotonic()
        assert len(child.receive(100)) <= 1 << 16
        assert time.monotonic() - began < 50


def test_sending_to_a_child_that_does_not_read_does_not_wait() -> None:
    with talking("sleep", "100") as child:
        began = time.monotonic()
        for _ in range(5):
            child.send(b"x" * 1_000_000)
        child.receive(0.1)
        assert time.monotonic() - began < 50
    child.send(b"after the end")


def test_it_can_be_woken_and_killed_from_another_thread() -> None:
    with talking("sleep", "100") as child:
        threading.Timer(0.05, child.wake).start()
        began = time.monotonic()
        assert child.receive(100) == []
        assert child.end is None
        threading.Timer(0.05, child.kill).start()
        assert end_of(child) == "was ended by SIGKILL"
        assert time.monotonic() - began < 50


def test_the_end_of_its_input_is_an_end_for_it() -> None:
    with talking("cat") as child:
        child.send(b"x")
        child.end_input()
        assert received(child, 9) == [b"x"]
        assert child.end == "ended with exit code 0"


def test_closed_or_killed_nothing_of_its_group_is_left() -> None:
    with talking("sh", "-c", "sleep 1000 & echo $!; wait") as child:
        first = int(received(child, 1)[0])
    with talking("sh", "-c", "sleep 1000 & echo $!; wait") as child:
        second = int(received(child, 1)[0])
        kill_running()
        assert end_of(child) == "was ended by SIGKILL"
    assert eventually(lambda: not is_alive(first) and not is_alive(second))


def test_descriptors_are_released() -> None:
    before = descriptors()
    for _ in range(5):
        with talking("cat"):
            pass
    with pytest.raises(OSError, match="No such file"), talking("/no/such/program"):
        pass
    assert not descriptors() - before


def test_a_child_that_never_reads_is_ended() -> None:
    with talking("sleep", "100") as child:
        for _ in range(33):
            child.send(b"x" * (1 << 20))
        assert child.end == "left more than 32 MiB of its input unread"
        assert eventually(lambda: child.has_ended)
        assert child.receive(5) == []
