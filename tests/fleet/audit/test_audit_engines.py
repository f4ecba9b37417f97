"""The process pool: whatever goes wrong with one source, it fails alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from skillbag.fleet.audit.runner import audit_locally
from skillbag.fleet.audit.settings import make_settings
from skillbag.fleet.audit.sources import make_tasks
from skillbag.fleet.audit.worker import Child
from tests.fleet.audit.audits import children, lines, plain, records, start, wait_until, zipped
from tests.supply.install.worlds import write
from tests.supply.sources.servers import Handle, content, delayed, serve, stalling
from tests.support import Run

pytestmark = pytest.mark.usefixtures("a_job")

linux = pytest.mark.skipif(sys.platform != "linux", reason="it looks for the processes in /proc")


@linux
def test_a_source_that_ends_its_process_fails_alone(tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(*_: object) -> None:
        # The one process that audits is at this source, for it asks for it.
        for pid in children(process.pid):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    good: dict[str, Handle] = {f"/{number}.zip": content(zipped(plain(f"s{number}"))) for number in range(4)}
    with serve({**good, "/bad.zip": kill}) as server:
        names = ["0.zip", "1.zip", "bad.zip", "2.zip", "3.zip"]
        process = start(*(f"{server.url}/{name}" for name in names), "--out", tmp_path / "out", "--jobs", "1")
        process.communicate(timeout=300)
    found = {record["source"].rpartition("/")[2]: record for record in records(tmp_path / "out")}
    assert process.returncode == 1
    assert len(killed) == 1
    assert [found[name]["status"] for name in names] == ["ok", "ok", "failed", "ok", "ok"]
    assert "ended by signal 9" in found["bad.zip"]["error"]


def test_a_source_that_takes_too_long_fails_alone(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    with serve({"/slow.zip": stalling(b"PK\3\4"), "/slow.git/": stalling(b"")}) as server:
        slow = [f"{server.url}/slow.zip", f"{server.url}/slow.git"]
        outcome = run("team", "audit", *slow, folder, "--out", tmp_path / "out", "--timeout", "5", "--jobs", "3")
    found = {record["source"]: record for record in records(tmp_path / "out")}
    assert outcome.code == 1
    assert found[str(folder)]["status"] == "ok"
    assert all("it took more than 5 seconds" in found[name]["error"] for name in slow)
    assert not list((tmp_path / "out").glob(".fetched*"))


@linux
def test_more_processes_than_sources_and_a_week_for_each_are_fine_and_no_process_outlives_the_audit(
    run: Run, tmp_path: Path
) -> None:
    folders = [write(tmp_path / str(number), plain("a")) for number in range(2)]
    outcome = run("team", "audit", *folders, "--out", tmp_path / "out", "--jobs", "4", "--timeout", "604800", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    wait_until(lambda: not children(os.getpid()))


def test_a_limit_that_is_reached_with_the_answer_ends_no_later_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skillbag.fleet.audit import worker as ours

    answered, ending = threading.Event(), threading.Event()
    ask, end = ours._answer, ours._end

    class AtTheLastMoment(threading.Timer):
        def run(self) -> None:
            answered.wait(300)
            self.function()

    def answer_late(*arguments: Any) -> str:
        line = ask(*arguments)
        answered.set()
        ending.wait(300)
        return line

    def slowly(process: subprocess.Popen[bytes]) -> None:
        ending.set()
        time.sleep(0.15)
        end(process)

    one = ours.Child()
    with serve({"/a.zip": delayed(content(zipped(plain("a"))), 0.5)}) as server:
        first, second = make_tasks([str(write(tmp_path / "b", plain("b"))), f"{server.url}/a.zip"], "/")
        with monkeypatch.context() as patch:
            patch.setattr(threading, "Timer", AtTheLastMoment)
            patch.setattr(ours, "_answer", answer_late)
            patch.setattr(ours, "_end", slowly)
            lines = [one.audit(first, make_settings())]
        lines += [one.audit(second, make_settings())]
    one.close()
    assert [json.loads(line)["status"] for line in lines] == ["ok", "ok"]


@pytest.mark.parametrize("error", [LookupError("odd"), OSError("no space")], ids=str)
def test_an_error_in_a_thread_ends_the_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(Child, "audit", Mock(side_effect=error))
    with pytest.raises(type(error), match=str(error)):
        audit_within(120, [tmp_path])


def audit_within(seconds: float, folders: Iterable[Path]) -> list[str]:
    """The lines of an audit with two processes, which takes no longer."""
    pool = ThreadPoolExecutor(1)
    try:
        tasks = make_tasks(map(str, folders), "/")
        return pool.submit(lambda: list(audit_locally(tasks, make_settings(), 2))).result(seconds)
    finally:
        pool.shutdown(wait=False)


@pytest.mark.parametrize("started", [0, 1, 2, 3])
def test_a_system_that_starts_no_more_threads_ends_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    folders = [write(tmp_path / str(number), plain("a")) for number in range(4)]
    start, before, main = threading.Thread.start, threading.active_count(), threading.current_thread()
    left = [*range(started)]

    def limited(thread: threading.Thread) -> None:
        if threading.current_thread() is main:
            # The thread that runs the audit.
            start(thread)
            return
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    with pytest.raises(OSError, match=r"can't start new thread.*use fewer --jobs"):
        audit_within(120, folders)
    monkeypatch.undo()
    wait_until(lambda: threading.active_count() <= before)
    wait_until(lambda: not children(os.getpid()))


def test_records_that_cannot_be_written_end_the_audit(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    write(tmp_path, {"file": "x"})
    outcome = run("team", "audit", folder, "--out", tmp_path / "file" / "out")
    assert outcome.code == 4
    assert "Traceback" not in outcome.err
    assert str(tmp_path / "file") in outcome.err


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["--format=parquet"],
            4,
            "--format parquet needs pyarrow, which is not installed: pip install 'skillbag[audit]'",
        ),
        (["--engine", "dask", "tcp://127.0.0.1:9"], 4, "--engine dask needs distributed, which is not installed"),
        ([], 0, ""),
    ],
)
def test_a_missing_package_is_named_where_it_is_needed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int, words: str
) -> None:
    for name in ("distributed", "pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    outcome = run("team", "audit", write(tmp_path / "a", plain("a")), "--out", tmp_path / "out", "--quiet", *arguments)
    assert outcome.code == code
    assert words in outcome.err
    assert not code or not any(lines(tmp_path / "out"))
