"""Personal skills through crashes and crowds: at any moment the old skill or the new one, and nothing left behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.agents.personal.kept import kept_versions
from skillbag.agents.personal.skills import add_personal_skill, personal_skills, remove_personal_skill
from tests.kernel.transaction.faults import ACTS, at_calls, kill
from tests.kernel.transaction.faults import Act as Fault
from tests.kernel.transaction.runner import count_calls
from tests.sampling import NIGHTLY, sample_calls
from tests.supply.install.worlds import contents, skill_text, write

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the moments of a crash are those of a forked child")


OLD = {"SKILL.md": skill_text("tidy"), "old.md": "old\n", "references/a.md": "old\n"}
NEW = {"SKILL.md": skill_text("tidy", body="New."), "new.md": "new\n", "references/a.md": "new\n"}

FAILED = 4
KILLS = 100 if NIGHTLY else 8

Act = Callable[[str, str], object]


def _remove(root: str, _source: str) -> object:
    return remove_personal_skill(root, "tidy")


def below(name: str, files: dict[str, str]) -> dict[str, str | bytes]:
    return {f"{name}/{path}": text for path, text in files.items()}


def as_bytes(files: dict[str, str | bytes]) -> dict[str, bytes]:
    return {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}


KEPT: dict[str, str | bytes] = {"other/SKILL.md": skill_text("other")}


CHANGES: dict[str, tuple[Act, dict[str, str | bytes], dict[str, str | bytes]]] = {
    "install": (add_personal_skill, KEPT, KEPT | below("tidy", NEW)),
    "replace": (add_personal_skill, KEPT | below("tidy", OLD), KEPT | below("tidy", NEW)),
    "replace-another-folder": (add_personal_skill, KEPT | below("old", OLD), KEPT | below("tidy", NEW)),
    "remove": (_remove, KEPT | below("tidy", OLD), KEPT),
}
"""What is done, and what is in the root before and after."""


class World:
    """A personal root that is made anew for each crash."""

    def __init__(self, base: Path, change: str) -> None:
        self.act, self.before, self.after = CHANGES[change]
        self.root = base / "root"
        self.source = write(base / "source", dict(NEW))

    def fresh(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        write(self.root, self.before)

    def make(self) -> None:
        self.act(str(self.root), str(self.source))

    def stopped(self, number: int, act: Fault = kill) -> int:
        """The exit code of a child that makes the change and is stopped by `act` at the call of this number."""

        def work() -> None:
            at_calls({number: act})
            self.make()

        self.fresh()
        return in_child(work)

    def found(self) -> str:
        """`old` or `new`, once the next command has read the root; nothing else is there but what is kept."""
        personal_skills(str(self.root))
        assert not (self.root / ".skillbag/skills").exists()
        found = {path: data for path, data in contents(self.root).items() if not path.startswith(".skillbag/")}
        assert found in (as_bytes(self.before), as_bytes(self.after))
        # An empty folder is a half one.
        there = {path.name for path in self.root.iterdir()} - {".skillbag"}
        assert there == {path.partition("/")[0] for path in found}
        if found == as_bytes(self.after) and set(self.before) - set(KEPT):
            (version,) = kept_versions(str(self.root), "tidy")
            assert contents(Path(version.folder)) == {path: text.encode() for path, text in OLD.items()}
        return "new" if found == as_bytes(self.after) else "old"


def in_child(work: Callable[[], object], killed_after: float | None = None) -> int:
    """The exit code of a forked child that does the work, or the signal that ended it, as a negative number.

    It may be killed after so many seconds. Where the environment fails, the code is `FAILED`.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the short life of this process
            work()
            code = 0
        except OSError:
            code = FAILED
        finally:
            os._exit(code)
    if killed_after is not None:
        time.sleep(killed_after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def calls_of(world: World) -> int:
    """How many calls that change the disk the change has."""
    # Whatever is imported or made for the first time is no call of the change.
    world.fresh()
    world.make()
    world.fresh()
    count = count_calls(world.make)
    assert world.found() == "new"
    return count


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_killed_at_any_call_it_is_the_old_skill_or_the_new_one(tmp_path: Path, change: str) -> None:
    world = World(tmp_path, change)
    ended: Counter[str] = Counter()
    for number in sample_calls(change, range(1, calls_of(world) + 1)):
        assert world.stopped(number) == -signal.SIGKILL
        ended[world.found()] += 1
    assert min(ended["old"], ended["new"]) > (3 if NIGHTLY else 0)


@pytest.mark.nightly
@pytest.mark.parametrize("change", ["replace", "remove"])
def test_killed_again_while_it_is_repaired_it_is_one_of_them_still(tmp_path: Path, change: str) -> None:
    world = World(tmp_path, change)
    for number in sample_calls(change, range(1, calls_of(world) + 1, 4)):

        def repair(number: int = number) -> None:
            at_calls({number % 7 + 1: kill})
            personal_skills(str(world.root))

        world.stopped(number)
        in_child(repair)
        world.found()


def test_where_the_disk_is_full_the_old_skill_is_there_unless_it_was_done(tmp_path: Path) -> None:
    world = World(tmp_path, "replace")
    ended: Counter[tuple[int, str]] = Counter()
    for number in sample_calls("full", range(1, calls_of(world) + 1, 2)):
        ended[world.stopped(number, ACTS["ENOSPC"]), world.found()] += 1
    # The last: the change is made, and the next command makes the backup.
    assert {(FAILED, "old"), (0, "new")} <= set(ended) <= {(FAILED, "old"), (0, "new"), (FAILED, "new")}


def test_kills_at_random_moments_leave_nothing_half_done(tmp_path: Path) -> None:
    chance = random.Random(5)
    worlds = [World(tmp_path / change, change) for change in CHANGES]
    takes = []
    for world in worlds:
        world.fresh()
        begun = time.perf_counter()
        in_child(world.make)
        takes.append(time.perf_counter() - begun)
    ended: Counter[str] = Counter()
    for number in range(KILLS):
        world = worlds[number % len(worlds)]
        world.fresh()
        in_child(world.make, chance.uniform(0, 1.2 * takes[number % len(worlds)]))
        ended[world.found()] += 1
    assert ended["old"] + ended["new"] == KILLS


@pytest.mark.slow
@pytest.mark.parametrize("then", ["list", "add", "add-from-its-own-folder", "remove", "show-what-would-go"])
def test_whatever_comes_next_repairs_it(tmp_path: Path, then: str) -> None:
    world = World(tmp_path, "replace")
    commands: dict[str, Callable[[str], object]] = {
        "list": personal_skills,
        "add": lambda root: add_personal_skill(root, str(world.source)),
        "add-from-its-own-folder": lambda root: add_personal_skill(root, f"{root}/tidy"),
        "remove": lambda root: remove_personal_skill(root, "other"),
        "show-what-would-go": lambda root: remove_personal_skill(root, "tidy", dry_run=True),
    }
    calls = calls_of(world)
    for number in sample_calls(then, range(calls // 3, calls * 2 // 3, 2)):
        assert world.stopped(number) == -signal.SIGKILL
        assert (world.root / ".skillbag/skills").exists()
        commands[then](str(world.root))
        assert not (world.root / ".skillbag/skills").exists()
        assert (world.root / "tidy/SKILL.md").is_file()


def test_a_skill_that_is_out_of_its_place_can_be_added_from_there(tmp_path: Path) -> None:
    world = World(tmp_path, "replace")
    moments, calls = 0, calls_of(world)
    for number in range(calls) if NIGHTLY else range(calls // 2, calls * 4 // 5):
        world.stopped(number)
        if (world.root / "tidy").exists():
            continue
        moments += 1
        assert add_personal_skill(str(world.root), f"{world.root}/tidy").status == "replaced"
        assert (world.root / "tidy/SKILL.md").is_file()
    assert moments, "at no moment was it out of its place: the test proves nothing"
