"""The process pool: whatever goes wrong with one source, it fails alone."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.audit.audits import children, plain, records, repository, source, start, zipped
from tests.install.servers import Handle, content, serve, stalling
from tests.install.worlds import write
from tests.support import Run

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
        process.communicate(timeout=60)
    found = {record["source"].rpartition("/")[2]: record for record in records(tmp_path / "out")}
    assert process.returncode == 1
    assert len(killed) == 1
    assert [found[name]["status"] for name in names] == ["ok", "ok", "failed", "ok", "ok"]
    assert "ended by signal 9" in found["bad.zip"]["error"]


def test_a_source_that_takes_too_long_fails_alone(run: Run, tmp_path: Path) -> None:
    bare = repository(tmp_path / "tidy.git", source("tidy"))
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
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert children(process.pid) == children(1) == []


def test_more_processes_than_sources_and_none_at_all_are_fine(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    assert run("audit", folder, "--out", tmp_path / "out", "--jobs", "4").code == 0
    write(tmp_path, {"empty.txt": "# none\n"})
    outcome = run("audit", "--manifest", tmp_path / "empty.txt", "--out", tmp_path / "none")
    assert (outcome.code, outcome.out) == (0, "0 sources: none. 0 skills (0 different). No findings.\n")


def test_records_that_cannot_be_written_end_the_audit(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    write(tmp_path, {"file": "x"})
    outcome = run("audit", folder, "--out", tmp_path / "file" / "out")
    assert outcome.code == 4
    assert "Traceback" not in outcome.err
    assert str(tmp_path / "file") in outcome.err
