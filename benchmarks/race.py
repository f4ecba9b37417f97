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
from corpora import Corpus
from measure import Run, Wanted
from results import Series

SLOW_ROUNDS = 3
"""The rounds of a large corpus that slow contenders take part in: the first ones."""
LARGE = 100
"""Skills from which a corpus is large."""
_ATTEMPTS = 4
"""How often a round is run again when other work disturbed it, with a rest in between."""
_REST = 5.0
"""Seconds."""


def race(racing: Sequence[Contender], programs: Mapping[str, str], corpus: Corpus, rounds: int) -> list[Series]:
    """Measure each of them on a corpus.

    `programs` is the folder of the programs of each environment.

    Raises:
        NotRealError: a run failed, or did not do the work.
    """
    tell(f"{corpus.label}: warm-up")
    trees = {one.name: _warm_up(one, programs, corpus) for one in racing}
    turns: dict[str, list[Run]] = {one.name: [] for one in racing}
    for number in range(rounds):
        tell(f"{corpus.label}: round {number + 1} of {rounds}")
        running = [one for one in racing if number < SLOW_ROUNDS or not (one.slow and corpus.skills >= LARGE)]
        # Back and forth: neighbours stay neighbours, and none always follows the same one.
        for name, run in _quiet_round(running[:: -1 if number % 2 else 1], programs, corpus).items():
            turns[name].append(run)
    facts = (corpus.skills, corpus.published)
    return [Series(one.name, *facts, tuple(turns[one.name]), trees[one.name]) for one in racing]


def tell(text: str) -> None:
    """Say how far the benchmark is."""
    print(text, file=sys.stderr, flush=True)


def _warm_up(contender: Contender, programs: Mapping[str, str], corpus: Corpus) -> float:
    """The memory of all its processes in MiB; a cache that is kept holds the corpus from now on, and nothing older."""
    if contender.cache is Cache.KEPT:
        shutil.rmtree(_cache(contender, corpus), ignore_errors=True)
        _run(contender, programs, corpus)
    return _run(contender, programs, corpus, sample=True).tree_memory


def _quiet_round(running: Sequence[Contender], programs: Mapping[str, str], corpus: Corpus) -> dict[str, Run]:
    """One run of each, in turn; a round that other work disturbed is run again, whatever its figures were."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_REST)
        before = quiet.now()
        runs = {one.name: _run(one, programs, corpus) for one in running}
        busy = quiet.others(before, quiet.now())
        if busy <= quiet.LIMIT:
            break
        tell(f"  other work kept {busy:.2f} cores busy")
    return {name: run._replace(others=busy) for name, run in runs.items()}


def _run(contender: Contender, programs: Mapping[str, str], corpus: Corpus, *, sample: bool = False) -> Run:
    folder = corpus._replace(purpose="changed" if contender.changed else "").folder
    words = _change(folder, corpus) if contender.changed else ""
    cache = "" if contender.cache is Cache.UNUSED else _cache(contender, corpus)
    place, wanted = programs[contender.place], _wanted(contender, corpus)
    return measure.measure(contender, place, folder, wanted, sample=sample, cache=cache, words=words)


def _change(folder: str, corpus: Corpus) -> str:
    """Change a skill of the corpus; returns the words that a report has to hold."""
    if corpus.published:
        return corpora.change_published(folder)
    return corpora.change(folder, corpus.skills // 2 + 1)


def _wanted(contender: Contender, corpus: Corpus) -> Wanted:
    if corpus.published and contender.published:
        return Wanted(corpus.label, (contender.published.exit_code,), contender.published.counted)
    codes = (0, 1) if contender.exit_code is None else (contender.exit_code,)
    return Wanted(corpus.label, codes, corpora.documents(corpus.folder) if contender.documents else corpus.skills)


def _cache(contender: Contender, corpus: Corpus) -> str:
    return os.path.join(corpora.WORK, "caches", f"{contender.name}-{'published-' * corpus.published}{corpus.skills}")
