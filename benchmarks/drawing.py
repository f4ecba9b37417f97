"""What the pictures of figures share: an SVG that is legible on light and on dark ground, and its texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

_FONT = "system-ui, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
_STYLE = f"""
text {{ font: 13px {_FONT}; fill: #1f2328 }}
.ground {{ fill: #ffffff }}
.grid {{ stroke: #d8dee4 }} .quiet, .quiet text {{ fill: #59636e }} .head {{ font-weight: 600 }}
%s
@media (prefers-color-scheme: dark) {{
  text {{ fill: #e6edf3 }} .ground {{ fill: #151b23 }}
  .grid {{ stroke: #30363d }} .quiet, .quiet text {{ fill: #9198a1 }}
%s
}}
"""


def drawing(title: str, how: str, size: tuple[int, int], light: str, dark: str) -> Element:
    """An empty picture of this width and height; `how` explains it, `light` and `dark` are further styles."""
    width, height = map(str, size)
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "width": width, "height": height})
    svg.set("viewBox", f"0 0 {width} {height}")
    SubElement(svg, "title").text = title
    SubElement(svg, "style").text = _STYLE % (light, dark)
    SubElement(svg, "rect", {"class": "ground", "width": "100%", "height": "100%", "rx": "6"})
    text(svg, how, 16, 28, "quiet")
    return svg


def grid(svg: Element, lines: Mapping[str, str], top: int, bottom: int) -> None:
    """Vertical lines: the text below each, and its place from the left."""
    group = SubElement(svg, "g", {"class": "quiet", "text-anchor": "middle"})
    for label, x in lines.items():
        SubElement(group, "line", {"class": "grid", "x1": x, "x2": x, "y1": str(top), "y2": str(bottom)})
        text(group, label, x, bottom + 20)


def text(parent: Element, words: str, x: float | str, y: int, kind: str = "", anchor: str = "") -> None:
    """A text at a place; `anchor` says which end of it is there."""
    described = {"class": kind, "text-anchor": anchor}
    shown = {name: value for name, value in described.items() if value}
    SubElement(parent, "text", {"x": str(x), "y": str(y), **shown}).text = words


def finished(svg: Element) -> str:
    """The picture as a file."""
    indent(svg, " ")
    return tostring(svg, encoding="unicode") + "\n"


def draw(as_svg: Callable[[Mapping[str, Any], str], str], arguments: Sequence[str]) -> None:
    """Print the picture of the saved figures in the file that a command names."""
    from contenders import PROJECT

    (path,) = arguments
    with open(path, encoding="utf-8") as handle:
        sys.stdout.write(as_svg(json.load(handle), PROJECT))
