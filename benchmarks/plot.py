"""The measured runs as a picture: an SVG that is legible on light and on dark ground.

python benchmarks/plot.py benchmarks/results/latest.json > plot.svg
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from itertools import groupby
from statistics import median
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from drawing import draw, drawing, finished, grid, text

_LEFT, _PLOT, _RIGHT = 150, 560, 80
_TOP, _ROW, _HEAD, _BOTTOM = 56, 22, 30, 40
_MARGIN = 0.08
"""Powers of ten that are left free at both ends."""
_WIDTH = _LEFT + _PLOT + _RIGHT
_LIGHT = """\
.mark { fill: #59636e; stroke: #59636e } .ours { fill: #0969da; stroke: #0969da } .name.ours { stroke: none }
.run { fill-opacity: .35; stroke: none }"""
_DARK = "  .mark { fill: #9198a1; stroke: #9198a1 } .ours { fill: #58a6ff; stroke: #58a6ff }"
_TITLE = "How long each program takes to check a corpus of skills"
_HOW = "Seconds from start to exit, on a logarithmic scale. A dot: one run; the ring: the median; the line: all runs."


class _Row(NamedTuple):
    name: str
    corpus: tuple[bool, int]
    walls: tuple[float, ...]

    @property
    def label(self) -> str:
        """What the corpus is called; the first of the two is whether its skills are generated."""
        is_generated, skills = self.corpus
        return f"{skills:,} skills" if is_generated else f"{skills:,} published skills"


class _Scale(NamedTuple):
    """Seconds to places from left to right; `low` and `high` are powers of ten."""

    low: float
    high: float

    def at(self, seconds: float) -> float:
        return round(_LEFT + _PLOT * (math.log10(seconds) - self.low) / (self.high - self.low), 1)


def as_svg(data: Mapping[str, Any], ours: str) -> str:
    """A group for each corpus, the published skills first, in it a mark for each contender, the fastest first.

    `data` is what `results.as_json` gives; the contender `ours`, and what begins with its name and a hyphen, stands
    out.
    """
    rows = [
        _Row(
            one["contender"],
            (not one.get("published", False), one["skills"]),
            tuple(run["wall"] for run in one["runs"]),
        )
        for one in data["series"]
    ]
    rows.sort(key=lambda row: (row.corpus, median(row.walls)))
    groups = [list(group) for _, group in groupby(rows, lambda row: row.corpus)]
    height = _TOP + len(groups) * _HEAD + len(rows) * _ROW + _BOTTOM
    walls = [wall for row in rows for wall in row.walls]
    scale = _Scale(math.log10(min(walls)) - _MARGIN, math.log10(max(walls)) + _MARGIN)
    svg = drawing(_TITLE, _HOW, (_WIDTH, height), _LIGHT, _DARK)
    powers = range(math.ceil(scale.low), math.floor(scale.high) + 1)
    grid(svg, {f"{10.0**power:g} s": str(scale.at(10.0**power)) for power in powers}, _TOP, height - _BOTTOM)
    y = _TOP
    for group in groups:
        y += _HEAD
        text(svg, group[0].label, 16, y - 9, "head")
        for row in group:
            _mark(svg, row, scale, y + _ROW // 2, row.name == ours or row.name.startswith(f"{ours}-"))
            y += _ROW
    return finished(svg)


def _mark(svg: Element, row: _Row, scale: _Scale, y: int, ours: bool) -> None:
    """The name, the runs, and the median in figures."""
    shade = " ours" if ours else ""
    middle = median(row.walls)
    text(svg, row.name, _LEFT - 10, y + 4, f"name{shade}", anchor="end")
    mark = SubElement(svg, "g", {"class": f"mark{shade}"})
    spread = f"{row.name}, {row.label}: {min(row.walls):.3f} to {max(row.walls):.3f} s"
    SubElement(mark, "title").text = spread
    ends = {"x1": str(scale.at(min(row.walls))), "x2": str(scale.at(max(row.walls)))}
    SubElement(mark, "line", {**ends, "y1": str(y), "y2": str(y), "stroke-width": "2"})
    for wall in row.walls:
        _circle(mark, scale.at(wall), y, "3", "run")
    _circle(mark, scale.at(middle), y, "4.5", "median").set("fill-opacity", "0")
    text(svg, figure(middle), _WIDTH - 16, y + 4, "quiet", anchor="end")


def figure(seconds: float) -> str:
    """Seconds in three digits that count, or with three places where they are few."""
    digits = 3 if seconds < 1 else 2 if seconds < 10 else 1
    return f"{seconds:.{digits}f} s"


def _circle(parent: Element, x: float, y: int, radius: str, kind: str) -> Element:
    return SubElement(parent, "circle", {"class": kind, "cx": str(x), "cy": str(y), "r": radius})


if __name__ == "__main__":
    draw(as_svg, sys.argv[1:])
