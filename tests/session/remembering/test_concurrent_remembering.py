"""Several writers of `USER_CONTEXT.md` at once, and writers that are killed: nothing is lost, nothing half written."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import pytest

from skillbag import open_workspace
from skillbag.doors.cli.messages import note
from skillbag.kernel.transaction.recovery import recover
from skillbag.session.remembering.remember import forget, remember
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.settings.value import typed
from tests.kernel.transaction.faults import Act, at_calls, kill
from tests.kernel.transaction.runner import DONE, FAILED, KILLED, count_calls, in_child
from tests.sampling import sample_calls
from tests.session.agents import is_refused
from tests.session.forks import forks, together
from tests.supply.install.worlds import call, contents, make_workspace
from tests.support import PROJECT, Run

pytestmark = [forks, pytest.mark.slow]

PROSE = "# Me\r\n\r\nI like short sentences.\r\n"

# Holds the lock of the workspace until its input ends.
HOLD = """
import sys
from skillbag.kernel.transaction.writer import writing
with writing(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def all_end_well(folder: Path, *commands: tuple[object, ...]) -> None:
    """Run commands at the same moment; each may only report on standard error that it waits."""
    for outcome in together(folder, *commands):
        assert outcome.code == 0
        assert all("waiting for" in line for line in outcome.err.splitlines())


def given(workspace: Path) -> dict[str, object]:
    settings = read_settings(open_workspace(str(workspace)))
    return {given.name: given.value and given.value.value for given in settings.given}


def test_eight_processes_with_names_of_their_own_lose_nothing(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context=PROSE)
    all_end_well(workspace, *(("remember", f"name-{number}={number}") for number in range(8)))
    assert given(workspace) == {f"name-{number}": number for number in range(8)}
    all_end_well(workspace, *(("forget", f"name-{number}") for number in range(8)))
    assert (workspace / "USER_CONTEXT.md").read_bytes() == PROSE.encode()


def test_eight_processes_with_one_name_leave_the_value_of_one(workspace: Path) -> None:
    all_end_well(workspace, *(("remember", f"name={number}") for number in range(8)))
    assert list(given(workspace)) == ["name"]
    assert given(workspace)["name"] in range(8)
    assert (workspace / "USER_CONTEXT.md").read_text().count("name") == 1
    assert not (workspace / ".skillbag").exists()


def test_eight_workspaces_in_one_repository_tell_git_of_each(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    workspaces = [make_workspace(tmp_path / f"w{number}") for number in range(8)]
    all_end_well(tmp_path, *(("remember", "a=1", "--workspace", workspace) for workspace in workspaces))
    lines = (tmp_path / ".git/info/exclude").read_text().splitlines()
    assert sorted(line for line in lines if "USER" in line) == [f"/w{number}/USER_CONTEXT.md" for number in range(8)]


@pytest.fixture
def held(tmp_path: Path) -> Iterable[tuple[Path, subprocess.Popen[str]]]:
    """A workspace that another process is writing to until its input ends."""
    workspace = make_workspace(tmp_path, user_context=PROSE)
    command, pipe = [sys.executable, "-c", HOLD, str(workspace)], subprocess.PIPE
    process = subprocess.Popen(command, cwd=PROJECT, stdin=pipe, stdout=pipe, text=True)
    with process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield workspace, process
        if process.stdin and not process.stdin.closed:
            process.stdin.close()


def test_waiting_for_another_writer_is_reported(
    run: Run, held: tuple[Path, subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, process = held

    def let_go(words: str) -> None:
        note(words)
        assert process.stdin
        process.stdin.close()

    monkeypatch.setattr("skillbag.doors.cli.command_support.note", let_go)
    outcome = run("remember", "a=1", cwd=workspace)
    assert outcome.code == 0
    assert outcome.err == "note: another skillbag is writing here; waiting for it to end\n"
    assert given(workspace) == {"a": 1}


def test_another_writer_is_waited_for_no_longer_than_asked(
    run: Run, held: tuple[Path, subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBAG_WAIT", "0.1")
    workspace, _ = held
    before = contents(workspace)
    for command in (["remember", "a=1"], ["forget", "a"]):
        outcome = run(*command, cwd=workspace)
        is_refused(outcome, "another process has been changing this workspace for 0 s", code=4)
        code, values = call(run, workspace, *command)
        assert code == 4
        assert "wait for it, or end it" in values["error"]
    assert contents(workspace) == before
    # What is refused in any case is not waited for.
    assert run("remember", "password=hunter2", cwd=workspace).code == 2


def interrupted(act: Act, number: int, work: Callable[..., object], *arguments: object) -> str:
    """Do the work in a process to which something happens at its call with this number that changes the disk."""

    def in_it() -> int:
        at_calls({number: act})
        try:
            work(*arguments)
        except OSError:
            return 3
        return 0

    return in_child(in_it)


@pytest.mark.slow
@pytest.mark.parametrize("before", [None, "", PROSE], ids=["no file", "an empty file", "a file"])
def test_a_writer_killed_at_any_moment_leaves_the_old_or_the_new(tmp_path: Path, before: str | None) -> None:
    workspace = make_workspace(tmp_path / "workspace")
    path = workspace / "USER_CONTEXT.md"

    def reset(text: bytes | None) -> None:
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_bytes(text)

    def state() -> bytes | None:
        recover(str(workspace))
        assert not (workspace / ".skillbag").exists()
        return path.read_bytes() if path.exists() else None

    old = None if before is None else before.encode()
    reset(old)
    remember(str(workspace), "a", typed(1))
    new = state()
    gone = b"# User context\n" if old is None else old
    reset(old)
    count = count_calls(lambda: remember(str(workspace), "a", typed(1)))
    assert count > 10
    seen = []
    for number in sample_calls(str(before), range(1, count + 1)):
        reset(old)
        assert interrupted(kill, number, remember, str(workspace), "a", typed(1)) == KILLED
        seen.append(state())
        assert seen[-1] in (old, new)
        reset(new)
        interrupted(kill, number, forget, str(workspace), "a")
        assert state() in (new, gone)
    assert (seen[0], seen[-1]) == (old, new)


def test_what_a_killed_writer_left_is_repaired_by_the_next_command(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context=PROSE)
    repaired = 0
    for number in range(1, 60, 3):
        (workspace / "USER_CONTEXT.md").write_bytes(PROSE.encode())
        interrupted(kill, number, remember, str(workspace), "a", typed(1))
        outcome = run("remember", "b=2", cwd=workspace)
        assert outcome.code == 0
        assert given(workspace) in ({"b": 2}, {"a": 1, "b": 2})
        assert (workspace / "USER_CONTEXT.md").read_bytes().startswith(PROSE.encode())
        repaired += bool(outcome.err)
    assert repaired


@pytest.mark.nightly
def test_what_an_editor_saves_meanwhile_is_not_lost(tmp_path: Path) -> None:
    workspace, happened = make_workspace(tmp_path / "workspace"), tmp_path / "happened"
    path = workspace / "USER_CONTEXT.md"

    def save(_name: str, _args: object) -> None:
        # There is one moment in which the file is out of its place, where nobody could save over it.
        happened.write_text("saved" if path.exists() else "")
        if path.exists():
            path.write_bytes(b"# Edited\n")

    def tell(sentence: str) -> None:
        reported.write_text(sentence)

    ways: list[str] = []
    reported = tmp_path / "told"
    while happened.exists() or not ways:
        for left in (happened, reported):
            left.unlink(missing_ok=True)
        shutil.rmtree(workspace / ".skillbag", ignore_errors=True)
        path.write_bytes(PROSE.encode())
        work = partial(remember, notice=tell)
        ways.append(interrupted(save, len(ways) + 1, work, str(workspace), "a", typed(1)))
        texts = [item.read_bytes() for item in (path, *(workspace / ".skillbag/backup").glob("USER_CONTEXT.md*"))]
        assert len(texts) == 1 or "that version is kept as .skillbag/backup/USER_CONTEXT.md-1" in reported.read_text()
        saved = happened.exists() and happened.read_text() == "saved"
        assert any(b"# Edited\n" in text for text in texts) == saved
    assert set(ways) == {DONE, FAILED}
    assert len(ways) > 10
