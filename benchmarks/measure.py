"""One measured run of a contender on a corpus, and the proof that it did the work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import NamedTuple

from contenders import Contender

LAUNCHER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "launch.py")
"""The script that starts and times one program."""


class NotRealError(Exception):
    """A run failed, or did not check every skill: its time would mean nothing."""


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


def measure(contender: Contender, programs: str, corpus: str, skills: int, *, sample: bool = False) -> Run:
    """Run the contender in the folder `corpus`, which has that many skills.

    `sample` watches the memory of all its processes, and spoils the times.

    Raises:
        NotRealError: see there.
    """
    program, *arguments = contender.command
    pinned = ",".join(map(str, cores()))
    command = [sys.executable, "-S", "-E", "-s", LAUNCHER, pinned, str(int(sample))]
    command += [os.path.join(programs, program), *arguments]
    # No configuration of the user's, the same few variables for every contender.
    home = os.path.dirname(corpus)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}
    done = subprocess.run(command, cwd=corpus, env=environment, capture_output=True, check=False)
    figures, _, output = done.stdout.partition(b"\n")
    words = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode:
        raise NotRealError(f"{contender.name} could not be started: {words}")
    wall, cpu, memory, tree_memory, code = figures.split()
    _verify(contender, skills, int(code), output, words)
    return Run(float(wall), float(cpu), int(memory) / 1024, int(tree_memory) / 1024)


def _verify(contender: Contender, skills: int, code: int, output: bytes, words: str) -> None:
    label = f"{contender.name} on {skills:,} skills"
    if code:
        said = output[:2000].decode("utf-8", "replace")
        raise NotRealError(f"{label}: exit code {code}, but the corpus is clean\n{words[-2000:]}\n{said}")
    if contender.skills is None:
        return
    try:
        reported = contender.skills(json.loads(output))
    except (ValueError, KeyError, TypeError) as error:
        raise NotRealError(f"{label}: its output is not the JSON that was asked for ({error!r})") from error
    if reported != skills:
        raise NotRealError(f"{label}: it reports {reported:,g} of them")
