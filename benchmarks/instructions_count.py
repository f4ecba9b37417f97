"""Instructions of one run, counted: the same figure each time, whatever else the machine does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from instructions_trees import PROGRAM


class NotCountedError(Exception):
    """A run failed, or nothing was counted; the message says which, and what it printed."""


class Workload(NamedTuple):
    """What a tree is asked to do: arguments of the program, and the folder that it does it in."""

    name: str
    arguments: tuple[str, ...]
    folder: str


class Counter(NamedTuple):
    """A program that runs another and tells its instructions, with the expression that finds them in what it says."""

    name: str
    command: tuple[str, ...]
    pattern: str


_COUNTERS = (
    # It counts alone; callgrind, which knows who called whom, takes half as long again.
    Counter(
        "exp-bbv",
        ("valgrind", "--tool=exp-bbv", "--instr-count-only=yes", "--bb-out-file=/dev/null"),
        r"Total instructions: (\d+)",
    ),
    Counter("callgrind", ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"), r"Collected : (\d+)"),
    Counter("perf", ("perf", "stat", "-x,", "-e", "instructions:u"), r"^(\d+),[^,]*,instructions"),
)
_CODES = (0, 1)
"""How a check may end: clean or with findings, which another version may judge otherwise."""
_FOLDERS = ("CACHE", "STATE", "CONFIG", "PERSONAL")


def counter() -> Counter | None:
    """The first that this machine has and that counts; None where there is none."""
    return next((one for one in _COUNTERS if shutil.which(one.command[0]) and _works(one)), None)


def count(one: Counter, tree: str, workload: Workload, scratch: str, core: int) -> int:
    """The instructions that the program of a tree takes for the workload; `scratch` is a folder for its user's files.

    The interpreter is the one that runs this, with its packages; only the program itself is the tree's.

    Raises:
        NotCountedError: see there.
    """
    command = [sys.executable, "-P", "-m", PROGRAM, *_known(tree, workload, scratch)]
    # Without the counter first: that is quick, and shows whether it works at all.
    _run(command, tree, workload, scratch)
    # On one core it has no reason to start a second process, whose instructions would be lost.
    done = _run([*_steady(core), *one.command, *command], tree, workload, scratch)
    # A figure for each thread, or one for all.
    found = re.findall(one.pattern, done.stderr, re.MULTILINE)
    if not found:
        raise NotCountedError(f"{one.name} said no count: {done.stderr[-500:].strip()}")
    return sum(map(int, found))


_EARLIER = {"--config=root=.": "--root=.", "--config=cache=false": "--no-cache"}
"""What options of `check` were before they were keys of `--config`."""


def _known(tree: str, workload: Workload, scratch: str) -> Sequence[str]:
    """The arguments as the program of this tree spells them."""
    if not _EARLIER.keys() & set(workload.arguments):
        return workload.arguments
    command = [sys.executable, "-P", "-m", PROGRAM, workload.arguments[0], "--help"]
    listed = _run(command, tree, workload, scratch).stdout
    return [_EARLIER[word] if word in _EARLIER and "--no-cache" in listed else word for word in workload.arguments]


def _run(command: Sequence[str], tree: str, workload: Workload, scratch: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        cwd=workload.folder,
        env=_environment(tree, scratch),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode not in _CODES or "Traceback (most recent call last)" in done.stderr:
        raise NotCountedError(f"{workload.name}: exit code {done.returncode}: {done.stderr[-500:].strip()}")
    return done


def _environment(tree: str, scratch: str) -> Mapping[str, str]:
    """All that a run can see of its surroundings, the same for every tree but for the tree's own path."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": scratch,
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": tree,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        **{f"SKILLBAG_{name}_DIR": os.path.join(scratch, name.lower()) for name in _FOLDERS},
    }


def _steady(core: int) -> list[str]:
    """Words before a command that pin it to a core and its memory to the same addresses, where the system lets us."""
    steady = []
    for words in (["taskset", "-c", str(core)], ["setarch", "-R"]):
        if _succeeds([*words, "true"]):
            steady += words
    return steady


def _works(one: Counter) -> bool:
    done = subprocess.run([*one.command, "true"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and re.search(one.pattern, done.stderr, re.MULTILINE) is not None


def _succeeds(command: Sequence[str]) -> bool:
    found = shutil.which(command[0])
    return found is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0
