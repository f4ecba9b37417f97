"""A whole installation that is interrupted: killed at each call and at random moments, disk full, no permission.

Whatever happens, the next command finds the old state or the new one.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.kernel.transaction.faults import ACTS, Act
from tests.sampling import NIGHTLY, sample_calls
from tests.supply.install.declared import need
from tests.supply.install.forked import count_calls, start, status_of
from tests.supply.install.outcomes import checks, installed
from tests.supply.install.worlds import (
    call,
    contents,
    make_source,
    make_workspace,
    skill_text,
    snapshot,
    source_files,
    write,
)
from tests.supply.sources.repositories import make_repository, use_own_git_settings
from tests.support import Run
from tests.unprivileged import unprivileged

MOMENTS = 100 if NIGHTLY else 4

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

    def update(self, acts: Mapping[int, Act]) -> int:
        """Update a fresh copy in a child, where `acts` happen at calls with these numbers; its wait status."""
        self.fresh()
        return status_of(self.root, "update", "--yes", acts=acts)

    def calls(self) -> range:
        """The numbers of the calls that the update makes."""
        self.fresh()
        return range(1, count_calls(self.root, "update", "--yes") + 1)

    def state(self) -> str:
        """What the next command finds; it must be sound, and nothing may be left lying about."""
        outcome = checks(self.run, self.root)
        assert outcome.code == 0, outcome.out + outcome.err
        assert not (self.root / ".skillbag").exists()
        found = contents(self.root)
        assert found in (self.before, self.after), sorted(found)
        return "old" if found == self.before else "new"


@pytest.fixture
def world(run: Run, tmp_path: Path) -> World:
    """An update that replaces a skill, adds another, and rewrites the catalog and the lock."""
    return World(run, tmp_path)


def test_an_update_killed_at_any_call_leaves_the_old_state_or_the_new_one(world: World) -> None:
    numbers = world.calls()
    assert len(numbers) > 30
    seen: Counter[str] = Counter()
    for number in sample_calls("update", numbers):
        assert os.WIFSIGNALED(world.update({number: ACTS["kill"]})), number
        seen[world.state()] += 1
    assert set(seen) == {"old", "new"}


@pytest.mark.slow
@pytest.mark.parametrize("act", [act for act in ACTS if act not in ("kill", "tear")])
def test_a_failing_call_leaves_the_old_state_and_says_so(world: World, act: str) -> None:
    for number in sample_calls(act, world.calls()):
        code = os.waitstatus_to_exitcode(world.update({number: ACTS[act]}))
        # Clean-up that fails after the change is made is no failure of the change.
        assert code in (0, 4), (number, code)
        if world.state() == "old":
            assert code == 4, number


def test_a_git_installation_killed_at_random_moments(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    use_own_git_settings(monkeypatch, tmp_path / "home")
    names = [f"skill-{number:02}" for number in range(12)]
    repo = make_repository(tmp_path / "repo.git", source_files({name: skill_text(name) for name in names}))
    command = ("install", "--all", "--source", repo.url)
    cache = Path(os.environ["SKILLBAG_CACHE_DIR"])
    begin = time.monotonic()
    assert status_of(make_workspace(tmp_path / "whole"), *command) == 0
    seconds = time.monotonic() - begin
    chance, seen = random.Random(11), Counter[bool]()
    for number in range(MOMENTS):
        if number % 3 == 0:
            shutil.rmtree(cache, ignore_errors=True)
        workspace = make_workspace(tmp_path / f"work-{number}")
        child = start(workspace, *command)
        time.sleep(chance.uniform(0.0, seconds * 1.1))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        outcome = run("check", workspace)
        present = (workspace / ".skills").is_dir()
        # Before it there are no skills: that is what the check then says.
        assert outcome.code == (0 if present else 1), outcome.out + outcome.err
        assert not present or installed(workspace) == names
        assert not (workspace / ".skillbag").exists()
        seen[present] += 1
        again = run(*command, cwd=workspace)
        assert again.code == 0, again.err
        shutil.rmtree(workspace)
    if NIGHTLY:
        assert set(seen) == {False, True}


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


def test_without_permission_the_workspace_stays_as_it_was(world: World) -> None:
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
    children = [start(workspace, "install", name, "--source", "../one") for name in names]
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 8
    assert installed(workspace) == names
    assert call(run, workspace, "verify")[0] == 0
    assert checks(run, workspace).code == 0


def test_waiting_for_another_writer_is_limited(
    run: Run, tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBAG_WAIT", "0.3")
    from skillbag.kernel.transaction.writer import writing

    make_source(tmp_path / "one", ["a"])
    child = os.fork()
    if child == 0:
        with writing(str(workspace)):
            (tmp_path / "held").touch()
            time.sleep(1000)
        os._exit(0)
    try:
        while not (tmp_path / "held").exists():
            time.sleep(0.01)
        before = snapshot(workspace)
        outcome = run("install", "a", "--source", "../one", cwd=workspace)
        assert outcome.code == 4, outcome
        assert "waiting" in outcome.err
        assert snapshot(workspace) == before
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert run("install", "a", "--source", "../one", cwd=workspace).code == 0
