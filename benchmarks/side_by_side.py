"""The command line of the benchmark: corpora, environments, rounds, table."""

from __future__ import annotations

import argparse
import glob
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Sequence

import corpus
import environments
import measure
import quiet
import results
from contenders import CONTENDERS, Contender
from measure import Run
from results import Series

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORK = os.path.join(_HERE, "work")
_ATTEMPTS = 4
"""How often a round is run again when other work disturbed it, with a rest in between."""
_REST = 5.0
"""Seconds."""

_MAKERS = ("corpus.py", "skill_text.py", "programs.py", "words.py")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 with a sentence when a run was not real."""
    options = _options(arguments)
    chosen = [one for one in CONTENDERS if not options.only or one.name in options.only]
    try:
        programs = {one.name: _installed(one) for one in chosen}
        series: list[Series] = []
        for skills in options.sizes:
            racing = [one for one in chosen if options.only or one.largest is None or skills <= one.largest]
            series += _race(racing, programs, skills, options.runs)
    except (environments.InstallError, measure.NotRealError) as error:
        print(f"benchmark stopped: {error}", file=sys.stderr)
        return 1
    facts = results.machine(len(measure.cores()), environments.versions(chosen, programs))
    table = results.as_markdown(facts, series)
    print(table)
    if options.save:
        _save(table, json.dumps(results.as_json(facts, series), indent=1))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/run", description="Time skillbag beside its peers.")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="skills per corpus (default: 17 2000 20000)")
    parser.add_argument("--runs", type=int, metavar="N", help="measured rounds after the warm-up (default: 7)")
    parser.add_argument("--only", nargs="+", choices=[one.name for one in CONTENDERS], help="these, at every size")
    parser.add_argument("--save", action="store_true", help="write results/latest.md and results/latest.json")
    parser.add_argument("--quick", action="store_true", help="17 and 2,000 skills, 3 rounds")
    options = parser.parse_args(arguments)
    options.sizes = options.sizes or ([17, 2000] if options.quick else [17, 2000, 20000])
    options.runs = (3 if options.quick else 7) if options.runs is None else options.runs
    if min(*options.sizes, options.runs, 1) < 1:
        parser.error("sizes and runs are 1 or more")
    return options


def _installed(contender: Contender) -> str:
    _tell(f"installing {contender.name}")
    return environments.prepare(contender, _WORK)


def _race(racing: list[Contender], programs: dict[str, str], skills: int, rounds: int) -> list[Series]:
    """A warm-up of each, in which memory is sampled, then the rounds."""
    folder = _corpus(skills)
    _tell(f"{skills:,} skills: warm-up")
    trees = [measure.measure(one, programs[one.name], folder, skills, sample=True).tree_memory for one in racing]
    turns = []
    for number in range(1, rounds + 1):
        _tell(f"{skills:,} skills: round {number} of {rounds}")
        turns.append(_quiet_round(racing, programs, folder, skills))
    by_contender = zip(racing, zip(*turns, strict=True), trees, strict=True)
    return [Series(one.name, skills, runs, tree) for one, runs, tree in by_contender]


def _quiet_round(racing: list[Contender], programs: dict[str, str], folder: str, skills: int) -> list[Run]:
    """One run of each, in turn; a round that other work disturbed is run again, whatever its figures were."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_REST)
        before = quiet.now()
        runs = [measure.measure(one, programs[one.name], folder, skills) for one in racing]
        busy = quiet.others(before, quiet.now())
        if busy <= quiet.LIMIT:
            break
        _tell(f"  other work kept {busy:.2f} cores busy")
    return [run._replace(others=busy) for run in runs]


def _corpus(skills: int) -> str:
    """The folder of a corpus, made afresh when it is not there or its makers have changed."""
    digest = hashlib.sha256()
    for name in _MAKERS:
        with open(os.path.join(_HERE, name), "rb") as handle:
            digest.update(handle.read())
    parent = os.path.join(_WORK, "corpora")
    folder = os.path.join(parent, f"{skills}-{digest.hexdigest()[:12]}")
    if not os.path.isdir(folder):
        _tell(f"writing {skills:,} skills")
        for stale in glob.glob(os.path.join(parent, f"{skills}-*")):
            shutil.rmtree(stale)
        partial = f"{folder}.partial"
        corpus.write_corpus(partial, skills)
        os.rename(partial, folder)
    return folder


def _save(table: str, data: str) -> None:
    folder = os.path.join(_HERE, "results")
    os.makedirs(folder, exist_ok=True)
    for name, text in (("latest.md", f"# Side by side\n\n{table}"), ("latest.json", f"{data}\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
            handle.write(text)


def _tell(text: str) -> None:
    print(text, file=sys.stderr)
