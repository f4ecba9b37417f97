"""The files of records: what a killed run leaves behind, one writer at a time, shards and their union."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from skillbag.fleet.audit.records_file import BadRecordsError, Ledger, Records, open_ledger
from skillbag.fleet.audit.settings import make_settings
from tests.fleet.audit.audits import (
    Audit,
    audits,
    by_source,
    children,
    lines,
    plain,
    records,
    start,
    summary,
    wait_until,
    zipped,
)
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.supply.sources.servers import Server, content, delayed, serve
from tests.support import Run

pytestmark = pytest.mark.usefixtures("in_process")


def opened(path: Path, run: str = "r") -> AbstractContextManager[Ledger]:
    return open_ledger(str(path.parent), path.name, run)


@pytest.fixture
def slow() -> Iterator[Server]:
    """A server whose archives come after a while."""
    with serve({f"/{number}.zip": delayed(content(zipped(plain(f"web-{number}"))), 0.1) for number in range(8)}) as at:
        yield at


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for the processes in /proc")
def test_a_run_that_is_killed_goes_on_where_it_ended(run: Run, tmp_path: Path, slow: Server) -> None:
    sources = [f"{slow.url}/{number}.zip" for number in range(8)]
    for moment in (1, 3):
        process = start(*sources, "--out", tmp_path / "killed", "--jobs", "2", "--quiet")
        wait_until(lambda least=moment: len(lines(tmp_path / "killed")) >= least)  # type: ignore[misc]
        orphans = children(process.pid)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        # They end with the source that they have begun.
        wait_until(lambda those=orphans: not any(map(audits, those)))  # type: ignore[misc]
    before = len(slow.seen("GET"))
    left = 8 - len(records(tmp_path / "killed"))
    assert 0 < left < 8
    assert run("team", "audit", *sources, "--out", tmp_path / "killed", "--quiet").code == 0
    assert len(slow.seen("GET")) - before == left
    run("team", "audit", *sources, "--out", tmp_path / "whole", "--quiet")
    assert by_source(tmp_path / "killed") == by_source(tmp_path / "whole")
    assert not list((tmp_path / "killed").glob(".fetched*"))


COUNTED = ("error", "warning", "note", "suppressed", "excused", "files")
TORN = (b'{"key": "ab', b'{"key": "ab\0\0\n', b"\0" * 300, b"\0" * 70000 + b"\n", b"y")


def test_a_torn_end_is_cut_off(run: Run, tmp_path: Path, manifest: Path) -> None:
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "out", "--quiet")
    whole = by_source(tmp_path / "out")
    path = tmp_path / "out" / "records.jsonl"
    good = path.read_bytes().splitlines(keepends=True)
    kept = b"".join(good[:4])
    for torn in (*TORN, good[4][:-1], good[4][:-20]):
        path.write_bytes(kept + torn)
        with opened(path, make_settings().run) as ledger:
            assert len(ledger.done) == 4
            assert ledger.done.keys() <= {int(record["key"][:15], 16) for record in whole.values()}
        assert path.read_bytes() == kept
    path.write_bytes(kept + TORN[0])
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "out", "--quiet")
    assert by_source(tmp_path / "out") == whole


def test_a_torn_line_is_cut_off_and_no_whole_line_of_another_program(run: Run, tmp_path: Path, manifest: Path) -> None:
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "out", "--quiet")
    path = tmp_path / "out" / "records.jsonl"
    good = path.read_bytes()
    for foreign, torn in (
        (b'{"theirs": 1}\n', b""),
        (b"x\n" * 3, b"y"),
        (b"x\n" * 3, b"y\n"),
        (good.replace(b'"format": 1', b'"format": 2'), b'{"key": "'),
        (b"[" * 200_000 + b"\n", b""),
    ):
        path.write_bytes(good + foreign + torn)
        with opened(path):
            assert path.read_bytes() == good + foreign


FOREIGN = (
    b'{"id": 1}\n{"id": 2}\n',
    b'{"id": 1}\n{"id": 2}',
    b'{"id": 1}\n{"key": "',
    b'{"id": 1}\n',
    b'{"id": 1}',
    b"prose",
    b"prose\n\n\n",
    b"\n",
    b"\xff\xfe[\0",
)


@each_row("theirs", FOREIGN)
def test_a_file_of_another_program_is_left_as_it_is(run: Run, tmp_path: Path, theirs: bytes) -> None:
    folder = write(tmp_path / "a", plain("a"))
    path = write(tmp_path / "out", {"records.jsonl": theirs}) / "records.jsonl"
    outcome = run("team", "audit", folder, "--out", ".", cwd=path.parent)
    assert outcome.code == 2
    assert "records.jsonl: it holds no records of this version of the audit" in outcome.err
    assert "name another folder with --out, or move this file away" in outcome.err
    assert path.read_bytes() == theirs
    assert {entry.name for entry in path.parent.iterdir()} - {".records.jsonl.lock"} == {"records.jsonl"}
    path.unlink()
    # No lock is left: the file can be moved away, and the same process can go on.
    with opened(path):
        pass


def test_records_of_a_later_format_are_left_as_they_are_and_passed_over(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "a", plain("a"))
    run("team", "audit", folder, "--out", tmp_path / "out", "--quiet")
    path = tmp_path / "out" / "records.jsonl"
    later = path.read_bytes().replace(b'"format": 1', b'"format": 2')
    path.write_bytes(later)
    with pytest.raises(BadRecordsError, match="no records of this version"), opened(path):
        pass
    with opened(path.with_name("records-1-of-1.jsonl")):
        pass
    assert path.read_bytes() == later
    run("team", "audit", "--out", tmp_path / "out")
    assert (summary(tmp_path / "out")["sources"]["all"], summary(tmp_path / "out")["passed_over"]) == (0, 1)


def test_a_file_of_nothing_but_a_torn_line_is_emptied(tmp_path: Path) -> None:
    path = write(tmp_path, {"records.jsonl": '{"key": "' + "a" * 100_000}) / "records.jsonl"
    with opened(path) as ledger:
        assert ledger.done == {}
        ledger.append("{}")
    assert path.read_text() == "{}\n"
    path.write_bytes(b"\0" * 5000)
    with opened(path):
        assert path.read_bytes() == b""


def test_recorded_sources_are_skipped_and_failed_ones_tried_again_on_demand(
    run: Run, tmp_path: Path, manifest: Path
) -> None:
    out = tmp_path / "out"
    run("team", "audit", "--manifest", manifest, "--out", out)
    once = lines(out)
    again = run("team", "audit", "--manifest", manifest, "--out", out)
    assert lines(out) == once
    assert "auditing 0 sources; 6 are done" in again.err
    run("team", "audit", "--manifest", manifest, "--out", out, "--retry-failed")
    assert len(lines(out)) == 7
    assert json.loads(lines(out)[-1])["source"] == "/nowhere/at/all"
    numbers = summary(out)["sources"]
    assert (numbers["all"], numbers["failed"]) == (6, 1)


def test_a_failed_source_is_tried_again_on_demand_until_it_is_checked(audit: Audit, tmp_path: Path) -> None:
    def statuses(*more: str) -> list[str]:
        return [record["status"] for record in audit(tmp_path / "a", *more)]

    assert statuses() == ["failed"]
    write(tmp_path / "a", plain("a"))
    assert statuses() == ["failed"]
    assert statuses("--retry-failed") == ["failed", "ok"]
    assert statuses("--retry-failed") == ["failed", "ok"]


def test_another_configuration_is_another_run(run: Run, tmp_path: Path, manifest: Path) -> None:
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "out")
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "out", "--config=ignore=catalog-unsorted")
    assert len(lines(tmp_path / "out")) == 12
    found = summary(tmp_path / "out")
    assert found["sources"]["all"] == 6
    assert list(found["runs"].values()) == [6]


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for the processes in /proc")
def test_an_interrupt_ends_all_that_was_started(tmp_path: Path, slow: Server) -> None:
    process = start(*(f"{slow.url}/{number}.zip" for number in range(8)), "--out", tmp_path / "out", "--jobs", "2")
    wait_until(lambda: len(lines(tmp_path / "out")) >= 2)
    started = children(process.pid)
    assert started
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in said
    wait_until(lambda: not any(map(audits, started)))
    assert not list((tmp_path / "out").glob(".fetched*"))


def test_a_second_writer_is_refused_and_readers_are_not(run: Run, tmp_path: Path) -> None:
    folder, out = write(tmp_path / "a", plain("a")), tmp_path / "out"
    with opened(out / "records.jsonl") as ledger:
        ledger.append(json.dumps({"key": "0" * 64}))
        outcome = run("team", "audit", folder, "--out", out)
        assert outcome.code == 2
        assert "another audit is writing to it" in outcome.err
        assert len(Records(str(out))) == 0
    assert len(lines(out)) == 1


def test_the_last_record_of_a_source_counts_in_any_file(run: Run, tmp_path: Path) -> None:
    folder, out = tmp_path / "later", tmp_path / "out"
    run("team", "audit", folder, "--out", out, "--quiet")
    (out / "records.jsonl").rename(out / "records-9-of-9.jsonl")
    write(folder, plain("tidy"))
    run("team", "audit", folder, "--out", out, "--quiet")
    (record,) = Records(str(out))
    assert record.head.status == "ok"


def test_a_line_that_is_no_record_is_passed_over_and_counted(run: Run, tmp_path: Path, manifest: Path) -> None:
    run("team", "audit", "--manifest", manifest, "--out", tmp_path / "out")
    path = tmp_path / "out" / "records.jsonl"
    good = path.read_bytes().splitlines(keepends=True)
    head = good[0][: good[0].index(b'"format"')]
    bad = [b"\n", b"[]\n", b"\xff\n", b"{}\n", head.replace(b'{"key": "', b'{"key": "0')[:10] + b"\n"]
    other = json.loads(good[0]) | {"key": "f" * 64, "counts": 7, "status": "ok"}
    (tmp_path / "out" / "records-x.jsonl").write_bytes(b"".join([*bad, json.dumps(other).encode() + b"\n", head]))
    run("team", "audit", "--out", tmp_path / "out")
    found = summary(tmp_path / "out")
    assert found["sources"]["all"] == 6
    assert found["passed_over"] == 7


def test_records_are_not_kept_in_memory(tmp_path: Path) -> None:
    import tracemalloc

    from skillbag.fleet.audit.summary import summarize

    template = {
        "status": "ok", "run": "0" * 32, "at": "2026-01-01T00:00:00.000000Z", "format": 1, "source": "", "kind": "git",
        "version": None, "resolved": None, "pinned": False, "error": None, "seconds": 0.1, "bytes": 9,
        "program": "0", "standard": "v0.3.0", "targets": [], "skills": [], "dependencies": [],
        "findings": [
            {"path": "x/SKILL.md", "line": 1, "column": 1, "rule": "r", "clause": None, "level": "error",
             "message": "m" * 100, "fingerprint": "0" * 32}
        ] * 200,
    }  # fmt: skip
    with open(tmp_path / "records.jsonl", "w") as file:
        for number in range(100):
            counts = {**dict.fromkeys(COUNTED, 1), "rules": {"r": number}}
            record = {"key": f"{number:015x}{0:049x}", **template, "source": f"s{number}", "counts": counts}
            file.write(json.dumps(record) + "\n")
    size = (tmp_path / "records.jsonl").stat().st_size
    tracemalloc.start()
    found = summarize(Records(str(tmp_path)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.rules[0].findings == 20_000
    assert [row.findings for row in found.rules[0].worst] == [*range(99, 89, -1)]
    assert size > 4_000_000
    assert peak < 800_000
