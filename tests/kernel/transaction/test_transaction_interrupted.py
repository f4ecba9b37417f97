"""Killed, or refused by the system, at any call: what the next command finds is the old state or the new one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernel.transaction.runner import FAILED, World
from tests.sampling import NIGHTLY
from tests.support import PROJECT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the children are forked")

MEMORY = Path("/dev/shm")
KILLS = 500 if NIGHTLY else 8


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: a disk takes its time to sync, and no test here takes its power away."""
    if not os.access(MEMORY, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


def ways(base: Path, *arguments: str | int) -> dict[str, int]:
    """How often the change ended in which way and state; all of them were found right."""
    command = [sys.executable, "-m", "tests.kernel.transaction.runner", str(base), *map(str, arguments)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    *wrong, last = done.stdout.splitlines()
    assert (wrong, done.stderr, done.returncode) == ([], "", 0)
    return {way: int(count) for way, _, count in (pair.partition("=") for pair in last.split())}


@pytest.mark.parametrize("act", ["kill", "tear", "image"])
def test_killed_at_each_call(base: Path, act: str) -> None:
    found = ways(base, act)
    assert found.keys() == {"killed-old", "killed-new"}
    assert min(found.values()) > (30 if NIGHTLY else 0)


def test_killed_with_the_file_system_synced_as_a_whole(base: Path) -> None:
    assert ways(base, "kill", 2).keys() == {"killed-old", "killed-new"}


@pytest.mark.parametrize(("code", "stride"), [("ENOSPC", 1), ("EACCES", 2), ("EIO", 3)])
def test_refused_once_at_each_call(base: Path, code: str, stride: int) -> None:
    found = ways(base, code, stride)
    # Past the point of no return only cleaning up can fail.
    assert found.keys() <= {"failed-old", "done-new", "unclean-new"}
    assert len(found) > 2 * NIGHTLY
    assert found.get("failed-old", 0) > 50 // stride or not NIGHTLY


@pytest.mark.parametrize("code", ["ENOSPC", "EACCES", "EIO", "EROFS"])
@pytest.mark.parametrize("point", ["write new/0004", "rename transaction/journal.json"])
def test_refused_before_the_point_of_no_return(base: Path, code: str, point: str) -> None:
    world = World(base)
    world.fresh()
    assert world.stop_at(point, code) == FAILED
    assert world.outcome() == "old"


@pytest.mark.parametrize(("code", "stride"), [("ENOSPC+", 2), ("EROFS+", 3)])
def test_refused_from_each_call_on(base: Path, code: str, stride: int) -> None:
    found = ways(base, code, stride)
    # Stuck half-way while it lasts; whole again as soon as writing is possible.
    assert "failed-old" in found
    assert {"stuck-new", "done-new"} <= found.keys() or not NIGHTLY


@pytest.mark.parametrize(("act", "stride", "again"), [("kill", 2, 5), ("EIO", 3, 7)])
def test_killed_again_during_recovery_or_rollback(base: Path, act: str, stride: int, again: int) -> None:
    assert ways(base, act, stride, again)


def test_killed_at_random_moments(tmp_path: Path) -> None:
    assert sum(ways(tmp_path, "random", KILLS).values()) == KILLS
