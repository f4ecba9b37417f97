"""`skillbag marketplace update`: every kind of source, each failure for itself, and an index that is always whole."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.install.worlds import make_source, write
from tests.marketplace.markets import add, found, indexed, plain, refs, skill, update
from tests.sources.repositories import git, make_repository, use_own_git_settings
from tests.sources.servers import git_backend, serve
from tests.support import Run
from tests.unprivileged import dropped


@pytest.fixture(autouse=True)
def git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_own_git_settings(monkeypatch, tmp_path_factory.mktemp("git"))


def _index() -> Path:
    return Path(os.environ["SKILLBAG_CACHE_DIR"], "marketplace.sqlite3")


def _process(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "skillbag", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def test_plain_repositories_are_indexed_from_git_over_http_folders_and_zips(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "served" / "one.git", plain("of-git"))
    write(tmp_path / "folder", plain("of-folder"))
    with zipfile.ZipFile(tmp_path / "skills.zip", "w") as packed:
        for path, text in plain("of-zip", at="packed/skills").items():
            packed.writestr(path, text)
    with serve({"/": git_backend(tmp_path / "served")}) as server:
        add(run, f"{server.url}/one.git", "http")
        add(run, repository.url, "file")
        add(run, tmp_path / "folder", "folder")
        add(run, tmp_path / "skills.zip", "zip")

        code, sources = update(run)

    assert code == 0, sources
    assert refs(run) == ["file/of-git", "folder/of-folder", "http/of-git", "zip/of-zip"]


def test_a_skillbag_source_is_indexed_without_its_reserved_skill(run: Run, tmp_path: Path) -> None:
    add(run, make_source(tmp_path / "source", ["lint-docs", "skillbag-get-skills"]), "team")

    assert update(run)[0] == 0
    assert refs(run) == ["team/lint-docs"]


def test_a_version_is_what_is_indexed(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("old"))
    repository.git("tag", "v1")
    repository.commit(plain("new"))
    add(run, repository.url, "team", "--version", "v1")

    update(run)

    assert refs(run) == ["team/old"]


def test_an_update_brings_what_has_changed_and_takes_what_is_gone(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("old", "kept"))
    add(run, repository.url, "team")
    update(run)
    repository.commit(plain("new") | {"skills/kept/SKILL.md": skill("kept", "Weigh zebras.")})

    update(run)

    assert refs(run) == ["team/kept", "team/new"]
    assert found(run, "zebra") == ["team/kept"]
    assert found(run, "tidy") == ["team/new"]


def test_a_source_that_fails_stays_as_it_was_and_spoils_no_other(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "bad", ["was-there"], "bad")
    indexed(run, tmp_path / "good", ["old"], "good")
    shutil.rmtree(tmp_path / "bad")
    write(tmp_path / "good", plain("new"))

    outcome = run("marketplace", "update")
    code, sources = update(run)

    assert outcome.code == code == 4
    assert "bad: as it was indexed last" in outcome.out
    assert "failed: there is no such folder" in outcome.out
    assert sources["bad"]["skills"] is None
    assert refs(run) == ["bad/was-there", "good/new", "good/old"]


def test_a_hostile_source_is_a_failure_of_its_own(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "bad", plain("x"))
    (tmp_path / "bad" / "skills" / "x" / "out").symlink_to("/etc")
    add(run, tmp_path / "bad", "bad")
    add(run, write(tmp_path / "good", plain("y")), "good")

    code, sources = update(run)

    assert code == 4
    assert sources["bad"]["failures"]
    assert refs(run) == ["good/y"]


def test_what_is_malformed_in_a_source_is_told_and_skipped(run: Run, tmp_path: Path) -> None:
    files = plain("good") | {
        "skills/none/SKILL.md": "no front matter",
        "skills/bare/SKILL.md": "---\nname: bare\n---\n",
        "skills/binary/SKILL.md": b"---\nname: binary\ndescription: \xff\n---\n",
        "skills/odd/SKILL.md": skill("Odd Name"),
        "skills/half/SKILL.md": skill("half", '"a half \\ud800 of a \\0 character"'),
    }
    add(run, write(tmp_path / "source", files), "team")

    code, sources = update(run)

    assert code == 0
    assert refs(run) == ["team/good"]
    for folder in ("none", "bare", "binary", "odd"):
        assert any(folder in remark for remark in sources["team"]["remarks"]), folder


def test_search_and_an_offline_update_work_when_the_source_is_gone(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("pdf-forms"))
    add(run, repository.url, "team")
    update(run)
    shutil.rmtree(tmp_path / "one.git")

    assert found(run, "pdf") == ["team/pdf-forms"]
    assert update(run, "--offline")[0] == 0
    assert found(run, "pdf") == ["team/pdf-forms"]
    assert update(run)[0] == 4


def test_what_a_description_holds_never_reaches_a_terminal_raw(run: Run, tmp_path: Path) -> None:
    token = "ghp_" + "Zq8Lk2Vw9Xr4Tn7Bs1Md6Hf3Jc5Pg0YaUeIo"
    files: dict[str, str | bytes] = {"skills/odd/SKILL.md": skill("odd", f'"pdf \\e[31m\\u202e {token}"')}
    indexed(run, tmp_path / "source", files)

    for arguments in (("search", "pdf"), ("marketplace", "list"), ("search", "pdf", "--json")):
        outcome = run(*arguments)
        assert outcome.code == 0
        assert "team/odd" in outcome.out
        assert "\x1b" not in outcome.out
        assert token not in outcome.out
        assert "\u202e" not in outcome.out or "--json" in arguments


@pytest.mark.parametrize("damage", ["empty", "text", "beginning", "middle", "cut", "foreign", "other version"])
def test_a_damaged_index_is_told_and_the_next_update_makes_it_anew(run: Run, tmp_path: Path, damage: str) -> None:
    indexed(run, tmp_path / "one", [f"skill-{number}" for number in range(60)])
    indexed(run, tmp_path / "two", ["docx"], "other")
    data = _index().read_bytes()
    page = 4096
    if damage == "empty":
        _index().write_bytes(b"")
    elif damage == "text":
        _index().write_bytes(b"this is no database, it is a letter to somebody " * 200)
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
    assert "skillbag marketplace update" in outcome.err
    assert shown.code == 0
    assert code == 0
    assert len(refs(run)) == 61
    assert "other/docx" in found(run, "tidy", "--limit", 100)


def test_updates_of_many_processes_at_once_lose_nothing(run: Run, tmp_path: Path) -> None:
    names = [f"source-{number}" for number in range(6)]
    for name in names:
        add(run, write(tmp_path / name, plain(f"skill-of-{name}")), name)

    processes = [_process("marketplace", "update", name) for name in names]
    for process in processes:
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said

    # Whoever came first made the index, of all sources.
    assert refs(run) == [f"{name}/skill-of-{name}" for name in names]
    assert not _index().with_name("marketplace.sqlite3.new").exists()


def test_readers_are_not_blocked_by_an_update_and_see_a_whole_index(run: Run, tmp_path: Path) -> None:
    from skillbag.marketplace.index import reading
    from skillbag.marketplace.index_builder import Offer, rewriting
    from skillbag.settings.user_settings import MarketSource

    folder = indexed(run, tmp_path / "one", ["pdf-forms"])
    source = MarketSource("team", str(folder))
    with reading() as before:
        with rewriting() as writer:
            writer.replace(source, None, [Offer("docx", "Write pages.", "", str(folder), None)])
            assert found(run, "tidy") == ["team/pdf-forms"]
        assert [one.name for one in before.search("tidy", 10).skills] == ["pdf-forms"]

    assert refs(run) == ["team/docx"]


def test_an_update_that_is_killed_at_any_moment_leaves_the_old_index_or_the_new_one(run: Run, tmp_path: Path) -> None:
    old = [f"old-{number}" for number in range(100)]
    new = [f"new-{number}" for number in range(100)]
    folder = indexed(run, tmp_path / "one", old)
    shutil.rmtree(folder)
    write(folder, plain(*new))
    began = time.monotonic()
    assert _process("marketplace", "update").wait(300) == 0
    whole = time.monotonic() - began
    seen, delay, newest = set(), whole, new[0]
    for _ in range(12):
        if newest != old[0]:
            shutil.rmtree(folder)
            write(folder, plain(*old))
            assert update(run)[0] == 0
            shutil.rmtree(folder)
            write(folder, plain(*new))
        process = _process("marketplace", "update")
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        names = [ref.removeprefix("team/") for ref in refs(run)]
        newest = names[0]
        assert sorted(names) in (sorted(old), sorted(new))
        assert len(found(run, "tidy", "--limit", 1000)) == 100
        # The moments of the kills close in on the moment when the new index takes the old one's place.
        seen.add(newest)
        delay *= 1.15 if newest == old[0] else 0.75

    assert update(run)[0] == 0
    assert refs(run)[0] == "team/new-0"
    assert not _index().with_name("marketplace.sqlite3.new").exists()
    assert old[0] in seen, "no kill came in time: the test proves nothing"


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
    start = "import sys; sys.argv = ['skillbag', 'marketplace', 'update']; from skillbag.cli import main; main()"
    ignored = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    done = subprocess.run(
        [sys.executable, "-c", f"{ignored}; {limit}; {start}"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    assert "index" in done.stderr
    assert refs(run) == ["team/pdf-forms"]
    assert not _index().with_name("marketplace.sqlite3.new").exists()


def test_an_sqlite_without_full_text_search_is_told(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(run, write(tmp_path / "one", plain("pdf-forms")), "team")
    monkeypatch.setattr("skillbag.marketplace.index_builder._TABLES", "CREATE VIRTUAL TABLE texts USING fts0 (name);")

    outcome = run("marketplace", "update")

    assert outcome.code == 4
    assert "full-text search" in outcome.err


def test_git_has_a_folder_of_its_own_in_the_cache_and_the_index_survives_its_pruning(run: Run, tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "one.git", plain("pdf-forms"))
    add(run, repository.url, "team")
    update(run)

    assert run("cache", "prune").code == 0

    assert found(run, "pdf") == ["team/pdf-forms"]
    assert git(tmp_path / "one.git", "rev-parse", "HEAD")


def test_json_of_an_update_tells_all_of_each_source(run: Run, tmp_path: Path) -> None:
    add(run, write(tmp_path / "one", plain("pdf-forms")), "team")

    values = json.loads(run("marketplace", "update", "--json").out)

    assert values["command"] == "marketplace update"
    assert values["sources"] == [
        {"name": "team", "address": str(tmp_path / "one"), "version": None, "skills": 1, "remarks": [], "failures": []}
    ]
