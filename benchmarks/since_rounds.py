"""Rounds of `skillbag check --changed-since HEAD` in a workspace of which one skill changed: whole processes.

Each round changes the skill again. The median of the wall time counts on a quiet machine only; the processor time is
told besides, and the instructions with valgrind.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import corpus
from instructions_count import counter

_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@host.example", "-c", "gc.auto=0")
_SETTLED = 2.5
"""Seconds after which the cache relies on the times of files."""
_OLD = "\nSee [the guide](references/none.md).\n"
"""A finding that was there before."""


class Round(NamedTuple):
    """What a process took, in seconds."""

    wall: float
    processor: float


class Case(NamedTuple):
    """What is measured: a name, the arguments, and what is done before each round."""

    name: str
    arguments: tuple[str, ...]
    before: Callable[[int], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Measure `skillbag check --changed-since` with one changed skill.")
    parser.add_argument("--skills", type=int, default=2000, metavar="N", help="how many (default: 2000)")
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="of each case (default: 9)")
    parser.add_argument("--program", default=shutil.which("skillbag") or "skillbag", help="default: that on the PATH")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="skillbag-since-") as folder:
        print("| case | wall, median | processor, median | instructions |\n| --- | ---: | ---: | ---: |")
        for case in _cases(folder, options.skills, options.program):
            rounds = [_round(case, number, options.program, folder) for number in range(options.rounds)]
            wall = statistics.median(each.wall for each in rounds)
            processor = statistics.median(each.processor for each in rounds)
            counted = _instructions(case, options.rounds, options.program, folder)
            print(f"| {case.name} | {wall:.3f} s | {processor:.3f} s | {counted} |", flush=True)
    return 0


def _cases(folder: str, skills: int, program: str) -> Iterator[Case]:
    root = os.path.join(folder, "workspace")
    corpus.write_workspace(root, skills)
    names = sorted(entry.name for entry in os.scandir(os.path.join(root, ".skills")) if entry.is_dir())
    _git(root, "init", "-q")
    _commit(root)

    def change(number: int) -> None:
        _append(root, names[0], f"\nRound {number}.\n")

    since = ("check", "--quiet", "--changed-since", "HEAD")
    _warm(root, program, folder)
    yield Case("with the cache of an earlier check", since, change)
    yield Case("the same as a plain check, for comparison", ("check", "--quiet"), change)
    for name in names[1 : skills // 20]:
        _append(root, name, _OLD)
    _commit(root)
    _warm(root, program, folder)
    yield Case("with a finding of before in each twentieth skill", since, change)
    yield Case("without a cache", (*since, "--no-cache"), change)


def _warm(root: str, program: str, folder: str) -> None:
    time.sleep(_SETTLED)
    subprocess.run(
        [program, "check", "--quiet"], cwd=root, env=_environment(folder), stdout=subprocess.DEVNULL, check=False
    )


def _append(root: str, name: str, text: str) -> None:
    with open(os.path.join(root, ".skills", name, "SKILL.md"), "a", encoding="utf-8") as file:
        file.write(text)


def _commit(root: str) -> None:
    _git(root, "add", "-A")
    _git(root, "commit", "-qm", "state")


def _git(root: str, *arguments: str) -> None:
    subprocess.run([*_GIT, "-C", root, *arguments], check=True)


def _round(case: Case, number: int, program: str, folder: str) -> Round:
    case.before(number)
    before, begun = os.times(), time.perf_counter()
    done = _run([program, *case.arguments], folder)
    wall, after = time.perf_counter() - begun, os.times()
    if done.returncode not in (0, 1):
        raise SystemExit(f"{case.name}: exit code {done.returncode}: {done.stderr}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Round(wall, spent)


def _instructions(case: Case, number: int, program: str, folder: str) -> str:
    """The instructions of the program's own process, without git."""
    one = counter()
    if one is None or one.name != "callgrind":
        return "not counted"
    case.before(number)
    done = _run([*one.command, *_python(program), *case.arguments], folder)
    found = [line.rsplit(" ", 1)[1] for line in done.stderr.splitlines() if "Collected :" in line]
    return f"{int(found[0]) / 1e6:,.0f} million" if found else "not counted"


def _python(program: str) -> list[str]:
    """The interpreter of an installed program: valgrind does not follow a script to it."""
    return [os.path.join(os.path.dirname(os.path.realpath(program)), "python"), "-m", "skillbag"]


def _run(command: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    root = os.path.join(folder, "workspace")
    return subprocess.run(command, cwd=root, env=_environment(folder), capture_output=True, text=True, check=False)


def _environment(folder: str) -> Mapping[str, str]:
    return {**os.environ, "SKILLBAG_CACHE_DIR": os.path.join(folder, "cache"), "PYTHONHASHSEED": "0"}
