"""Measured runs as a table and as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable
from datetime import date
from statistics import median
from typing import Any, NamedTuple

import quiet
from contenders import BARE, BASELINE
from measure import Run

_HEADER = (
    "skills", "program", "wall s", "min", "max", "CPU s", "MiB", "all MiB", "µs a skill",
    f"wall × {BASELINE}", f"MiB × {BASELINE}", f"s above {BARE}",
)  # fmt: skip


class Series(NamedTuple):
    """The runs of one contender on one corpus, in the order of the rounds; `tree_memory` in MiB, all its processes.

    `published` tells published skills from generated ones.
    """

    contender: str
    skills: int
    published: bool
    runs: tuple[Run, ...]
    tree_memory: float


def machine(cores: int, versions: dict[str, str]) -> dict[str, Any]:
    """What the figures depend on, without saying whose machine it is."""
    return {
        "measured": date.today().isoformat(),
        "cores_used": cores,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **versions,
    }


def as_json(facts: dict[str, Any], series: Iterable[Series]) -> dict[str, Any]:
    """Every single run, so that others can compute what they like."""
    runs = [{**one._asdict(), "runs": [run._asdict() for run in one.runs]} for one in series]
    return {"version": 1, "machine": facts, "series": runs}


def as_markdown(facts: dict[str, Any], series: list[Series]) -> str:
    """The table, under one line about the machine."""
    by_key = {(one.contender, one.skills, one.published): one for one in series}
    about = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items())
    rows = [_row(one, by_key) for one in series]
    disturbed = sum(run.others > quiet.LIMIT for one in series for run in one.runs)
    if disturbed:
        about += f"\n\n**{disturbed} runs were disturbed by other work: these figures are in doubt.**"
    lines = [_line(_HEADER), _line(["---"] * 2 + ["---:"] * (len(_HEADER) - 2)), *map(_line, rows)]
    return "\n".join([about, "", *lines, ""])


def _row(one: Series, by_key: dict[tuple[str, int, bool], Series]) -> list[str]:
    walls = [run.wall for run in one.runs]
    base, bare = (by_key.get((name, one.skills, one.published)) for name in (BASELINE, BARE))
    return [
        f"{one.skills:,} published" if one.published else f"{one.skills:,}",
        one.contender,
        f"{median(walls):.3f}",
        f"{min(walls):.3f}",
        f"{max(walls):.3f}",
        f"{median(run.cpu for run in one.runs):.3f}",
        f"{median(run.memory for run in one.runs):.1f}",
        f"{max(one.tree_memory, median(run.memory for run in one.runs)):.1f}",
        "" if one.contender == BARE else f"{median(walls) / one.skills * 1e6:.0f}",
        _compared(one, base, lambda run, other: run.wall / other.wall, 2),
        _compared(one, base, lambda run, other: run.memory / other.memory, 2),
        _compared(one, bare, lambda run, other: run.wall - other.wall, 3),
    ]


def _compared(one: Series, other: Series | None, compare: Callable[[Run, Run], float], digits: int) -> str:
    """The median over the rounds, each run compared with the other's run of the same round.

    A slow contender has runs of the first rounds only, so the shorter of the two is what they have in common.
    """
    if other is None or other is one:
        return ""
    return f"{median(compare(run, base) for run, base in zip(one.runs, other.runs, strict=False)):.{digits}f}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
