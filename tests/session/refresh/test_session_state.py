"""What is remembered of a session: where, how it survives, and what no damage can do to it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.session.agents import (
    SESSION,
    answer,
    ended,
    enter,
    is_one_sentence,
    is_refused,
    launch,
    state,
    state_folder,
    states,
    tagged,
)
from tests.session.bags import bag, parameters, skill_md
from tests.session.forks import Forked, forks
from tests.supply.install.worlds import call, make_workspace, snapshot
from tests.support import PROJECT, Run
from tests.unprivileged import dropped, unprivileged


def test_nothing_of_a_session_is_in_the_workspace(run: Run, root: Path) -> None:
    before = snapshot(root)
    enter(run, root)
    for arguments in (["run", "convert_to_pdf"], ["order"], ["refresh"], ["enter", "--again"]):
        assert run(*arguments, "--session", SESSION, cwd=root).code == 0
    assert snapshot(root) == before
    assert len(states()) == 1


@pytest.mark.skipif(os.name != "posix", reason="modes of this kind are POSIX's")
def test_the_state_is_its_users_alone(run: Run, tmp_path: Path) -> None:
    enter(run, tagged(tmp_path / "w"))
    (path,) = states()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_state_holds_hashes_and_no_value_of_the_conversation(run: Run, tmp_path: Path) -> None:
    body = parameters("optional:\n  - name: phrase")
    root = bag(tmp_path / "w", {"greet": "Greets."}, {".skills/greet/SKILL.md": skill_md("greet", "Greets.", body)})
    enter(run, root)
    answer(run, root, "run", "greet", "--set", "phrase=opensesame", "--session", SESSION)
    assert "opensesame" not in "".join(path.read_text("utf-8", "replace") for path in state_folder().rglob("*.json"))
    raw = (root / ".skills/greet/SKILL.md").read_bytes()
    assert state()["loaded"] == {"greet": hashlib.sha256(raw).hexdigest()}
    assert state()["files"]["CONTEXT.md"] is None


@pytest.mark.proves("lifecycle", "entry.once")
def test_a_session_is_one_by_whatever_path_the_workspace_is_reached(run: Run, tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(root, target_is_directory=True)
    assert enter(run, root)["status"] == "entered"
    assert enter(run, tmp_path, "--workspace", tmp_path / "link")["status"] == "already"
    assert enter(run, root / ".skills" / "greet")["status"] == "already"


def test_a_session_is_another_one_in_another_workspace(run: Run, tmp_path: Path) -> None:
    one, other = tagged(tmp_path / "one"), tagged(tmp_path / "other")
    enter(run, one)
    assert run("refresh", "--session", SESSION, cwd=other).code == 2
    assert enter(run, other)["status"] == "entered"


def test_a_workspace_that_was_moved_is_entered_again(run: Run, tmp_path: Path, root: Path) -> None:
    enter(run, root)
    moved = root.rename(tmp_path / "moved")
    outcome = run("refresh", "--session", SESSION, cwd=moved)
    assert outcome.code == 2
    assert outcome.err == (
        f"error: the session {SESSION} has not entered this workspace; skillbag enter --session {SESSION} does\n"
    )
    assert enter(run, moved)["status"] == "entered"


@pytest.mark.parametrize("arguments", [["enter"], ["refresh"], ["order"], ["run", "greet"]])
def test_a_workspace_that_vanished_is_one_sentence(run: Run, tmp_path: Path, arguments: list[str], root: Path) -> None:
    enter(run, root)
    before = [path.read_bytes() for path in states()]
    shutil.rmtree(root)
    is_one_sentence(run(*arguments, "--session", SESSION, "--workspace", root), "there is no such folder")
    code, values = call(run, tmp_path, *arguments, "--session", SESSION, "--workspace", root)
    assert (code, list(values)) == (2, ["version", "command", "exit", "error"])
    assert [path.read_bytes() for path in states()] == before


@forks
@pytest.mark.parametrize("arguments", [["enter"], ["refresh"], ["resolve", "greet"]])
def test_a_current_folder_that_vanished_is_one_sentence(root: Path, arguments: list[str]) -> None:
    done = Forked(root, *arguments, "--session", SESSION, prepare=lambda: shutil.rmtree(root)).ended()
    is_one_sentence(done, "the current folder is gone", code=4)


def _changed(**values: object) -> Callable[[bytes], bytes]:
    return lambda data: json.dumps({**json.loads(data), **values}).encode()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _data: b"",
    "half": lambda data: data[: len(data) // 2],
    "all but the end": lambda data: data[:-1],
    "zeros": lambda data: bytes(len(data)),
    "no text": lambda _data: b"\xff\xfe\x00garbage",
    "a list": lambda _data: b"[]",
    "a number": lambda _data: b"1",
    "no keys": lambda _data: b"{}",
    "nested deep": lambda _data: b"[" * 100_000,
    "another version": _changed(version=2),
    "another session": _changed(session="s2"),
    "another workspace": _changed(root="/elsewhere"),
    "no root": _changed(root=None),
    "files are a list": _changed(files=[]),
    "a hash is a number": _changed(files={"SKILLBAG.md": 1}),
    "a line is null": _changed(catalog={"greet": None}),
    "catalog is text": _changed(catalog="x"),
    "loaded is null": _changed(loaded=None),
    "loaded leads elsewhere": _changed(loaded={"../../..": "0"}),
    "loaded is hidden": _changed(loaded={".": "0"}),
    "always is a mapping": _changed(always={"greet": 1}),
    "always holds a list": _changed(always=[["greet"]]),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_state_is_as_if_the_session_had_not_entered(
    run: Run, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    root = tagged(tmp_path / "w")
    enter(run, root)
    (path,) = states()
    good = path.read_bytes()
    path.write_bytes(damage(good))
    is_refused(run("refresh", "--session", SESSION, cwd=root), "has not entered this workspace")
    assert enter(run, root)["status"] == "entered"
    assert path.read_bytes() == good


@pytest.mark.skipif(os.name != "posix", reason="there are no such pipes elsewhere")
def test_a_pipe_in_the_place_of_the_state_does_not_block(run: Run, root: Path) -> None:
    enter(run, root)
    (path,) = states()
    path.unlink()
    os.mkfifo(path)
    assert ended(launch(root, "refresh", "--session", SESSION))[0] == 2
    assert enter(run, root)["status"] == "entered"
    assert path.is_file()


@pytest.mark.parametrize("arguments", [["enter"], ["refresh"]])
def test_a_folder_in_the_place_of_the_state_is_reported_with_advice(run: Run, root: Path, arguments: list[str]) -> None:
    enter(run, root)
    (path,) = states()
    path.unlink()
    path.mkdir()
    values = answer(run, root, *arguments, "--session", SESSION, code=4)
    assert "set SKILLBAG_STATE_DIR to a folder that can be written" in values["error"]


def test_a_file_in_the_place_of_the_state_folder_is_reported_with_advice(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tagged(tmp_path / "w")
    (tmp_path / "file").touch()
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "file"))
    outcome = run("enter", "--session", SESSION, cwd=root)
    is_one_sentence(outcome, "set SKILLBAG_STATE_DIR to a folder that can be written", code=4)
    assert run("refresh", "--session", SESSION, cwd=root).code == 2


def test_a_state_folder_that_cannot_be_written_is_reported_and_nothing_is_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tagged(tmp_path / "w")
    dropped(tmp_path)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(closed))
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    done = unprivileged(root, "enter", "--session", SESSION)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1)
    assert "Permission denied" in done.stderr
    assert "set SKILLBAG_STATE_DIR to a folder that can be written" in done.stderr


def test_a_state_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tagged(tmp_path / "w")
    dropped(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    assert unprivileged(root, "enter", "--session", SESSION).returncode == 0
    states()[0].chmod(0)
    done = unprivileged(root, "refresh", "--session", SESSION)
    assert (done.returncode, done.stdout) == (4, "")
    assert "Permission denied" in done.stderr


def test_sessions_that_were_unused_for_a_month_are_forgotten(run: Run, tmp_path: Path) -> None:
    root, other = tagged(tmp_path / "w"), tagged(tmp_path / "other")
    for number, place in enumerate([root, root, other, other]):
        enter(run, place, session=f"s{number}")
    day = 24 * 3600
    kept = []
    for number, path in enumerate(states()):
        age = (29 if number % 2 else 31) * day
        kept += [path] * (number % 2)
        os.utime(path, (path.stat().st_mtime - age,) * 2)
    enter(run, root, session="new")
    assert set(kept) < set(states())
    assert len(states()) == 3


def test_a_state_folder_that_depends_on_the_current_one_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_workspace(tmp_path / "w")
    monkeypatch.setenv("SKILLBAG_STATE_DIR", "state")
    outcome = run("enter", "--session", "s", cwd=root)
    message = "SKILLBAG_STATE_DIR: 'state' is not an absolute path; set one, or unset the variable"
    assert (outcome.code, outcome.out, outcome.err) == (2, "", f"error: {message}\n")
    assert not (root / "state").exists()
