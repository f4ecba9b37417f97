"""The command line of the benchmark of installers: corpora, environments, rounds, table."""

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

import environments
import install_corpus
import install_results
import install_run
import measure
import quiet
import results
from contenders import Contender
from install_contenders import INSTALLERS, Installer, Task
from install_corpus import THOUSAND, TWENTY, Shape
from install_results import Series
from install_run import Corpus
from measure import Run

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORK = os.path.join(_HERE, "work")
_ATTEMPTS = 4
"""How often a round is run again when other work disturbed it, with a rest in between."""
_REST = 5.0
"""Seconds."""
_MAKERS = ("install_corpus.py", "skill_text.py", "programs.py", "words.py")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 with a sentence when a run was not real."""
    options = _options(arguments)
    chosen = [one for one in INSTALLERS if not options.only or one.name in options.only]
    try:
        programs = {one.name: _installed(one) for one in chosen}
        series: list[Series] = []
        for task in options.tasks:
            series += _race(Task(task), chosen, programs, options.runs)
    except (environments.InstallError, measure.NotRealError) as error:
        print(f"benchmark stopped: {error}", file=sys.stderr)
        return 1
    facts = results.machine(len(measure.cores()), environments.versions(map(_contender, chosen), programs))
    table = install_results.as_markdown(facts, series)
    print(table)
    if options.save:
        _save(table, json.dumps(install_results.as_json(facts, series), indent=1))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    tasks = [task.value for task in Task]
    parser = argparse.ArgumentParser(prog="benchmarks/install", description="Time skillbag install beside its peers.")
    parser.add_argument(
        "--runs", type=int, default=5, metavar="N", help="measured rounds after the warm-up (default: 5)"
    )
    parser.add_argument("--only", nargs="+", choices=[one.name for one in INSTALLERS], help="these installers")
    parser.add_argument("--tasks", nargs="+", choices=tasks, default=tasks, help="these tasks (default: all)")
    parser.add_argument("--save", action="store_true", help="write results/install.md and results/install.json")
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error("runs are 1 or more")
    return options


def _installed(installer: Installer) -> str:
    _tell(f"installing {installer.name}")
    return environments.prepare(_contender(installer), _WORK)


def _contender(installer: Installer) -> Contender:
    return Contender(installer.name, installer.packages, (), None, npm=installer.npm)


def _race(task: Task, chosen: list[Installer], programs: dict[str, str], rounds: int) -> list[Series]:
    """A warm-up of each, then the rounds; who goes first changes from round to round."""
    racing = [one for one in chosen if one.way(task)]
    corpus = _corpus(THOUSAND if task is Task.MANY else TWENTY)
    _tell(f"{task.value}: warm-up")
    for one in racing:
        install_run.measure(one, task, programs[one.name], corpus, _WORK)
    turns: dict[str, list[Run]] = {one.name: [] for one in racing}
    for number in range(rounds):
        _tell(f"{task.value}: round {number + 1} of {rounds}")
        first = number % len(racing)
        for name, run in _quiet_round(task, racing[first:] + racing[:first], programs, corpus).items():
            turns[name].append(run)
    return [Series(one.name, task.value, tuple(turns[one.name])) for one in racing]


def _quiet_round(task: Task, racing: list[Installer], programs: dict[str, str], corpus: Corpus) -> dict[str, Run]:
    """One run of each, in turn; a round that other work disturbed is run again, whatever its figures were."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_REST)
        before = quiet.now()
        runs = {one.name: install_run.measure(one, task, programs[one.name], corpus, _WORK) for one in racing}
        busy = quiet.others(before, quiet.now())
        if busy <= quiet.LIMIT:
            break
        _tell(f"  other work kept {busy:.2f} cores busy")
    return {name: run._replace(others=busy) for name, run in runs.items()}


def _corpus(shape: Shape) -> Corpus:
    """Both layouts of a source, as folders and as repositories; made afresh when its makers have changed."""
    digest = hashlib.sha256(repr(shape).encode())
    for name in _MAKERS:
        with open(os.path.join(_HERE, name), "rb") as handle:
            digest.update(handle.read())
    parent = os.path.join(_WORK, "sources")
    root = os.path.join(parent, f"{shape.skills}-{digest.hexdigest()[:12]}")
    folders = {layout: os.path.join(root, layout) for layout in install_corpus.LAYOUTS}
    if not os.path.isdir(root):
        _tell(f"writing a source of {shape.skills:,} skills")
        for stale in glob.glob(os.path.join(parent, f"{shape.skills}-*")):
            shutil.rmtree(stale)
        partial = f"{root}.partial"
        for layout in install_corpus.LAYOUTS:
            install_corpus.write_source(os.path.join(partial, layout), shape, layout)
            install_corpus.write_repository(os.path.join(partial, layout), os.path.join(partial, f"{layout}.git"))
        os.rename(partial, root)
    return Corpus(folders, {layout: f"{folder}.git" for layout, folder in folders.items()})


def _save(table: str, data: str) -> None:
    for name, text in (("install.md", f"# Installers side by side\n\n{table}"), ("install.json", f"{data}\n")):
        with open(os.path.join(_HERE, "results", name), "w", encoding="utf-8") as handle:
            handle.write(text)


def _tell(text: str) -> None:
    print(text, file=sys.stderr)
