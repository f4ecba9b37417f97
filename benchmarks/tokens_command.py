"""The tokens and the time of an entry and of a turn, beside reading the files by hand."""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_PROJECT = Path(__file__).parent.parent
_RESULTS = Path(__file__).parent / "results" / "tokens.json"
_SIZES = (6, 50, 300)
_RUNS = 11
_CHARACTERS = 4
"""Of a token: no tokenizer can be had without a download, and ratios are what counts."""

_THINGS = ("report", "table", "invoice", "release", "page", "customer", "schema", "image", "letter", "budget")
_DOES = "with the rules of the house, its usual checks and the notes of the last time"


class TurnFigures(NamedTuple):
    """Tokens of what an agent reads in a workspace of so many skills, and the median seconds that a turn computes.

    `by_hand`: SKILLBAG.md, context files, catalog and `#run/always` skills. `enter`: the report. `chosen`: a turn with
    a new skill and its companion. `again`: the same once more. `quiet`: a turn before which nothing changed.
    """

    skills: int
    by_hand: int
    enter: int
    chosen: int
    again: int
    quiet: int
    seconds_chosen: float
    seconds_quiet: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="benchmarks/tokens", description="Tokens and time of an entry and a turn.")
    parser.add_argument("--save", action="store_true", help="write results/tokens.json")
    options = parser.parse_args(arguments)
    rows = [_figures(size) for size in _SIZES]
    for row in rows:
        print(" ".join(f"{name}={value}" for name, value in row._asdict().items()))
    if options.save:
        lines = ",\n  ".join(json.dumps(row._asdict()) for row in rows)
        _RESULTS.write_text(f"[\n  {lines}\n]\n", "utf-8")
    return 0


def _figures(size: int) -> TurnFigures:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "workspace")
        names = _make(root, size)
        _run(root, "init")
        paths = ["SKILLBAG.md", "CONTEXT.md", ".skills/SKILLS.md", f".skills/{names[0]}/SKILL.md"]
        by_hand = sum(_tokens((root / path).read_text("utf-8")) for path in paths)
        enter = _run(root, "enter", "--session", "s")
        _run(root, "turn", "--session", "s")
        turn = ("turn", names[3], "--session", "s")
        chosen, again = _run(root, *turn), _run(root, *turn)
        quiet = _run(root, "turn", "--session", "s")
        seconds = _seconds(root, *turn), _seconds(root, "turn", "--session", "s")
        texts = _tokens(enter), _tokens(chosen), _tokens(again), _tokens(quiet)
        return TurnFigures(size, by_hand, *texts, *seconds)


def _make(root: Path, size: int) -> list[str]:
    """Skills with 150 to 200 characters of description: the first runs always, the second last."""
    names: list[str] = []
    for number in range(size):
        thing, other = _THINGS[number % 10], _THINGS[number * 3 % 10]
        name = f"write-{thing}-{number:03}"
        tag = {0: " #run/always", 1: " #run/last", 3: f" #use/{names[2]}" if number > 2 else ""}.get(number, "")
        described = f"Write the {thing} and its {other} {_DOES}. Use when a {thing} or {other} is due.{tag}"
        steps = "\n".join(f"{step}. Do step {step} of the {thing} with care, and note it." for step in range(1, 21))
        names.append(name)
        path = root / ".skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(f'---\nname: {name}\ndescription: "{described}"\n---\n\n# {name}\n\n{steps}\n', "utf-8")
        with (root / ".skills" / "SKILLS.md").open("a", encoding="utf-8") as catalog:
            catalog.write(f"{name}: {described}\n")
    (root / "CONTEXT.md").write_text("# Context\n\nInvoices are sent on Mondays.\n", "utf-8")
    catalog_lines = sorted((root / ".skills" / "SKILLS.md").read_text("utf-8").splitlines())
    (root / ".skills" / "SKILLS.md").write_text("\n".join(catalog_lines) + "\n", "utf-8")
    return names


def _run(root: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "skillbag", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(_PROJECT), "SKILLBAG_STATE_DIR": str(root.parent / "state")}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def _seconds(root: Path, *arguments: str) -> float:
    def spent() -> float:
        return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])

    def once() -> float:
        began = spent()
        _run(root, *arguments)
        return spent() - began

    return round(statistics.median(once() for _ in range(_RUNS)), 3)


def _tokens(text: str) -> int:
    return round(len(text) / _CHARACTERS)
