"""Sources without an end: each is refused at its limit, in bounded time, with the limit and what to do named."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.supply.sources import entries, limits
from tests.supply.install.worlds import AGENTS, call, make_source, make_workspace, skill_text, snapshot, write
from tests.support import Completed, Run

PATIENCE = 300.0
"""Seconds that a refusal may take on a slow machine; without its limit each of these took longer, or for ever."""

posix = pytest.mark.skipif(os.name != "posix", reason="named pipes and sockets of Unix")


@pytest.fixture(autouse=True)
def in_bounded_time() -> Iterator[None]:
    """A test that takes longer fails there and then, even where it waits for a pipe without a writer."""

    def give_up(_number: int, _frame: object) -> None:
        raise AssertionError(f"not refused within {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def refused(outcome: Completed, *reported: str) -> None:
    assert outcome.code in (1, 2, 4), outcome.err + outcome.out
    for text in reported:
        assert text in outcome.err + outcome.out
    assert "Traceback" not in outcome.err


@posix
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_zip_that_is_no_file_is_not_opened(tmp_path: Path, workspace: Path, run: Run, kind: str) -> None:
    path = tmp_path / "x.zip"
    with socket.socket(socket.AF_UNIX) as bound:
        if kind == "pipe":
            os.mkfifo(path)
        else:
            with contextlib.chdir(tmp_path):
                # The path of a socket may not be long.
                bound.bind(path.name)
        outcome = run("install", "alpha", "--source", path, "--yes", cwd=workspace)
    refused(outcome, f"it is no regular file but a {'named pipe' if kind == 'pipe' else 'socket'}; save it as a file")


def test_a_zip_that_is_larger_than_is_taken_is_not_copied(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_ARCHIVE", 1 << 20)
    path = tmp_path / "x.zip"
    path.write_bytes(bytes((1 << 20) + 1))
    outcome = run("install", "alpha", "--source", path, "--yes", cwd=make_workspace(tmp_path / "w"))
    refused(outcome, "the archive is larger than 1 MiB, the most that is taken; pack the skills alone")


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_LISTED", 300)
    source = write(tmp_path / "big", {f"{one}/{two}/x.txt": "" for one in range(10) for two in range(30)})
    before = snapshot(source)
    outcome = run("install", "alpha", "--source", source, "--yes", cwd=make_workspace(tmp_path / "w"))
    refused(
        outcome,
        "the folder holds more than 300 files and folders, the most that is searched for skills; name the folder",
    )
    assert snapshot(source) == before


@posix
@pytest.mark.parametrize("root", ["/", "/../", "./" + "../" * 40])
def test_the_root_of_the_file_system_is_not_searched(
    tmp_path: Path, run: Run, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = "the root of the file system is not searched"
    listed: list[str] = []
    scandir = os.scandir

    def note(path: str) -> object:
        listed.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", note)
    refused(run("install", "alpha", "--source", root, "--yes", cwd=make_workspace(tmp_path / "w")), reported)
    assert not [path for path in listed if os.path.dirname(path) == "/" and path != "/.skills"]


def test_a_folder_with_more_entries_than_are_taken_is_not_listed_to_its_end(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (limits, entries):
        monkeypatch.setattr(module, "MAX_ENTRIES", 100)
    source = make_source(tmp_path / "s", ["alpha"], more={f"alpha/references/{one}.md": "x" for one in range(200)})
    outcome = run("install", "alpha", "--source", source, "--yes", cwd=make_workspace(tmp_path / "w"))
    refused(outcome, "the source holds more than 100 files and folders; no more are taken")


def test_a_skill_with_thousands_of_dependencies_is_refused_before_any_is_fetched(
    tmp_path: Path, workspace: Path, run: Run
) -> None:
    needs = [{"name": f"need-{one}", "source": f"../none-{one}"} for one in range(3000)]
    source = make_source(tmp_path / "s", {"alpha": skill_text("alpha", needs)})
    code, values = call(run, workspace, "install", "alpha", "--source", source, "--yes")
    assert code in (1, 2)
    (problem,) = values["problems"]
    assert problem["message"] == "alpha: it declares 3,000 dependencies; at most 200 of one skill are followed"
    assert problem["fix"]
    assert not (workspace / ".skills").exists()


def test_a_run_fetches_so_many_sources_and_no_more(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_SOURCES", 3)
    for one in range(5):
        make_source(tmp_path / f"s{one}", [f"skill-{one}"])
    declared = [{"name": f"skill-{one}", "source": f"../s{one}", "version": "v1"} for one in range(5)]
    workspace = make_workspace(tmp_path / "w", declared)
    code, values = call(run, workspace, "install", "--yes")
    assert code in (1, 2)
    assert "at least 5 sources; at most 3 are fetched in one run" in values["problems"][0]["message"]
    assert not (workspace / ".skills").exists()
    monkeypatch.setattr(limits, "MAX_SOURCES", 5)
    assert call(run, workspace, "install", "--yes")[0] == 0


def test_a_chain_of_dependencies_has_an_end(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_CHAIN", 20)
    skills = {f"link-{one}": skill_text(f"link-{one}", [f"link-{one + 1}"]) for one in range(40)}
    source = make_source(tmp_path / "s", {**skills, "link-40": skill_text("link-40")})
    code, values = call(run, make_workspace(tmp_path / "w"), "install", "link-0", "--source", source, "--yes")
    assert code in (1, 2)
    (problem,) = values["problems"]
    assert "through 20 others; a chain of dependencies is followed no further" in problem["message"]


def test_a_deep_tree_of_git_is_refused(tmp_path: Path, run: Run) -> None:
    repository = tmp_path / "deep"
    deep = "/".join(["a"] * 3000)
    texts = {"AGENTS.md": AGENTS, ".skills/alpha/SKILL.md": skill_text("alpha"), f".skills/alpha/{deep}/x": "x"}
    stream = "commit refs/heads/main\ncommitter A <a@example.com> 0 +0000\ndata 0\n"
    stream += "".join(f"M 644 inline {path}\ndata {len(text.encode())}\n{text}\n" for path, text in texts.items())
    subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True)
    subprocess.run(["git", "-C", repository, "fast-import", "--quiet"], input=stream.encode(), check=True)
    workspace = make_workspace(tmp_path / "w")
    code, values = call(run, workspace, "install", "alpha", "--source", f"file://{repository}")
    assert code in (1, 2, 4)
    assert "33 names deep; at most 32 are taken" in values["problems"][0]["message"]


@posix
def test_a_manifest_that_is_no_file_is_not_opened(tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "manifest")
    outcome = run("team", "audit", "--manifest", tmp_path / "manifest", "--out", tmp_path / "out", cwd=tmp_path)
    refused(outcome, "manifest: it is a named pipe, not a regular file; give - for standard input")
