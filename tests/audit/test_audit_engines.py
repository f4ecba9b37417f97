"""The process pool: whatever goes wrong with one source, it fails alone."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from skillbag.audit.runner import audit_locally
from skillbag.audit.settings import make_settings
from skillbag.audit.sources import make_tasks
from skillbag.audit.worker import Child
from tests.audit.audits import children, plain, records, source, start, wait_until, zipped
from tests.install.worlds import write
from tests.sources.repositories import make_repository
from tests.sources.servers import Handle, content, delayed, serve, stalling
from tests.support import Run

T = TypeVar("T")
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
    bare = make_repository(tmp_path / "tidy.git", source("tidy"))
    with serve({"/slow.zip": stalling(b"PK\3\4"), "/slow.git/": stalling(b"")}) as server:
        slow = [f"{server.url}/slow.zip", f"{server.url}/slow.git"]
        outcome = run("audit", *slow, bare.url, "--out", tmp_path / "out", "--timeout", "1.5", "--jobs", "3")
    found = {record["source"]: record for record in records(tmp_path / "out")}
    assert outcome.code == 1
    assert found[bare.url]["status"] == "ok"
    assert all("it took more than 1.5 seconds" in found[name]["error"] for name in slow)
    assert not list((tmp_path / "out").glob(".fetched*"))


@linux
def test_no_process_outlives_the_audit(tmp_path: Path) -> None:
    folders = [write(tmp_path / str(number), plain("a")) for number in range(3)]
    process = start(*folders, "--out", tmp_path / "out", "--jobs", "3")
    process.communicate(timeout=300)
    assert process.returncode == 0
    assert children(process.pid) == children(1) == []


def test_more_processes_than_sources_are_fine(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    assert run("audit", folder, "--out", tmp_path / "out", "--jobs", "4").code == 0


def test_a_week_is_time_enough_and_can_be_waited_for(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    outcome = run("audit", folder, "--out", tmp_path / "out", "--timeout", "604800", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_a_limit_that_is_reached_with_the_answer_ends_no_later_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from skillbag.audit import worker as ours

    answered, ending = threading.Event(), threading.Event()
    ask, end = ours._asked, ours._end

    class AtTheLastMoment(threading.Timer):
        def run(self) -> None:
            answered.wait(300)
            self.function()

    def asked(*arguments: Any) -> str:
        line = ask(*arguments)
        answered.set()
        ending.wait(300)
        return line

    def slowly(process: subprocess.Popen[bytes]) -> None:
        ending.set()
        time.sleep(0.3)
        end(process)

    one = ours.Child()
    with serve({"/a.zip": delayed(content(zipped(plain("a"))), 1)}) as server:
        first, second = make_tasks([str(write(tmp_path / "b", plain("b"))), f"{server.url}/a.zip"], "/")
        with monkeypatch.context() as patch:
            patch.setattr(threading, "Timer", AtTheLastMoment)
            patch.setattr(ours, "_asked", asked)
            patch.setattr(ours, "_end", slowly)
            lines = [one.audit(first, make_settings())]
        lines += [one.audit(second, make_settings())]
    one.close()
    assert [json.loads(line)["status"] for line in lines] == ["ok", "ok"]


def test_whatever_goes_wrong_with_a_thread_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = make_tasks([str(tmp_path)], "/")

    def told(error: Exception) -> list[str]:
        def fail(*_: object) -> str:
            raise error

        monkeypatch.setattr(Child, "audit", fail)
        return within(120, lambda: list(audit_locally(tasks, make_settings(), 2)))

    with pytest.raises(LookupError, match="odd"):
        told(LookupError("odd"))
    with pytest.raises(OSError, match="no space"):
        told(OSError("no space"))


@pytest.mark.parametrize("started", [0, 1, 2, 3])
def test_a_system_that_starts_no_more_threads_ends_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    sources = [str(write(tmp_path / str(number), plain("a"))) for number in range(4)]
    start, left, before = threading.Thread.start, [*range(started)], threading.active_count()

    def limited(thread: threading.Thread) -> None:
        try:
            left.pop()
        except IndexError:
            raise RuntimeError("can't start new thread") from None
        start(thread)

    def audit() -> list[str]:
        monkeypatch.setattr(threading.Thread, "start", limited)
        return list(audit_locally(make_tasks(sources, "/"), make_settings(), 2))

    with pytest.raises(OSError, match=r"can't start new thread.*use fewer --jobs"):
        within(120, audit)
    monkeypatch.undo()
    wait_until(lambda: threading.active_count() <= before)
    assert not children(os.getpid())


@linux
def test_a_limit_of_threads_and_processes_is_a_sentence(tmp_path: Path) -> None:
    folders = [write(tmp_path / str(number), plain("a")) for number in range(8)]
    limited = (
        "import sys, threading; start = threading.Thread.start; count = [3]\n"
        "def limit(thread):\n"
        "    count[0] -= 1\n"
        '    if count[0] < 0: raise RuntimeError("can\'t start new thread")\n'
        "    return start(thread)\n"
        "threading.Thread.start = limit\n"
        "from skillbag.cli import main; main()"
    )
    arguments = ["audit", *map(str, folders), "--out", str(tmp_path / "out"), "--jobs", "64"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", limited, *arguments], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 4
    assert "use fewer --jobs" in done.stderr
    assert "Traceback" not in done.stderr


def within(seconds: float, do: Callable[[], T]) -> T:
    """What `do` gives or raises; an assertion fails where it takes longer."""
    told: queue.Queue[T | BaseException] = queue.Queue()

    def work() -> None:
        try:
            told.put(do())
        except BaseException as error:
            told.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        found = told.get(timeout=seconds)
    except queue.Empty:
        pytest.fail(f"it takes more than {seconds} seconds")
    if isinstance(found, BaseException):
        raise found
    return found


def test_records_that_cannot_be_written_end_the_audit(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    write(tmp_path, {"file": "x"})
    outcome = run("audit", folder, "--out", tmp_path / "file" / "out")
    assert outcome.code == 4
    assert "Traceback" not in outcome.err
    assert str(tmp_path / "file") in outcome.err


_WITHOUT = """
import sys
for name in ("distributed", "pyarrow"):
    sys.modules[name] = None
sys.argv = ["skillbag", "audit", *sys.argv[1:]]
from skillbag.cli import main
main()
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--parquet"], "--parquet needs pyarrow, which is not installed: pip install 'skillbag[audit]'"),
        (["--engine", "dask", "tcp://127.0.0.1:9"], "--engine dask needs distributed, which is not installed"),
    ],
)
def test_what_is_not_installed_is_named(tmp_path: Path, arguments: list[str], said: str) -> None:
    command = [sys.executable, "-P", "-c", _WITHOUT, str(tmp_path), "--out", str(tmp_path / "out"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert said in done.stderr
    assert not list(tmp_path.glob("out/records*.jsonl")) or not (tmp_path / "out" / "records.jsonl").stat().st_size


def test_neither_is_loaded_where_it_is_not_needed(tmp_path: Path) -> None:
    code = f"{_WITHOUT.replace('main()', '')}\ntry:\n    main()\nexcept SystemExit as ended:\n    print(ended.code)\n"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(tmp_path), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("0\n")
