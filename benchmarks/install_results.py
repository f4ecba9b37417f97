"""The measured runs of installers as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any, NamedTuple

import quiet
from contenders import PROJECT
from install_contenders import FLOOR
from measure import Run

_HEADER = ("task", "program", "wall s", "min", "max", "CPU s", "MiB", f"wall × {FLOOR}", f"wall × {PROJECT}")


class Series(NamedTuple):
    """The runs of one installer at one task, in the order of the rounds."""

    installer: str
    task: str
    runs: tuple[Run, ...]


def as_json(facts: dict[str, Any], series: Iterable[Series]) -> dict[str, Any]:
    """Every single run."""
    runs = [{**one._asdict(), "runs": [run._asdict() for run in one.runs]} for one in series]
    return {"version": 1, "machine": facts, "series": runs}


def as_markdown(facts: dict[str, Any], series: list[Series]) -> str:
    """The table, under one line about the machine."""
    by_key = {(one.installer, one.task): one for one in series}
    about = ", ".join(f"{key.replace('_', ' ')}: {value}" for key, value in facts.items())
    disturbed = sum(run.others > quiet.LIMIT for one in series for run in one.runs)
    if disturbed:
        about += f"\n\n**{disturbed} runs were disturbed by other work: these figures are in doubt.**"
    rows = [_row(one, by_key) for one in series]
    lines = [_line(_HEADER), _line(["---"] * 2 + ["---:"] * (len(_HEADER) - 2)), *map(_line, rows)]
    return "\n".join([about, "", *lines, ""])


def _row(one: Series, by_key: dict[tuple[str, str], Series]) -> list[str]:
    walls = [run.wall for run in one.runs]
    return [
        one.task,
        one.installer,
        f"{median(walls):.3f}",
        f"{min(walls):.3f}",
        f"{max(walls):.3f}",
        f"{median(run.cpu for run in one.runs):.3f}",
        f"{median(run.memory for run in one.runs):.1f}",
        _compared(one, by_key.get((FLOOR, one.task))),
        _compared(one, by_key.get((PROJECT, one.task))),
    ]


def _compared(one: Series, other: Series | None) -> str:
    """The median over the rounds, each run compared with the other's run of the same round."""
    if other is None or other is one:
        return ""
    return f"{median(run.wall / base.wall for run, base in zip(one.runs, other.runs, strict=True)):.2f}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
