"""A whole installation that comes to grief: killed at each call and at random moments, disk full, no permission.

Whatever happens, the next command finds the old state or the new one.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.install.declared import need
from tests.install.outcomes import checks, installed
from tests.install.worlds import call, contents, make_source, make_workspace, skill_text, snapshot, source_files, write
from tests.sampling import NIGHTLY, sample_calls
from tests.sources.repositories import make_repository, use_own_git_settings
from tests.support import Run
from tests.transaction.faults import ACTS, at_calls
from tests.unprivileged import unprivileged

MOMENTS = 100 if NIGHTLY else 8

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked here, which this system can't")


class World:
    """A workspace before an update, and what it holds before and after."""

    def __init__(self, run: Run, base: Path) -> None:
        self.run, self.root, self.before_folder = run, base / "work", base / "before"
        source = make_source(base / "one", ["same", "newer"], more={"newer/references/old.md": "Old.\n"})
        make_workspace(self.root, [need("newer", "../one", "main")])
        write(self.root, {".skills/own/SKILL.md": skill_text("own"), "notes.txt": "Mine.\n"})
        assert call(run, self.root, "install", "same", "--source", "../one")[0] == 0
        (source / ".skills/newer/references/old.md").unlink()
        needing = skill_text("newer", ["added"], body="Version two.")
        write(source, source_files({"same": skill_text("same"), "newer": needing, "added": skill_text("added")}))
        shutil.copytree(self.root, self.before_folder, symlinks=True)
        self.before = contents(self.root)
        assert call(run, self.root, "update", "--yes")[0] == 0
        self.after = contents(self.root)
        assert self.before != self.after

    def fresh(self) -> None:
        shutil.rmtree(self.root)
        shutil.copytree(self.before_folder, self.root, symlinks=True)

    def update(self, prepare: Callable[[], object]) -> int:
        """Update in a child, after `prepare` in it; its wait status."""
        child = os.fork()
        if child == 0:
            _update(self.root, prepare)
        return os.waitpid(child, 0)[1]

    def state(self) -> str:
        """What the next command finds; it must be sound, and nothing may be left lying about."""
        outcome = checks(self.run, self.root)
        assert outcome.code == 0, outcome.out + outcome.err
        assert not (self.root / ".skillbag").exists()
        found = contents(self.root)
        assert found in (self.before, self.after), sorted(found)
        return "old" if found == self.before else "new"


def _update(root: Path, prepare: Callable[[], object]) -> None:
    """What a child does: the command as it is, without the test's own clean-up; never returns."""
    code = 70
    try:
        from skillbag.cli import main

        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.chdir(root)
        sys.argv = ["skillbag", "update", "--yes"]
        prepare()
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(code)


@pytest.fixture
def world(run: Run, tmp_path: Path) -> World:
    """An update that replaces a skill, adds another, and rewrites the catalog and the lock."""
    return World(run, tmp_path)


def test_killed_at_any_call_it_leaves_the_old_state_or_the_new_one(world: World, tmp_path: Path) -> None:
    count = _calls(world, tmp_path / "calls")
    assert count > 30
    seen: Counter[str] = Counter()
    for number in sample_calls("update", range(1, count + 1)):
        world.fresh()
        status = world.update(partial(at_calls, {number: ACTS["kill"]}))
        assert os.WIFSIGNALED(status), number
        seen[world.state()] += 1
    assert set(seen) == {"old", "new"}


@pytest.mark.parametrize("act", [act for act in ACTS if act not in ("kill", "tear")])
def test_a_failing_call_leaves_the_old_state_and_says_so(world: World, tmp_path: Path, act: str) -> None:
    count = _calls(world, tmp_path / "calls")
    for number in sample_calls(act, range(1, count + 1)):
        world.fresh()
        status = world.update(partial(at_calls, {number: ACTS[act]}))
        code = os.waitstatus_to_exitcode(status)
        # Clean-up that fails after the change is made is no failure of the change.
        assert code in (0, 4), (number, code)
        if world.state() == "old":
            assert code == 4, number


def _calls(world: World, counted: Path) -> int:
    """How many calls the update makes."""

    def prepare() -> None:
        trace: list[str] = []
        at_calls({}, trace)
        real = os._exit

        def leave(code: int) -> None:
            counted.write_text(str(len(trace)))
            real(code)

        os._exit = leave  # type: ignore[assignment]

    world.fresh()
    assert os.waitstatus_to_exitcode(world.update(prepare)) == 0
    return int(counted.read_text())


def test_a_git_installation_killed_at_random_moments(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    use_own_git_settings(monkeypatch, tmp_path / "home")
    names = [f"skill-{number:02}" for number in range(12)]
    repo = make_repository(tmp_path / "repo.git", source_files({name: skill_text(name) for name in names}))
    command = [sys.executable, "-m", "skillbag", "install", "--all", "--source", repo.url]
    cache = Path(os.environ["SKILLBAG_CACHE_DIR"])
    seconds = _duration(command, make_workspace(tmp_path / "whole"))
    chance, seen = random.Random(11), Counter[bool]()
    for number in range(MOMENTS):
        if number % 3 == 0:
            shutil.rmtree(cache, ignore_errors=True)
        workspace = make_workspace(tmp_path / f"work-{number}")
        _killed_after(command, workspace, chance.uniform(0.0, seconds * 1.1))
        outcome = run("check", workspace)
        present = (workspace / ".skills").is_dir()
        # Before it there are no skills: that is what the check then says.
        assert outcome.code == (0 if present else 1), outcome.out + outcome.err
        assert not present or installed(workspace) == names
        assert not (workspace / ".skillbag").exists()
        seen[present] += 1
        again = run("install", "--all", "--source", repo.url, cwd=workspace)
        assert again.code == 0, again.err
        shutil.rmtree(workspace)
    if NIGHTLY:
        assert set(seen) == {False, True}


def _duration(command: list[str], workspace: Path) -> float:
    begin = time.monotonic()
    subprocess.run(command, cwd=workspace, check=True, capture_output=True)
    return time.monotonic() - begin


def _killed_after(command: list[str], workspace: Path, seconds: float) -> None:
    process = subprocess.Popen(
        command, cwd=workspace, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one mebibyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_leaves_the_workspace_as_it_was(run: Run, tmp_path: Path, small_disk: Path) -> None:
    big = make_source(tmp_path / "big", ["a", "b"], more={"a/assets/big.bin": "x" * 300_000})
    workspace = make_workspace(small_disk / "work")
    write(workspace, {".skills/own/SKILL.md": skill_text("own")})
    for free in (0, 4, 16, 64, 200, 280, 296):
        filler = small_disk / "filler"
        space = os.statvfs(small_disk)
        filler.write_bytes(b"x" * max(0, space.f_bavail * space.f_frsize - free * 1024))
        before = {path: facts for path, facts in snapshot(workspace).items() if path != "."}
        outcome = run("install", "a", "b", "--source", str(big), cwd=workspace)
        assert outcome.code == 4, (free, outcome)
        assert "No space left" in outcome.err
        # The folder for the stage came and went, which the root's own time shows.
        assert {path: facts for path, facts in snapshot(workspace).items() if path != "."} == before
        filler.unlink()
    assert run("install", "a", "b", "--source", str(big), cwd=workspace).code == 0
    # `own` is in no catalog of the user's: the installation has listed it.
    assert checks(run, workspace).code == 0


def test_without_permission_the_workspace_stays_as_it_was(run: Run, world: World) -> None:
    world.fresh()
    for folder, mode in ((".skills", 0o555), (".", 0o555), (".skills/newer", 0o000)):
        path = world.root / folder
        old = path.stat().st_mode
        before = snapshot(world.root)
        path.chmod(mode)
        done = unprivileged(world.root, "update", "--yes")
        path.chmod(old)
        assert done.returncode == 4, (folder, done)
        assert "Traceback" not in done.stderr
        assert {k: v[2] for k, v in snapshot(world.root).items()} == {k: v[2] for k, v in before.items()}
    assert world.state() == "old"


def test_eight_processes_at_once_lose_nothing(run: Run, tmp_path: Path, workspace: Path) -> None:
    names = [f"skill-{number}" for number in range(8)]
    make_source(tmp_path / "one", names)
    command = [sys.executable, "-m", "skillbag", "install"]
    processes = [
        subprocess.Popen(
            [*command, name, "--source", "../one"], cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for name in names
    ]
    said = [process.communicate()[0].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, said
    assert installed(workspace) == names
    assert call(run, workspace, "verify")[0] == 0
    assert checks(run, workspace).code == 0


def test_waiting_for_another_writer_is_limited(run: Run, tmp_path: Path, workspace: Path) -> None:
    from skillbag.transaction.writer import writing

    make_source(tmp_path / "one", ["a"])
    child = os.fork()
    if child == 0:
        with writing(str(workspace)):
            (tmp_path / "held").touch()
            time.sleep(60)
        os._exit(0)
    try:
        while not (tmp_path / "held").exists():
            time.sleep(0.01)
        before = snapshot(workspace)
        outcome = run("install", "a", "--source", "../one", "--wait", "0.3", cwd=workspace)
        assert outcome.code == 4, outcome
        assert "waiting" in outcome.err
        assert snapshot(workspace) == before
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert run("install", "a", "--source", "../one", cwd=workspace).code == 0
