"""The shares that each linter finds as a picture: an SVG that is legible on light and on dark ground.

python benchmarks/verdicts_picture.py benchmarks/results/verdicts.json > verdicts.svg
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

from drawing import draw, drawing, finished, grid, text

_LEFT, _PLOT, _RIGHT = 150, 480, 160
_TOP, _ROW, _HEAD, _BOTTOM = 46, 22, 32, 40
_BAR = 12
_WIDTH = _LEFT + _PLOT + _RIGHT
_LIGHT = ".bar { fill: #8c959f } .ours { fill: #0969da }"
_DARK = "  .bar { fill: #6e7681 } .ours { fill: #58a6ff }"
_TITLE = "Which share of faults and of malicious skills each linter finds"
_HOW = "Share that is found as a warning or an error: longer is better."
_GROUPS = (
    ("faults in good skills", "mutations", False),
    ("malicious edits of good skills", "mutations", True),
    ("whole malicious skills", "malice", True),
)
"""The title of each group, its ground, and whether it is about security."""


class _Bar(NamedTuple):
    tool: str
    found: int
    of: int

    @property
    def share(self) -> float:
        return self.found / self.of


def as_svg(data: Mapping[str, Any], ours: str) -> str:
    """A group of bars for each kind of ground, the best tool first; `data` is what `verdicts_report.as_json` gives."""
    groups = [(title, _bars(data["tools"], ground, security)) for title, ground, security in _GROUPS]
    height = _TOP + sum(_HEAD + _ROW * len(bars) for _, bars in groups) + _BOTTOM
    svg = drawing(_TITLE, _HOW, (_WIDTH, height), _LIGHT, _DARK)
    quarters = {f"{percent}%": str(_LEFT + _PLOT * percent // 100) for percent in range(0, 101, 25)}
    grid(svg, quarters, _TOP, height - _BOTTOM)
    y = _TOP
    for title, bars in groups:
        y += _HEAD
        if bars:
            text(svg, f"{bars[0].of:,} {title}", 16, y - 9, "head")
        for bar in bars:
            _bar(svg, bar, y, bar.tool == ours)
            y += _ROW
    return finished(svg)


def _bars(tools: Mapping[str, Any], ground: str, security: bool) -> list[_Bar]:
    """Tools that were not shown the ground have no bar."""
    bars = []
    for tool, figures in tools.items():
        families = figures[ground]["families"].items()
        chosen = [pair for name, pair in families if ground == "malice" or name.startswith("security") == security]
        if chosen:
            bars.append(_Bar(tool, sum(pair[0] for pair in chosen), sum(pair[1] for pair in chosen)))
    return sorted(bars, key=lambda bar: (-bar.share, bar.tool))


def _bar(svg: Element, bar: _Bar, y: int, ours: bool) -> None:
    """The name, the bar, and the figures."""
    text(svg, bar.tool, _LEFT - 10, y + _ROW // 2 + 4, anchor="end")
    width = round(_PLOT * bar.share, 1)
    place = {"x": str(_LEFT), "y": str(y + (_ROW - _BAR) // 2), "width": str(width), "height": str(_BAR)}
    rectangle = SubElement(svg, "rect", {"class": "bar ours" if ours else "bar", "rx": "2", **place})
    SubElement(rectangle, "title").text = f"{bar.tool}: {bar.found} of {bar.of}"
    text(svg, f"{bar.share:.0%} ({bar.found})", _WIDTH - 16, y + _ROW // 2 + 4, "quiet", anchor="end")


if __name__ == "__main__":
    draw(as_svg, sys.argv[1:])
