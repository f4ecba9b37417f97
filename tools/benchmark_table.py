"""The figures that README and `docs/performance.md` show, from the runs that `benchmarks/run --save` has written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tables import table

OURS, BASELINE, BARE = "skillbag", "agnix", "python"
SHOWN = (f"{OURS}-warm", OURS, BASELINE, "skillsaw")
"""The programs in the README."""
_WHAT = {
    OURS: "no cache",
    f"{OURS}-first": "filling the cache",
    f"{OURS}-warm": "nothing changed since",
    f"{OURS}-changed": "one skill changed since",
    BASELINE: "a linter in Rust",
    "skills-ref": "the reference validator, as a library",
    "floor": "reads and parses in one process; checks nothing",
    BARE: "`python -c pass`",
}


class _Corpus(NamedTuple):
    """The order is that of the columns: published skills first."""

    generated: bool
    skills: int

    @property
    def label(self) -> str:
        return f"{self.skills:,} skills" if self.generated else f"{self.skills:,} published skills"


class _Series(NamedTuple):
    program: str
    corpus: _Corpus
    walls: tuple[float, ...]


def benchmark_table(results: Path, only: Iterable[str] = (), *, largest: int = 10**9) -> str:
    """Seconds of each program (or `only` these) by the corpus, and how many times the baseline's that is.

    The fastest is first. Corpora of more skills than `largest` are left out. Both figures are medians over the rounds,
    and the ratio is taken within each round.
    """
    data: Mapping[str, Any] = json.loads(results.read_text("utf-8"))
    every = [
        _Series(
            one["contender"],
            _Corpus(not one.get("published", False), one["skills"]),
            tuple(run["wall"] for run in one["runs"]),
        )
        for one in data["series"]
        if one["skills"] <= largest and (not only or one["contender"] in only)
    ]
    by_key = {(one.program, one.corpus): one for one in every}
    corpora = sorted({one.corpus for one in every})
    programs = sorted(dict.fromkeys(one.program for one in every), key=lambda name: _order(name, corpora, by_key))
    rows = (
        [_named(name), *(_cell(by_key.get((name, one)), by_key.get((BASELINE, one))) for one in corpora)]
        for name in programs
    )
    return table([f"Seconds (× {BASELINE})", *(one.label for one in corpora)], *rows)


def _order(
    name: str, corpora: list[_Corpus], by_key: Mapping[tuple[str, _Corpus], _Series]
) -> tuple[bool, list[float]]:
    """By the time on the largest corpus first, as far as the program goes."""
    times = [median(by_key[name, one].walls) if (name, one) in by_key else float("inf") for one in reversed(corpora)]
    return name == BARE, times


def _named(program: str) -> str:
    shown = f"**{program}**" if program == OURS or program.startswith(f"{OURS}-") else program
    what = _WHAT.get(program)
    return f"{shown}, {what}" if what else shown


def _cell(one: _Series | None, base: _Series | None) -> str:
    if one is None:
        return ""
    seconds = f"{median(one.walls):.3f}" if median(one.walls) < 1 else f"{median(one.walls):.2f}"
    if base is None or base is one:
        return seconds
    # A slow program has runs of the first rounds only.
    ratio = median(wall / other for wall, other in zip(one.walls, base.walls, strict=False))
    return f"{seconds} ({ratio:.2f})"
