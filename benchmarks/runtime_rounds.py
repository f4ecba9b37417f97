"""The runtime of active skills: each piece of work timed in turn, with a floor of the same round that it is held to."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import environments
import quiet
import results
from contenders import PROJECT, Contender
from measure import cores

_HERE = os.path.dirname(os.path.abspath(__file__))
_WORK = os.path.join(_HERE, "work", "runtime")
_PACKAGES = ("starlark-pyo3==2026.1.3", "semantic-version==2.10.0")

_HOW = (
    "Medians, ratios taken within a round. Manifests and `busy`: time of the processor; everything else: on the "
    "clock. A bare child is plain Python that reads a line as JSON and writes it; a bar in time is for the work itself."
)


class Row(NamedTuple):
    """One measure: what was timed, what it is compared with, the bar, and the seconds of both in each round."""

    what: str
    compared: str
    most: float
    times: Sequence[tuple[float, float]]

    @property
    def value(self) -> float:
        """What the bar is for: how many times the floor, or seconds."""
        return statistics.median(work / floor if floor else work for work, floor in self.times)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the rounds in an environment with the package, print the table, and write it with `--save`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=21, help="rounds; what waits for a limit is in the first three")
    parser.add_argument("--save", action="store_true", help="write results/runtime.md")
    options = parser.parse_args(arguments)
    contender = Contender(PROJECT, _PACKAGES, (), None)
    programs = environments.prepare(contender, _WORK)
    folder = os.path.join(_WORK, "skills")
    environment = _fresh(folder)
    facts = results.machine(len(cores()), environments.versions([contender], {PROJECT: programs}))
    table = _table(_measured(programs, folder, environment, options.runs), options.runs, facts)
    print(table)
    if options.save:
        with open(os.path.join(_HERE, "results", "runtime.md"), "w", encoding="utf-8") as handle:
            handle.write(table)
    return 0


def _fresh(folder: str) -> dict[str, str]:
    """An empty folder, and an environment whose state lies in it; bytecode is kept, as for any user."""
    shutil.rmtree(folder, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {f"SKILLBAG_{name}_DIR": os.path.join(folder, name.lower()) for name in ("STATE", "CACHE")}


def _measured(programs: str, folder: str, environment: Mapping[str, str], runs: int) -> dict[str, Any]:
    script = os.path.join(_HERE, "runtime_work.py")
    command = [os.path.join(programs, "python"), script, folder, str(runs)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"the rounds ended with {done.returncode}")
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def _table(measured: Mapping[str, Any], runs: int, facts: Mapping[str, object]) -> str:
    rows = [Row(**row) for row in measured["rows"]]
    others = measured["others"]
    lines = [
        "# The runtime of active skills, timed",
        "",
        f"{runs} rounds. {_HOW}",
        "",
        ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items()),
        *(["", f"**Other work kept {others:.1f} cores busy: these figures are in doubt.**"] * (others > quiet.LIMIT)),
        "",
        "| work | median | fastest | compared with | its median | result | bar | |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | --- |",
        *map(_line, rows),
    ]
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    work, floor = (statistics.median(times) for times in zip(*row.times, strict=True))
    result, bar = (f"{value:.2f} ×" if floor else _time(value) for value in (row.value, row.most))
    fastest = _time(min(own for own, _ in row.times))
    compared = (row.compared, _time(floor) if floor else "")
    met = "" if row.value <= row.most else "missed"
    return f"| {' | '.join((row.what, _time(work), fastest, *compared, result, bar, met))} |"


def _time(seconds: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
