"""The shares that each linter finds as a picture: an SVG that is legible on light and on dark ground.

python benchmarks/verdicts_picture.py benchmarks/results/verdicts.json > verdicts.svg
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

_LEFT, _PLOT, _RIGHT = 150, 480, 160
_TOP, _ROW, _HEAD, _BOTTOM = 46, 22, 32, 40
_BAR = 12
_WIDTH = _LEFT + _PLOT + _RIGHT
_FONT = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
_STYLE = f"""
text {{ font: 13px {_FONT}; fill: #1f2328 }}
.ground {{ fill: #ffffff }}
.grid {{ stroke: #d8dee4 }} .quiet, .quiet text {{ fill: #59636e }} .head {{ font-weight: 600 }}
.bar {{ fill: #8c959f }} .ours {{ fill: #0969da }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #e6edf3 }} .ground {{ fill: #151b23 }}
  .grid {{ stroke: #30363d }} .quiet, .quiet text {{ fill: #9198a1 }}
  .bar {{ fill: #6e7681 }} .ours {{ fill: #58a6ff }}
}}
"""
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
    svg = _drawing(height)
    _grid(svg, height)
    y = _TOP
    for title, bars in groups:
        y += _HEAD
        if bars:
            _text(svg, f"{bars[0].of:,} {title}", 16, y - 9, "head")
        for bar in bars:
            _bar(svg, bar, y, bar.tool == ours)
            y += _ROW
    indent(svg, " ")
    return tostring(svg, encoding="unicode") + "\n"


def _bars(tools: Mapping[str, Any], ground: str, security: bool) -> list[_Bar]:
    """Tools that were not shown the ground have no bar."""
    bars = []
    for tool, figures in tools.items():
        families = figures[ground]["families"].items()
        chosen = [pair for name, pair in families if ground == "malice" or name.startswith("security") == security]
        if chosen:
            bars.append(_Bar(tool, sum(pair[0] for pair in chosen), sum(pair[1] for pair in chosen)))
    return sorted(bars, key=lambda bar: (-bar.share, bar.tool))


def _drawing(height: int) -> Element:
    size = {"width": str(_WIDTH), "height": str(height), "viewBox": f"0 0 {_WIDTH} {height}"}
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", **size})
    SubElement(svg, "title").text = "Which share of faults and of malicious skills each linter finds"
    SubElement(svg, "style").text = _STYLE
    SubElement(svg, "rect", {"class": "ground", "width": "100%", "height": "100%", "rx": "6"})
    _text(svg, _HOW, 16, 28, "quiet")
    return svg


def _grid(svg: Element, height: int) -> None:
    grid = SubElement(svg, "g", {"class": "quiet", "text-anchor": "middle"})
    for percent in range(0, 101, 25):
        x = str(_LEFT + _PLOT * percent // 100)
        SubElement(grid, "line", {"class": "grid", "x1": x, "x2": x, "y1": str(_TOP), "y2": str(height - _BOTTOM)})
        _text(grid, f"{percent}%", x, height - _BOTTOM + 20)


def _bar(svg: Element, bar: _Bar, y: int, ours: bool) -> None:
    """The name, the bar, and the figures."""
    _text(svg, bar.tool, _LEFT - 10, y + _ROW // 2 + 4, anchor="end")
    width = round(_PLOT * bar.share, 1)
    place = {"x": str(_LEFT), "y": str(y + (_ROW - _BAR) // 2), "width": str(width), "height": str(_BAR)}
    drawn = SubElement(svg, "rect", {"class": "bar ours" if ours else "bar", "rx": "2", **place})
    SubElement(drawn, "title").text = f"{bar.tool}: {bar.found} of {bar.of}"
    _text(svg, f"{bar.share:.0%} ({bar.found})", _WIDTH - 16, y + _ROW // 2 + 4, "quiet", anchor="end")


def _text(parent: Element, text: str, x: float | str, y: int, kind: str = "", anchor: str = "") -> None:
    described = {"class": kind, "text-anchor": anchor}
    shown = {name: value for name, value in described.items() if value}
    SubElement(parent, "text", {"x": str(x), "y": str(y), **shown}).text = text


def main(arguments: Sequence[str]) -> None:
    """Draw the saved figures of a file."""
    from contenders import PROJECT

    (path,) = arguments
    with open(path, encoding="utf-8") as handle:
        sys.stdout.write(as_svg(json.load(handle), PROJECT))


if __name__ == "__main__":
    main(sys.argv[1:])
