"""The merge of skills compared with git, on random folders."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.install.merged import LINES, Merger, changed
from tests.install.sides import Content, Link, Program, Side, put, taken


@pytest.fixture
def merge(tmp_path: Path) -> Merger:
    return Merger(tmp_path)


_NAMES = ("a", "b.sh", "c", "d", "d/e", "c/f", "g h")


def _own_lines(name: str) -> str:
    """Lines that no other file has, so that git sees no renaming where there is none."""
    return "".join(f"{name} {line}\n{line}\n" for line in LINES.splitlines())


_START: Side = {"a": _own_lines("a"), "b.sh": Program(_own_lines("b.sh").encode()), "d/e": _own_lines("d/e")}


def _random_side(random: Random, base: Side) -> dict[str, Content]:
    side: dict[str, Content] = dict(base)
    for _ in range(random.randint(1, 4)):
        name = random.choice(_NAMES)
        if any(taken.startswith(f"{name}/") or name.startswith(f"{taken}/") for taken in side):
            continue
        edits = (random.sample(range(1, 21), random.randint(1, 2)) for _ in "12")
        texts = [changed(*numbers, by=random.choice("xy"), text=_own_lines(name)) for numbers in edits]
        binary = f"\0{name} {random.choice('xy')}".encode()
        choice: list[Content | None] = [*texts, None, Link(random.choice("xy")), binary]
        content = random.choice(choice)
        if content is None:
            side.pop(name, None)
        elif name in side and random.random() < 0.2:
            old = side[name]
            side[name] = old.data if isinstance(old, Program) else Program(_own_lines(name).encode())
        else:
            side[name] = content
    return side


class _Git:
    """A repository in which git merges the same sides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self("init", "--quiet", "--initial-branch=base")
        self("config", "user.name", "Test")
        self("config", "user.email", "test@example.com")

    def __call__(self, *arguments: str) -> int:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, env=environment, check=False).returncode

    def commit(self, branch: str, side: Side) -> None:
        assert self("checkout", "--quiet", "--force", "-B", branch) == 0
        for path in self.folder.iterdir():
            if path.name != ".git":
                subprocess.run(["rm", "-r", str(path)], check=True)
        put(self.folder.parent / "side", side)
        subprocess.run(["cp", "-a", f"{self.folder.parent}/side/.", str(self.folder)], check=True)
        assert self("add", "--all") == 0
        assert self("commit", "--quiet", "--allow-empty", "-m", branch) == 0


@pytest.mark.parametrize("seed", range(4))
def test_git_merges_the_same_things_to_the_same(tmp_path: Path, seed: int) -> None:
    git, random = _Git(tmp_path / "git"), Random(f"merge {seed}")
    clean = 0
    for number in range(6):
        base = _random_side(random, _START)
        ours, theirs = _random_side(random, base), _random_side(random, base)
        git.commit("base", base)
        assert git("branch", "--force", "start") == 0
        git.commit("ours", ours)
        assert git("checkout", "--quiet", "--force", "start") == 0
        git.commit("theirs", theirs)
        assert git("checkout", "--quiet", "--force", "ours") == 0
        conflicts = git("merge", "--quiet", "-s", "recursive", "-Xno-renames", "-m", "merged", "theirs")
        merge = Merger(tmp_path / str(number))
        merged = merge(base, ours, theirs)
        assert bool(merged) == bool(conflicts), (base, ours, theirs, merged)
        if not conflicts:
            clean += 1
            assert merge.result() == taken(git.folder), (base, ours, theirs)
        git("merge", "--abort")
    assert clean
