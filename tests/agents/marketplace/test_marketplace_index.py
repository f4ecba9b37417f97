"""The index of the marketplace: damaged, written by several processes, killed, and without space or rights."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skillbag.agents.marketplace.index import index_path, reading
from skillbag.agents.marketplace.index_builder import IndexedSkill, rewriting
from skillbag.agents.marketplace.marketplace import search
from skillbag.agents.marketplace.update import update_sources
from skillbag.agents.settings.user_settings import MarketSource
from tests.agents.marketplace.markets import add, found, indexed, plain, refs, update
from tests.supply.install.worlds import write
from tests.support import Run
from tests.unprivileged import dropped


def _index() -> Path:
    return Path(index_path())


def _process(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "skillbag", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


@pytest.mark.parametrize("damage", ["empty", "text", "beginning", "middle", "cut", "foreign", "other version"])
def test_a_damaged_index_is_reported_and_the_next_update_makes_it_again(run: Run, tmp_path: Path, damage: str) -> None:
    indexed(run, tmp_path / "one", [f"skill-{number}" for number in range(60)])
    indexed(run, tmp_path / "two", ["docx"], "other")
    data = _index().read_bytes()
    page = 4096
    if damage == "empty":
        _index().write_bytes(b"")
    elif damage == "text":
        _index().write_bytes(b"this is not a database " * 200)
    elif damage == "beginning":
        _index().write_bytes(os.urandom(page) + data[page:])
    elif damage == "middle":
        _index().write_bytes(data[:page] + os.urandom(len(data) - page))
    elif damage == "cut":
        _index().write_bytes(data[: len(data) // 2])
    else:
        _index().unlink()
        with sqlite3.connect(_index()) as connection:
            connection.execute(f"PRAGMA user_version = {1 if damage == 'foreign' else 99}")

    outcome = run("search", "tidy")
    shown = run("marketplace")
    code, _ = update(run, "team")

    assert outcome.code == 2, outcome.out
    assert "skillbag team marketplace update" in outcome.err
    assert shown.code == 0
    assert code == 0
    assert len(refs(run)) == 61
    assert "other/docx" in found(run, "tidy", "--limit", 100)


def test_updates_of_many_processes_at_once_lose_nothing(run: Run, tmp_path: Path) -> None:
    names = [f"source-{number}" for number in range(4)]
    for name in names:
        add(run, write(tmp_path / name, plain(f"skill-of-{name}")), name)

    processes = [_process("marketplace", "update", name) for name in names]
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors

    # The first process indexed all sources.
    assert refs(run) == [f"{name}/skill-of-{name}" for name in names]
    assert not _index().with_name("marketplace.sqlite3.new").exists()


def test_readers_are_not_blocked_by_an_update_and_see_a_whole_index(run: Run, tmp_path: Path) -> None:
    folder = indexed(run, tmp_path / "one", ["pdf-forms"])
    source = MarketSource("team", str(folder))
    with reading() as before:
        with rewriting() as writer:
            writer.replace(source, None, [IndexedSkill("docx", "Write pages.", "", str(folder), None)])
            assert found(run, "tidy") == ["team/pdf-forms"]
        assert [skill.name for skill in before.search("tidy", 10).skills] == ["pdf-forms"]

    assert refs(run) == ["team/docx"]


def test_an_update_that_is_killed_at_any_moment_leaves_the_old_index_or_the_new_one(run: Run, tmp_path: Path) -> None:
    old = [f"old-{number}" for number in range(100)]
    new = [f"new-{number}" for number in range(100)]
    folder = indexed(run, tmp_path / "one", old)

    def offer(names: list[str]) -> None:
        shutil.rmtree(folder)
        write(folder, plain(*names))

    offer(new)
    began = time.monotonic()
    os.waitpid(_forked_update(), 0)
    seen, delay, newest = set(), time.monotonic() - began, new[0]
    for _ in range(12):
        if newest != old[0]:
            offer(old)
            update_sources()
            offer(new)
        process = _forked_update()
        time.sleep(delay)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        names = [ref.removeprefix("team/") for ref in refs(run)]
        newest = names[0]
        assert sorted(names) in (sorted(old), sorted(new))
        assert len(search("tidy", 1000).skills) == 100
        # The moments of the kills close in on the moment when the new index takes the old one's place.
        seen.add(newest)
        delay *= 1.15 if newest == old[0] else 0.75

    update_sources()
    assert refs(run)[0] == "team/new-0"
    assert not _index().with_name("marketplace.sqlite3.new").exists()
    assert old[0] in seen, "no kill came in time: the test proves nothing"


def _forked_update() -> int:
    """An update in a process of its own, which begins at once."""
    process = os.fork()
    if process == 0:
        try:
            update_sources()
        finally:
            os._exit(0)
    return process


def test_a_cache_that_can_not_be_written_can_be_searched_and_an_update_says_so(run: Run, tmp_path: Path) -> None:
    folder = indexed(run, tmp_path / "one", ["pdf-forms"])
    drop = dropped(tmp_path)
    cache = _index().parent
    cache.chmod(0o500)
    _index().chmod(0o400)
    try:
        command = [*drop, sys.executable, "-m", "skillbag"]
        searched = subprocess.run([*command, "search", "pdf"], capture_output=True, text=True, check=False)
        write(folder, plain("docx"))
        updated = subprocess.run([*command, "marketplace", "update"], capture_output=True, text=True, check=False)
    finally:
        cache.chmod(0o700)

    assert searched.returncode == 0, searched.stderr
    assert "team/pdf-forms" in searched.stdout
    assert updated.returncode == 4
    assert "SKILLBAG_CACHE_DIR" in updated.stderr
    assert refs(run) == ["team/pdf-forms"]


def test_a_full_disk_leaves_the_old_index(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = indexed(run, tmp_path / "one", ["pdf-forms"])
    write(folder, plain(*(f"skill-{number}" for number in range(50))))
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))"
    start = "import sys; sys.argv = ['skillbag', 'marketplace', 'update']; from skillbag.doors.cli import main; main()"
    ignored = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    done = subprocess.run(
        [sys.executable, "-c", f"{ignored}; {limit}; {start}"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert "index" in done.stderr
    assert refs(run) == ["team/pdf-forms"]
    assert not _index().with_name("marketplace.sqlite3.new").exists()


def test_a_missing_full_text_search_is_reported(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(run, write(tmp_path / "one", plain("pdf-forms")), "team")
    monkeypatch.setattr(
        "skillbag.agents.marketplace.index_builder._TABLES", "CREATE VIRTUAL TABLE texts USING fts0 (name);"
    )

    outcome = run("marketplace", "update")

    assert outcome.code == 4
    assert "full-text search" in outcome.err


@pytest.mark.parametrize(
    ("damage", "shows_at"),
    [
        ("UPDATE skills SET description = CAST(x'41ff' AS TEXT)", ("marketplace", "list")),
        ("UPDATE skills SET description = CAST(x'41ff' AS TEXT)", ("search", "tidy")),
        ("UPDATE sources SET address = CAST(x'2fff' AS TEXT)", ("search", "tidy")),
        ("UPDATE sources SET remarks = CAST(x'2fff' AS TEXT)", ("search", "tidy")),
        ("ALTER TABLE skills RENAME COLUMN version TO other", ("search", "tidy")),
        ("UPDATE texts_data SET block = x'cd072cd8be6f9f62ac4c09c28206e7e3'", ("search", "tidy")),
        # A length in it asks for more memory than there is.
        ("UPDATE texts_data SET block = x'380b01925c24d12a9d05daa1c127b43b'", ("search", "tidy")),
        ("UPDATE texts_data SET block = x'00'", ("marketplace", "update")),
        ("DELETE FROM texts_data", ("marketplace", "update")),
        ("DROP TABLE texts_docsize", ("marketplace", "update")),
    ],
)
def test_a_damaged_table_is_reported_and_the_next_update_makes_the_index_again(
    run: Run, tmp_path: Path, damage: str, shows_at: tuple[str, ...]
) -> None:
    indexed(run, tmp_path / "one", ["pdf-forms"])
    with contextlib.closing(sqlite3.connect(_index())) as connection:
        connection.execute(damage)
        connection.commit()

    outcome = run(*shows_at)

    assert outcome.code == 2, outcome.err
    assert "was damaged" in outcome.err
    assert update(run)[0] == 0
    assert found(run, "tidy") == ["team/pdf-forms"]


def test_the_leftovers_of_a_killed_update_do_not_stop_another(run: Run, tmp_path: Path) -> None:
    add(run, write(tmp_path / "source", plain("pdf-forms")), "team")
    write(_index().parent, {"marketplace.sqlite3.new": "half an index"})
    assert update(run)[0] == 0
    assert refs(run) == ["team/pdf-forms"]
