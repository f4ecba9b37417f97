"""The picture of README: seconds that a few programs take for the published skills, as bars.

python benchmarks/headline.py benchmarks/results/latest.json > headline.svg
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from statistics import median
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from drawing import draw, drawing, finished, text

_LEFT, _PLOT, _RIGHT = 230, 440, 90
_TOP, _ROW, _BAR, _BOTTOM = 52, 34, 18, 76
_WIDTH = _LEFT + _PLOT + _RIGHT
_LIGHT = ".bar { fill: #8c959f } .ours { fill: #0969da } .title { font: 600 16px system-ui, sans-serif }"
_DARK = "  .bar { fill: #6e7681 } .ours { fill: #58a6ff }"
_PEERS = ("agnix", "skill-check", "skillcheck", "skilllint")
"""The quickest four. `skills-ref` is a library, `floor` and `python` are no linters."""


class _Bar(NamedTuple):
    label: str
    seconds: float
    ours: bool = False


def as_svg(data: Mapping[str, Any], ours: str) -> str:
    """The bars of the project `ours` and its quickest peers, the fastest first, from what `results.as_json` gives."""
    series = [one for one in data["series"] if one.get("published")]
    walls = {one["contender"]: median(run["wall"] for run in one["runs"]) for one in series}
    bars = [_Bar(name, walls[name]) for name in _PEERS]
    bars.append(_Bar(f"{ours}, first run", walls[f"{ours}-first"], True))
    bars.append(_Bar(f"{ours}, nothing changed", walls[f"{ours}-warm"], True))
    bars.sort(key=lambda bar: bar.seconds)
    title = f"Seconds to check {series[0]['skills']:,} published skills"
    height = _TOP + _ROW * len(bars) + _BOTTOM
    svg = drawing(title, "", (_WIDTH, height), _LIGHT, _DARK)
    text(svg, title, 16, 32, "title")
    text(svg, "shorter is better", _WIDTH - 16, 32, "quiet", anchor="end")
    for number, bar in enumerate(bars):
        _draw(svg, bar, _TOP + number * _ROW, bars[-1].seconds)
    for number, note in enumerate(_notes(data, ours, walls)):
        text(svg, note, 16, height - _BOTTOM + 24 + 18 * number, "quiet")
    return finished(svg)


def _draw(svg: Element, bar: _Bar, y: int, most: float) -> None:
    """The name, the bar, and beside its end the figure."""
    middle = y + _ROW // 2 + 4
    width = max(round(_PLOT * bar.seconds / most, 1), 2)
    text(svg, bar.label, _LEFT - 12, middle, "head" if bar.ours else "", anchor="end")
    place = {"x": str(_LEFT), "y": str(y + (_ROW - _BAR) // 2), "width": str(width), "height": str(_BAR)}
    SubElement(svg, "rect", {"class": "bar ours" if bar.ours else "bar", "rx": "3", **place})
    text(svg, figure(bar.seconds), _LEFT + width + 8, middle, "head" if bar.ours else "")


def _notes(data: Mapping[str, Any], ours: str, walls: Mapping[str, float]) -> tuple[str, ...]:
    """Who is faster than we are where nothing is cached, and on what machine it was measured."""
    first = walls[f"{ours}-first"]
    ahead = [f"{name} is {first - walls[name]:.2f} s" for name in _PEERS if walls[name] < first]
    if ahead:
        sentence = f"On a first run, {' and '.join(ahead)} faster than {ours}."
    else:
        sentence = f"On a first run, {ours} is the fastest of these."
    facts = data["machine"]
    versions = ", ".join(f"{name} {facts[name]}" for name in (ours, *_PEERS))
    cores = f"{facts['cores_used']} cores, {facts['system']}, Python {facts['python']}"
    how = f"Whole processes, median of several rounds, {facts['measured']}: {cores}."
    return sentence, how, f"{versions}."


def figure(seconds: float) -> str:
    """Seconds in three digits that count, or with three places where they are few."""
    digits = 3 if seconds < 1 else 2 if seconds < 10 else 1
    return f"{seconds:.{digits}f} s"


if __name__ == "__main__":
    draw(as_svg, sys.argv[1:])
