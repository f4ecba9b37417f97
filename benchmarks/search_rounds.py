"""A search over very many skills: the search alone in one process, and the whole command beside `--version`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

import environments
import results
from contenders import PROJECT, Contender
from measure import cores
from search_index import QUERIES, SOURCES

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORK = os.path.join(_HERE, "work")
_INDEX = os.path.join(_HERE, "search_index.py")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the index, run the rounds, print the table, and write it with `--save`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skills", type=int, default=50_000)
    parser.add_argument("--runs", type=int, default=21, help="rounds; every search runs once in each")
    parser.add_argument("--save", action="store_true", help="write results/search.md")
    options = parser.parse_args(arguments)
    contender = Contender(PROJECT, (), (), None)
    programs = environments.prepare(contender, _WORK)
    folder = os.path.join(_WORK, "search")
    shutil.rmtree(folder, ignore_errors=True)
    names = ("STATE", "CACHE", "CONFIG")
    environment = os.environ | {f"SKILLBAG_{name}_DIR": os.path.join(folder, name.lower()) for name in names}
    python = os.path.join(programs, "python")
    made = _timed([python, _INDEX, "make", str(options.skills)], environment)
    said = subprocess.run(
        [python, _INDEX, "time", str(options.runs)], env=environment, stdout=subprocess.PIPE, check=True
    )
    facts = results.machine(len(cores()), environments.versions([contender], {PROJECT: programs}))
    size = os.path.getsize(os.path.join(folder, "cache", "marketplace.sqlite3"))
    head = _head(options.skills, options.runs, size, made, facts)
    commands = {
        "`skillbag --version`": [os.path.join(programs, "skillbag"), "--version"],
        "`skillbag search`": [os.path.join(programs, "skillbag"), "search", "fill pdf forms"],
    }
    table = head + _searches(json.loads(said.stdout)) + _wholes(commands, environment, options.runs)
    print(table)
    if options.save:
        with open(os.path.join(_HERE, "results", "search.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


def _timed(command: Sequence[str], environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return time.perf_counter() - start


def _head(skills: int, runs: int, size: int, made: float, facts: Mapping[str, object]) -> str:
    about = f"{skills:,} made-up skills of {SOURCES} sources, bodies of 200 to 900 words as frequent as words are"
    index = f"The index has {size / 1e6:.0f} MB; indexing took {made:.0f} s."
    machine = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items())
    return f"# A search, timed\n\n{about}; {runs} rounds in turn. {index}\n\n{machine}\n\n"


def _searches(times: Mapping[str, Sequence[float]]) -> str:
    lines = [
        "The search alone, the index opened anew for each, milliseconds:",
        "",
        "| words | | median | slowest |",
        "| --- | --- | ---: | ---: |",
    ]
    for what, query in QUERIES.items():
        several = times[query]
        lines.append(f"| {what} | `{query}` | {statistics.median(several):.1f} | {max(several):.1f} |")
    return "\n".join(lines) + "\n\n"


def _wholes(commands: Mapping[str, list[str]], environment: Mapping[str, str], runs: int) -> str:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        # Bytecode and the file cache are there before anything counts.
        _timed(command, environment)
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(_timed(command, environment))
    lines = ["Whole processes, milliseconds:", "", "| command | median | fastest |", "| --- | ---: | ---: |"]
    for name, several in times.items():
        lines.append(f"| {name} | {statistics.median(several) * 1e3:.0f} | {min(several) * 1e3:.0f} |")
    return "\n".join(lines) + "\n"
