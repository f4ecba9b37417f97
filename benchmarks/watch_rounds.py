"""`skillbag check --watch` in a corpus of many skills: from a saved file to the new findings on its output."""

from __future__ import annotations

import argparse
import os
import select
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

import corpora
import environments
import quiet
import results
from contenders import PROJECT, Contender
from measure import cores

_WHAT = "from the saved file to the finding about it on the output of `skillbag check --watch`"
_COMMAND = ("check", "--watch", "--root", ".", ".")
_PATIENCE = 60.0
"""Seconds that a report may take before something is wrong."""
_REST = 0.5
"""Seconds of silence after which a report is at its end, and the machine at rest."""


class Watching:
    """A watching program, and what it has printed since it was last asked."""

    def __init__(self, command: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE)
        assert self._process.stdout is not None  # noqa: S101
        self._output = self._process.stdout.fileno()

    def begin(self) -> None:
        """Wait for the first report."""
        self._read(_PATIENCE)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing more is printed."""
        while self._read(_REST):
            pass

    def until(self, words: str) -> float:
        """Wait until the words are printed; returns the moment."""
        seen = b""
        end = time.perf_counter() + _PATIENCE
        while words.encode() not in seen:
            piece = self._read(end - time.perf_counter())
            if not piece:
                sys.exit(f"{words} did not come: {seen[-2000:].decode('utf-8', 'replace')}")
            seen = seen[-1000:] + piece
        return time.perf_counter()

    def end(self) -> None:
        """End the program, and wait for it."""
        self._process.terminate()
        self._process.communicate()

    def _read(self, seconds: float) -> bytes:
        """What is printed next; nothing when the time is over or the program has ended."""
        ready, _, _ = select.select([self._output], [], [], max(seconds, 0))
        return os.read(self._output, 1 << 20) if ready else b""


def main(arguments: Sequence[str] | None = None) -> int:
    """Watch, save again and again, print the table, and write it with `--save`."""
    parser = argparse.ArgumentParser(prog="benchmarks/watch", description=__doc__)
    parser.add_argument("--skills", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=25, help="saves of a file")
    parser.add_argument("--save", action="store_true", help="write results/watch.md")
    options = parser.parse_args(arguments)
    project = Contender(PROJECT, (), (), None)
    programs = environments.prepare(project, corpora.WORK)
    root = corpora.corpus_of(options.skills, "watch")
    home = os.path.join(corpora.WORK, "watch-home")
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(home)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "LANG": "C.UTF-8"}
    before = quiet.now()
    times = saves([os.path.join(programs, PROJECT), *_COMMAND], root, options.skills, options.runs, environment)
    busy = {"cores that other work kept busy": f"{quiet.others(before, quiet.now()):.2f}"}
    facts = results.machine(len(cores()), environments.versions([project], {PROJECT: programs}))
    table = _table(times, options.skills, {**facts, **busy})
    print(table)
    if options.save:
        with open(os.path.join(corpora.HERE, "results", "watch.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


def saves(command: Sequence[str], root: str, skills: int, runs: int, environment: Mapping[str, str]) -> list[float]:
    """Seconds from each save of a `SKILL.md` to the finding about it, which is another one each time."""
    watching = Watching(command, root, environment)
    times = []
    try:
        watching.begin()
        for _ in range(runs + 1):
            words, saved = corpora.change(root, skills // 2 + 1)
            times.append(watching.until(words) - saved)
            watching.settle()
    finally:
        watching.end()
    # The first one loads what only a change needs.
    return times[1:]


def _table(times: Sequence[float], skills: int, facts: Mapping[str, object]) -> str:
    ordered = sorted(times)
    figures = (statistics.median(ordered), ordered[0], ordered[int(0.9 * (len(ordered) - 1))], ordered[-1])
    lines = [
        "# Watching, timed",
        "",
        f"{skills:,} skills, {len(times)} saves of one `SKILL.md`, milliseconds {_WHAT}.",
        "",
        ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()),
        "",
        "| median | fastest | of ten nine within | slowest |",
        "| ---: | ---: | ---: | ---: |",
        f"| {' | '.join(f'{figure * 1e3:.1f}' for figure in figures)} |",
    ]
    return "\n".join(lines) + "\n"
