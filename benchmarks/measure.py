"""One measured run of a contender on a corpus, and the proof that it did the work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import NamedTuple

from contenders import Cache, Contender

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
"""The script that starts and times one program."""


class NotRealError(Exception):
    """A run failed, or did not check every skill: its time would mean nothing."""


class Wanted(NamedTuple):
    """What a run has to end with: one of the exit codes, and so many skills or files reported. `label` says of what."""

    label: str
    exit_codes: tuple[int, ...]
    counted: int


class Run(NamedTuple):
    """What one run took: seconds of wall and CPU, MiB of its largest process, MiB of all processes (0: not sampled).

    `others` is how many cores other work kept busy during the round, filled in by whoever ran the round.
    """

    wall: float
    cpu: float
    memory: float
    tree_memory: float
    others: float = 0.0


def cores() -> list[int]:
    """The two cores (or the one) that every run is pinned to; empty where the system can't pin."""
    return sorted(os.sched_getaffinity(0))[:2] if hasattr(os, "sched_getaffinity") else []


def measure(
    contender: Contender,
    programs: str,
    corpus: str,
    wanted: Wanted,
    *,
    sample: bool = False,
    cache: str = "",
    words: str = "",
) -> Run:
    """Run the contender in the folder `corpus`.

    `sample` watches the memory of all its processes, and spoils the times. `cache` is the program's cache folder, which
    is emptied where the contender wants it empty; `words` is what its output has to hold.

    Raises:
        NotRealError: see there.
    """
    if contender.cache is Cache.EMPTY:
        shutil.rmtree(cache, ignore_errors=True)
    program, *arguments = contender.command
    pinned = ",".join(map(str, cores()))
    command = [sys.executable, "-S", "-E", "-s", LAUNCHER, pinned, str(int(sample))]
    command += [os.path.join(programs, program), *arguments]
    environment = _environment(programs, corpus)
    if cache:
        environment["SKILLBAG_CACHE_DIR"] = cache
    # What the run before has written is not on its way to the disk any more.
    os.sync()
    done = subprocess.run(command, cwd=corpus, env=environment, capture_output=True, check=False)
    figures, _, output = done.stdout.partition(b"\n")
    errors = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        raise NotRealError(f"{contender.name} could not be started: {errors}")
    wall, cpu, memory, tree_memory, code = figures.split()
    _verify(contender, wanted, int(code), output, errors)
    if words.encode() not in output:
        raise NotRealError(f"{contender.name} on {wanted.label}: it did not see a change: {words}")
    return Run(float(wall), float(cpu), int(memory) / 1024, int(tree_memory) / 1024)


def _environment(programs: str, corpus: str) -> dict[str, str]:
    """No configuration of the user's, the same few variables for every contender; its own programs are found first."""
    path = os.pathsep.join((programs, os.environ["PATH"]))
    return {"PATH": path, "HOME": os.path.dirname(corpus), "LANG": "C.UTF-8"}


def _verify(contender: Contender, wanted: Wanted, code: int, output: bytes, errors: str) -> None:
    label = f"{contender.name} on {wanted.label}"
    if code not in wanted.exit_codes:
        said = output[:2000].decode("utf-8", "replace")
        expected = f"{' or '.join(map(str, wanted.exit_codes))} was expected of this corpus"
        raise NotRealError(f"{label}: exit code {code}, but {expected}\n{errors[-2000:]}\n{said}")
    if contender.skills is None:
        return
    try:
        reported = contender.skills(json.loads(output))
    except (ValueError, KeyError, TypeError) as error:
        raise NotRealError(f"{label}: its output is not the JSON that was asked for ({error!r})") from error
    if reported != wanted.counted:
        raise NotRealError(f"{label}: it reports {reported:,g} of {wanted.counted:,}")
