"""Contenders on one corpus: a warm-up of each, then rounds in which each runs once."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence

import corpora
import measure
import quiet
from contenders import Cache, Contender
from measure import Run
from results import Series

SLOW_ROUNDS = 3
"""The rounds of a large corpus that slow contenders take part in: the first ones."""
LARGE = 100
"""Skills from which a corpus is large."""
_ATTEMPTS = 4
"""How often a round is run again when other work disturbed it, with a rest in between."""
_REST = 5.0
"""Seconds."""


def race(racing: Sequence[Contender], programs: Mapping[str, str], skills: int, rounds: int) -> list[Series]:
    """Measure each of them on a corpus of that many skills.

    `programs` is the folder of the programs of each environment.

    Raises:
        NotRealError: a run failed, or did not do the work.
    """
    tell(f"{skills:,} skills: warm-up")
    trees = {one.name: _warm_up(one, programs, skills) for one in racing}
    turns: dict[str, list[Run]] = {one.name: [] for one in racing}
    for number in range(rounds):
        tell(f"{skills:,} skills: round {number + 1} of {rounds}")
        running = [one for one in racing if number < SLOW_ROUNDS or not (one.slow and skills >= LARGE)]
        # Back and forth: neighbours stay neighbours, and none always follows the same one.
        for name, run in _quiet_round(running[:: -1 if number % 2 else 1], programs, skills).items():
            turns[name].append(run)
    return [Series(one.name, skills, tuple(turns[one.name]), trees[one.name]) for one in racing]


def tell(text: str) -> None:
    """Say how far the benchmark is."""
    print(text, file=sys.stderr, flush=True)


def _warm_up(contender: Contender, programs: Mapping[str, str], skills: int) -> float:
    """The memory of all its processes in MiB; a cache that is kept holds the corpus from now on, and nothing older."""
    if contender.cache is Cache.KEPT:
        shutil.rmtree(_cache(contender, skills), ignore_errors=True)
        _run(contender, programs, skills)
    return _run(contender, programs, skills, sample=True).tree_memory


def _quiet_round(running: Sequence[Contender], programs: Mapping[str, str], skills: int) -> dict[str, Run]:
    """One run of each, in turn; a round that other work disturbed is run again, whatever its figures were."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_REST)
        before = quiet.now()
        runs = {one.name: _run(one, programs, skills) for one in running}
        busy = quiet.others(before, quiet.now())
        if busy <= quiet.LIMIT:
            break
        tell(f"  other work kept {busy:.2f} cores busy")
    return {name: run._replace(others=busy) for name, run in runs.items()}


def _run(contender: Contender, programs: Mapping[str, str], skills: int, *, sample: bool = False) -> Run:
    folder = corpora.corpus_of(skills, "changed" if contender.changed else "")
    words = corpora.change(folder, skills // 2 + 1).words if contender.changed else ""
    cache = "" if contender.cache is Cache.UNUSED else _cache(contender, skills)
    place = programs[contender.place]
    return measure.measure(contender, place, folder, skills, sample=sample, cache=cache, words=words)


def _cache(contender: Contender, skills: int) -> str:
    return os.path.join(corpora.WORK, "caches", f"{contender.name}-{skills}")
