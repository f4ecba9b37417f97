"""The command line of the verdicts: which tools, which half, and what is written."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

import environments
import verdicts_floor as floor
import verdicts_labels as labels
import verdicts_picture as picture
import verdicts_report as report
from corpora import HERE, WORK
from instructions_trees import befores, export
from verdicts_ground import archives
from verdicts_measure import Honest, Result, grounds, honest, measure
from verdicts_tools import PEERS, REPOSITORY, CrashError, Tool, ours, peer

_PROJECT = ours().name


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 with a sentence where it cannot be done."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="skillbag-verdicts-") as scratch:
        if options.accept:
            floor.accept(floor.found_now(scratch))
            return 0
        try:
            return _verdicts(options, scratch)
        except (FileNotFoundError, ValueError, environments.InstallError, CrashError) as error:
            print(f"benchmarks/verdicts: {error}", file=sys.stderr)
            return 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/verdicts", description="Measure recall and precision of findings."
    )
    parser.add_argument("--peers", action="store_true", help="run the other linters as well")
    parser.add_argument("--only", nargs="+", choices=(_PROJECT, *PEERS), metavar="NAME", help=", ".join(PEERS))
    parser.add_argument("--against", metavar="REV", help="run an earlier commit as well")
    parser.add_argument("--seed", type=int, default=18, help="draws the good skills and the words (default: 18)")
    parser.add_argument("--half", choices=("dev", "held-out"), default="", help="one half of the mutations")
    parser.add_argument("--honest", nargs="+", default=[], metavar="FOLDER", help="more collections of honest skills")
    parser.add_argument("--minutes", type=float, default=15, help="start no further tool after that (default: 15)")
    parser.add_argument("--missed", action="store_true", help="list what skillbag misses")
    parser.add_argument("--unread", type=int, default=0, metavar="N", help="list findings without a label")
    parser.add_argument("--accept", action="store_true", help="record what is found now as what must not be lost")
    parser.add_argument("--save", action="store_true", help="write results/verdicts.md, verdicts.json and verdicts.svg")
    return parser.parse_args(arguments)


def _verdicts(options: argparse.Namespace, scratch: str) -> int:
    ground = grounds(options.seed, options.half)
    results = []
    started = time.monotonic()
    for tool in _tools(options, scratch):
        if time.monotonic() - started > options.minutes * 60:
            print(f"{tool.name} is left out: {options.minutes:g} minutes are over", file=sys.stderr)
            continue
        print(f"running {tool.name}", file=sys.stderr)
        try:
            results.append(measure(tool, ground, scratch))
        except CrashError as error:
            print(f"{tool.name} is left out: {error}", file=sys.stderr)
    seen, read = _published(options, scratch)
    facts = {"seed": options.seed, "half": options.half or "all", **{name: len(some) for name, some in ground.items()}}
    print(report.as_markdown(facts, results, seen, read))
    _tell(options, results, read)
    if options.save:
        _save(facts, results, seen, read)
    return 0


def _tools(options: argparse.Namespace, scratch: str) -> Iterator[Tool]:
    chosen = options.only or (_PROJECT, *(PEERS if options.peers else ()))
    if _PROJECT in chosen:
        yield ours()
    if options.against:
        tree = os.path.join(scratch, "earlier")
        commit = befores(REPOSITORY, options.against)[0].commit
        export(REPOSITORY, commit, tree)
        yield ours(tree, f"{_PROJECT} {options.against}")
    for name in chosen:
        if name != _PROJECT:
            yield peer(name)


def _published(options: argparse.Namespace, scratch: str) -> tuple[Honest | None, list[labels.Read]]:
    """What skillbag says of the published collections, where it takes part."""
    if options.only and _PROJECT not in options.only:
        return None, []
    trees = [*archives(os.path.join(scratch, "published")), *map(os.path.abspath, options.honest)]
    seen = honest(ours(), trees)
    return seen, labels.read(seen.findings, labels.stored())


def _tell(options: argparse.Namespace, results: Sequence[Result], read: Sequence[labels.Read]) -> None:
    if options.missed:
        print(report.missed(results[0]))
    for one in labels.unread(read, options.unread, options.seed):
        finding = one.finding
        print(f"{one.key} {finding.level} {finding.rule} {finding.path}:{finding.line}")
        print(f"    {finding.message}\n    | {one.text[:300]}")


def _save(facts: dict[str, Any], results: Sequence[Result], seen: Honest | None, read: Sequence[labels.Read]) -> None:
    data = report.as_json(facts, results, seen, read)
    tables = report.as_markdown(facts, results, seen, read)
    written = {
        "verdicts.json": json.dumps(data, indent=1) + "\n",
        "verdicts.md": f"# Verdicts\n\n![The same as a picture](verdicts.svg)\n\n{tables}",
        "verdicts.svg": picture.as_svg(data, _PROJECT),
    }
    os.makedirs(WORK, exist_ok=True)
    for name, text in written.items():
        with open(os.path.join(HERE, "results", name), "w", encoding="utf-8") as file:
            file.write(text)
