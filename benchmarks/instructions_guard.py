"""The command line of the guard: counts the instructions of the working tree and of commits before it, and judges."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, NamedTuple

import corpora
import corpus
from instructions_count import Counter, NotCountedError, Workload, count, counter
from instructions_trees import CHANGELOG, REASON, RECORD, Before, befores, copy, export, reasons
from measure import cores

LIMIT = 0.05
"""Growth of any workload beyond which it takes a reason."""
_REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CHECK = ("check", "--format", "json", "--config=root=.", "--config=cache=false", ".")
_CHECK_AGAIN = tuple(word for word in _CHECK if word != "--config=cache=false")
_MANY, _FEW = "check, 150 skills", "check, a workspace of 17"
_AGAIN = "150 skills again"
_START = "start"
_PUBLISHED = "check, 60 published"
_PUBLISHED_SKILLS = 60
_NAMES = (_MANY, _PUBLISHED, _FEW, _START, _AGAIN)


class Comparison(NamedTuple):
    """What a commit took, by workload, or the `problem` because of which that can't be told; `excuses` for growth."""

    before: Before
    counts: Mapping[str, int]
    problem: str
    excuses: Sequence[str]

    def growth(self, name: str, now: int) -> float:
        """By how much a workload takes more now, as a part of what it took."""
        return now / self.counts[name] - 1

    def grown(self, now: Mapping[str, int]) -> list[str]:
        """The workloads that grew beyond the limit."""
        return [name for name, before in self.counts.items() if now[name] - before > LIMIT * before]

    def passes(self, now: Mapping[str, int]) -> bool:
        """Whether nothing grew beyond the limit, or the changelog says why."""
        return not self.grown(now) or bool(self.excuses)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, compare and tell; 1 where something grew and no line of the changelog says so."""
    options = _options(arguments)
    one = counter()
    if one is None:
        print("warning: neither valgrind nor perf counts instructions here: nothing was compared", file=sys.stderr)
        return 0
    try:
        commits = befores(options.repository, options.against)
    except ValueError as error:
        print(f"benchmarks/instructions: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="skillbag-instructions-") as folder:
        try:
            now, comparisons = _compared(one, options.repository, commits, options.only, folder)
        except NotCountedError as error:
            print(f"benchmarks/instructions: the working tree can't be counted: {error}", file=sys.stderr)
            return 1
    passed = all(comparison.passes(now) for comparison in comparisons)
    said = _as_json(one, now, comparisons) if options.json else "\n".join(_as_text(one, now, comparisons))
    print(said)
    if options.record and passed:
        _record(options.repository, one, now)
    return int(not passed)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/instructions",
        description="Count the instructions of `skillbag check` in the working tree and in commits before it: "
        "the one before, and the last that was accepted.",
    )
    parser.add_argument("--against", default="", metavar="REV", help="compare with this commit alone")
    parser.add_argument("--only", nargs="+", choices=_NAMES, help="these workloads (default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--record", action="store_true", help=f"if it passes, write {RECORD}: accepted with its commit")
    parser.add_argument("--repository", default=_REPOSITORY, metavar="FOLDER", help="default: this one")
    return parser.parse_args(arguments)


def _compared(
    one: Counter, repository: str, commits: Sequence[Before], only: Sequence[str] | None, folder: str
) -> tuple[dict[str, int], list[Comparison]]:
    # Paths of one length: a longer one takes instructions, too.
    trees = [os.path.join(folder, f"tree-{number}") for number in range(len(commits) + 1)]
    copy(repository, trees[0])
    for before, tree in zip(commits, trees[1:], strict=True):
        export(repository, before.commit, tree)
    workloads = list(_workloads(folder, only or _NAMES))
    now, *then = _counted(one, trees, workloads, os.path.join(folder, "home"))
    if isinstance(now, NotCountedError):
        raise now
    comparisons = []
    for before, tree, counts in zip(commits, trees[1:], then, strict=True):
        problem = str(counts) if isinstance(counts, NotCountedError) else ""
        excuses = reasons(tree, trees[0])
        comparisons.append(Comparison(before, {} if isinstance(counts, NotCountedError) else counts, problem, excuses))
    return now, comparisons


def _workloads(folder: str, names: Sequence[str]) -> Iterator[Workload]:
    """What is counted, the longest first."""
    many, few = os.path.join(folder, "many"), os.path.join(folder, "few")
    if not {_MANY, _AGAIN}.isdisjoint(names):
        corpus.write_corpus(many, 150)
    if _MANY in names:
        yield Workload(_MANY, _CHECK, many)
    if _PUBLISHED in names:
        if corpora.has_archive():
            published = os.path.join(folder, "published")
            corpora.unpack(published, _PUBLISHED_SKILLS)
            yield Workload(_PUBLISHED, _CHECK, published)
        else:
            print(corpora.NO_ARCHIVE, file=sys.stderr)
    if _FEW in names:
        corpus.write_workspace(few, 17)
        yield Workload(_FEW, _CHECK, few)
    if _START in names:
        yield Workload(_START, ("--version",), folder)
    if _AGAIN in names:
        # Last: times of files that were written just now are not relied on.
        yield Workload(_AGAIN, _CHECK_AGAIN, many)


def _counted(
    one: Counter, trees: Sequence[str], workloads: Sequence[Workload], home: str
) -> list[dict[str, int] | NotCountedError]:
    """For each tree its counts, or why there are none; as many at a time as there are cores."""
    os.makedirs(home)
    free: SimpleQueue[int] = SimpleQueue()
    for core in cores() or [0]:
        free.put(core)

    def job(tree: str, workload: Workload) -> int:
        core = free.get()
        try:
            return count(one, tree, workload, home, core)
        finally:
            free.put(core)

    with ThreadPoolExecutor(free.qsize()) as pool:
        jobs = {(tree, work.name): pool.submit(job, tree, work) for work in workloads for tree in trees}
    counted: list[dict[str, int] | NotCountedError] = []
    for tree in trees:
        try:
            counted.append({work.name: jobs[tree, work.name].result() for work in workloads})
        except NotCountedError as error:
            counted.append(error)
    return counted


def _as_text(one: Counter, now: Mapping[str, int], comparisons: Sequence[Comparison]) -> Iterator[str]:
    yield f"Instructions, counted by {one.name}:"
    if not comparisons:
        yield "There is no commit before: nothing was compared."
    for comparison in comparisons:
        role = f"{comparison.before.role}, {comparison.before.commit[:10]}"
        yield ""
        if comparison.problem:
            yield f"{role}: it can't be counted, so nothing was compared. {comparison.problem}"
            continue
        yield f"{role}:"
        for name, before in comparison.counts.items():
            growth = comparison.growth(name, now[name])
            yield f"  {name:<26} {before:>15,} -> {now[name]:>15,}  {growth:+8.2%}"
        yield from _verdict(comparison, now)


def _verdict(comparison: Comparison, now: Mapping[str, int]) -> Iterator[str]:
    grown = ", ".join(f"`{name}`" for name in comparison.grown(now))
    if grown and comparison.excuses:
        yield f"  {grown}: more than {LIMIT:.0%}, as {CHANGELOG} says: {comparison.excuses[0]}"
        yield "  `benchmarks/instructions --record` takes it as the new measure."
    elif grown:
        yield f"  FAILED: {grown}: more than {LIMIT:.0%}. Make it faster, or say in {CHANGELOG} why it has to be:"
        yield f"  a line that begins with `{REASON}`."


def _as_json(one: Counter, now: Mapping[str, int], comparisons: Sequence[Comparison]) -> str:
    against = [
        {
            "commit": comparison.before.commit,
            "role": comparison.before.role,
            "problem": comparison.problem or None,
            "counts": dict(comparison.counts),
            "growth": {name: round(comparison.growth(name, now[name]), 6) for name in comparison.counts},
            "excuses": list(comparison.excuses),
            "passed": comparison.passes(now),
        }
        for comparison in comparisons
    ]
    passed = all(comparison.passes(now) for comparison in comparisons)
    said: dict[str, Any] = {"version": 1, "counter": one.name, "limit": LIMIT, "counts": dict(now)}
    return json.dumps({**said, "against": against, "passed": passed}, indent=1)


def _record(repository: str, one: Counter, now: Mapping[str, int]) -> None:
    """For people: on another machine the figures are others, so they are never compared with.

    What was not counted this time keeps its figure, if the same counter took it with the same interpreter.
    """
    facts = {"counter": one.name, "system": f"{platform.system()} {platform.machine()}"}
    facts["python"] = platform.python_version()
    path = os.path.join(repository, RECORD)
    kept = _recorded(path, facts)
    data = {"version": 1, **facts, "counts": {**kept, **now}}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(json.dumps(data, indent=1) + "\n")


def _recorded(path: str, facts: Mapping[str, str]) -> Mapping[str, int]:
    """The figures of the file, if it has those facts."""
    try:
        with open(path, encoding="utf-8") as handle:
            data = json.load(handle)
    except FileNotFoundError:
        return {}
    counts: Mapping[str, int] = data.get("counts", {})
    return counts if all(data.get(name) == value for name, value in facts.items()) else {}
