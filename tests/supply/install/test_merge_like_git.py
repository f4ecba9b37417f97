"""The merge of skills compared with git, on random folders."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

from tests.rows import each_row
from tests.supply.install.sides import LINES, Content, Link, Merger, Program, Side, changed, taken
from tests.supply.sources.repositories import make_repository

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


def _files(side: Side) -> tuple[dict[str, str | bytes], list[str]]:
    """The files of a side as a commit takes them, and which of them are executable."""
    files: dict[str, str | bytes] = {}
    for name, content in side.items():
        if isinstance(content, Link):
            files[name] = f"-> {content.target}"
        else:
            files[name] = content.data if isinstance(content, Program) else content
    return files, [name for name, content in side.items() if isinstance(content, Program)]


def _merged_by_git(folder: Path, base: Side, ours: Side, theirs: Side) -> dict[str, Content] | None:
    """What git makes of the sides in a repository at `folder`; None if they conflict."""
    repository = make_repository(folder)
    for branch, side in (("main", base), ("theirs", theirs), ("main", ours)):
        files, executable = _files(side)
        commit = repository.commit(files, branch, executable=executable)
        if side is base:
            repository.git("branch", "theirs", commit)
    work = ("--work-tree", str(folder.with_name(f"{folder.name}-work")), "-c", "core.bare=false")
    os.mkdir(work[1])
    repository.git(*work, "checkout", "--quiet", "--force", "main")
    try:
        repository.git(*work, "merge", "--quiet", "-s", "recursive", "-Xno-renames", "-m", "merged", "theirs")
    except AssertionError:
        return None
    return taken(work[1])


@each_row("seed", range(4))
def test_git_merges_the_same_things_to_the_same(tmp_path: Path, seed: int) -> None:
    random = Random(f"merge {seed}")
    clean = 0
    for number in range(6):
        base = _random_side(random, _START)
        ours, theirs = _random_side(random, base), _random_side(random, base)
        expected = _merged_by_git(tmp_path / f"git-{number}", base, ours, theirs)
        merge = Merger(tmp_path / str(number))
        merged = merge(base, ours, theirs)
        assert bool(merged) == (expected is None), (base, ours, theirs, merged)
        if expected is not None:
            clean += 1
            assert merge.result() == expected, (base, ours, theirs)
    assert clean
