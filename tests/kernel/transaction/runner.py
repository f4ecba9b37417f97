"""Interrupt the change of `workspaces` at some of its calls in turn, and look at what the next command finds.

    python -m tests.kernel.transaction.runner BASE ACT [STRIDE [AGAIN]]

`ACT` is one of `faults.ACTS`, with `+` for one that lasts; `random` kills at `STRIDE` random moments, `image` at each
call in a container, where what came with the image is copied, and then deleted. With `AGAIN`, what follows is killed as
well, at every call that this number and the place of the first one choose: after `kill` that is the recovery, after an
error the change itself, which then takes itself back. Every change is made by a forked child, so that the modules are
loaded once. Prints what is wrong, a line each, then how often the change ended in which way and state.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.fs import durable
from skillbag.kernel.transaction.recovery import recover
from tests.kernel.transaction.changing import CRASHED, ending
from tests.kernel.transaction.faults import ACTS, Act, as_in_a_container, at_calls, at_point, kill
from tests.kernel.transaction.snapshots import Snapshot, outcome, snapshot
from tests.kernel.transaction.workspaces import change, make_source, make_workspace
from tests.sampling import sample_calls

DONE, FAILED, UNCLEAN, STUCK, KILLED = "done", "failed", "unclean", "stuck", "killed"
_CODES = {0: DONE, 3: FAILED, 4: UNCLEAN, 5: STUCK}


class World:
    """A folder in which one workspace after the other is made, changed and interrupted."""

    def __init__(self, base: Path) -> None:
        self.base, self.root = base, base / "workspace"
        self.source = make_source(base / "source")
        self.before = self.fresh()
        change(self.root, self.source)
        self.after = snapshot(self.root)

    def fresh(self) -> Snapshot:
        shutil.rmtree(self.root, ignore_errors=True)
        return snapshot(make_workspace(self.root))

    def outcome(self) -> str:
        return outcome(self.root, self.before, self.after)

    def change(self, act: str, number: int, killed: int = 0) -> str:
        """Change the workspace in a child that comes to grief at the call with this number; how it ended."""
        acts = {killed: kill, number: ACTS[act.rstrip("+")]}

        def work() -> int:
            at_calls(acts, lasting=act.endswith("+"))
            return ending(self.root, self.source)

        return in_child(work)

    def stop_at(self, point: str, act: str = "kill") -> str:
        """Change the workspace in a child that comes to grief at a named point; how it ended."""

        def work() -> int:
            at_point(point, ACTS[act])
            return ending(self.root, self.source)

        return in_child(work)

    def calls(self) -> int:
        """How many calls the change has."""
        self.fresh()
        return count_calls(lambda: change(self.root, self.source))

    def recover(self, killed: int = 0) -> str:
        """Recover the workspace in a child; how it ended."""

        def work() -> None:
            at_calls({killed: kill})
            recover(str(self.root))

        return in_child(work)


def in_child(work: Callable[[], int | None], killed_after: float | None = None) -> str:
    """How a child ended that exits with the code that the work gives; it may be killed after so many seconds."""
    child = fork(work)
    if killed_after is not None:
        time.sleep(killed_after)
        os.kill(child, signal.SIGKILL)
    return wait(child)


def fork(work: Callable[[], int | None]) -> int:
    """Start a child that exits with the code that the work gives; its process id."""
    child = os.fork()
    if child == 0:
        code = CRASHED
        try:
            sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the short life of this process
            code = work() or 0
        finally:
            os._exit(code)
    return child


def wait(child: int) -> str:
    """How a child ended."""
    _, status = os.waitpid(child, 0)
    return KILLED if os.WIFSIGNALED(status) else _CODES[os.waitstatus_to_exitcode(status)]


def commanded(folder: Path, *arguments: str, acts: Mapping[int, Act] = MappingProxyType({})) -> Callable[[], int]:
    """The work of a child: the command, which comes to grief at these of its calls."""

    def work() -> int:
        from skillbag.doors.cli import main

        os.chdir(folder)
        sys.argv = ["skillbag", *arguments]
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for the short life of this process
        at_calls(acts)
        try:
            main()
        except SystemExit as ended:
            return 0 if ended.code in (0, 1) else 3
        return 0

    return work


def trace_calls(work: Callable[[], object]) -> list[str]:
    """The calls that change the disk, in order, of a work that is done in a child."""
    with tempfile.TemporaryFile("w+") as file:

        def traced() -> None:
            trace: list[str] = []
            at_calls({}, trace)
            work()
            file.write("\n".join(trace))
            file.flush()

        assert in_child(traced) == DONE
        file.seek(0)
        return file.read().splitlines()


def count_calls(work: Callable[[], object]) -> int:
    """How many calls that change the disk the work makes, which is done in a child."""
    return len(trace_calls(work))


def at_once(ended: str) -> set[str]:
    """In what states a workspace may be before anybody has recovered it, going by how the change ended."""
    return {DONE: {"new"}, UNCLEAN: {"new"}, FAILED: {"old"}}.get(ended, {"old", "new", "mixed"})


def look(world: World, number: int, ended: str) -> Iterator[str]:
    state = world.outcome()
    if state.split(":")[0].split(",")[0] not in at_once(ended):
        yield f"{number}: {ended}, and it is {state}"
    recover(str(world.root))
    state = world.outcome()
    if state.split(",")[0] not in at_once(ended) or state not in ("old", "new"):
        yield f"{number}: {ended}, and after the recovery it is {state}"


def look_again(world: World, act: str, number: int, every: int) -> Iterator[str]:
    """As `look`, with a second interruption, in turn at every call that follows."""
    saved, known = world.base / "saved", world.base / "known"
    _restore(saved, world.root)
    _restore(known, Path(state_folder()))
    second = number % every + 1
    while True:
        if act == "kill":
            _restore(world.root, saved)
            _restore(Path(state_folder()), known)
            ended = world.recover(second)
        else:
            world.fresh()
            ended = world.change(act, number, number + second)
        if ended != KILLED:
            return
        recover(str(world.root))
        state = world.outcome()
        if state not in ("old", "new"):
            yield f"{number}, then {second}: it is {state}"
        second += every


def _restore(folder: Path, saved: Path) -> None:
    """Make the folder a copy of another one."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved, folder, symlinks=True)


def at_random(world: World, count: int) -> Iterator[tuple[int, str]]:
    """The change killed at so many moments, spread over the time that it takes and drawn again each time."""
    world.fresh()
    begun = time.perf_counter()
    in_child(lambda: ending(world.root, world.source))
    takes = time.perf_counter() - begun
    for number in range(count):
        world.fresh()
        yield number, in_child(lambda: ending(world.root, world.source), random.uniform(0, 1.2 * takes))


def in_turn(world: World, act: str, stride: int) -> Iterator[tuple[int, str]]:
    """The change come to grief at calls drawn from those that `stride` chooses."""
    for number in sample_calls(f"{act} {stride}", range(stride, world.calls() + 1, stride)):
        world.fresh()
        yield number, world.change(act, number)


def main(base: str, act: str, stride: int = 1, again: int = 0) -> Iterator[str]:
    if stride > 1:
        # Few files are synced one by one; so that the other way is gone as well.
        durable._FEW = 0
    if act == "image":
        act = "kill"
        as_in_a_container()
    world = World(Path(base))
    ways: Counter[str] = Counter()
    for number, ended in at_random(world, stride) if act == "random" else in_turn(world, act, stride):
        yield from look_again(world, act, number, again) if again else look(world, number, ended)
        ways[f"{ended}-{world.outcome().split(',')[0]}"] += 1
    yield " ".join(f"{way}={count}" for way, count in sorted(ways.items()))


if __name__ == "__main__":
    for line in main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])):
        sys.stdout.write(f"{line}\n")
