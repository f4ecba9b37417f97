"""The recordings of `tools/`: drawings that move without a script, with what programs print as text."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import terminal
from terminal import Rows, Terminal, width_of
from terminal_svg import DARK, LIGHT, Frame, drawing

from tests.support import PROJECT, Run

IMAGES = [PROJECT / "docs/images" / name for name in ("check.svg", "editor.svg")]
LARGEST = 60_000
SVG = "{http://www.w3.org/2000/svg}"


def printed(text: str, columns: int = 40, lines: int = 4) -> Rows:
    """The screen after a real program has written this."""
    made = Terminal(columns, lines)
    made.start([sys.executable, "-c", f"import sys; sys.stdout.write({text!r})"], Path.cwd(), {"PYTHONUTF8": "1"})
    assert made.finish() == 0
    return made.rows()


def texts(svg: str) -> list[str]:
    """The runs of text of a drawing."""
    # Made here, not by others.
    return [span.text or "" for span in ElementTree.fromstring(svg).iter(f"{SVG}tspan")]  # noqa: S314


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.name)
def test_a_drawing_is_small_and_brings_all_that_it_shows(image: Path) -> None:
    svg = image.read_text("utf-8")
    assert len(svg.encode("utf-8")) < LARGEST
    root = ElementTree.fromstring(svg)  # noqa: S314
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "style", "rect", "circle", "g", "path", "text", "tspan"),
    }
    assert root.get("aria-label") == (root.findtext(f"{SVG}title") or "")
    markup = re.sub(r"(<tspan[^>]*>)[^<]*", r"\1", svg.replace(SVG[1:-1], ""))
    assert not re.search(r"https?:|url\(|@import| on\w+=", markup)


def test_the_recording_ends_without_findings_also_without_motion() -> None:
    svg = (PROJECT / "docs/images/check.svg").read_text("utf-8")
    last = [group for group in re.findall(r'<g class="s [^p].*?</g>', svg) if "tspan" in group]
    assert texts(f'<svg xmlns="{SVG[1:-1]}">{last[-1]}</svg>')[-1] == "No findings."
    assert "@media (prefers-reduced-motion:reduce){.s{animation:none!important}}" in svg
    assert ".p{visibility:hidden}" in svg


def test_the_picture_of_the_editor_shows_the_findings_of_today(run: Run) -> None:
    """It is made by hand, with `tools/editor_picture.py`."""
    shown = re.sub(r"[` │]", "", "".join(texts((PROJECT / "docs/images/editor.svg").read_text("utf-8"))))
    findings = json.loads(run("check", "draft", "--format", "json", cwd=PROJECT / "examples").out)["findings"]
    messages = {finding["rule"]: re.sub(r"[` ]", "", finding["message"]) for finding in findings}
    assert messages["value-unquoted"] in shown
    assert messages["link-broken"] in shown.partition("link-broken(warning")[2]


def test_what_a_program_prints_stays_text() -> None:
    rows = (*printed("<script>alert(1)</script>")[:1], (terminal.Run(0, "&amp;\u202e\x1b]]>"),))
    svg = drawing([Frame(rows, 1.0)], 40, 'A "title" <b>')
    assert "<script" not in svg
    assert texts(svg) == ["<script>alert(1)</script>", "&amp;\\u202e\\x1b]]>"]


def test_colours_and_columns_are_kept() -> None:
    (run, other), *_ = printed("\x1b[1;31mred\x1b[m  \x1b[38;2;1;2;3m你好\x1b[m")
    assert (run.text, run.style.ink, run.style.bold) == ("red", "red", True)
    assert (other.column, other.text, other.style.ink, other.width) == (5, "你好", "010203", 4)
    assert width_of("a你") == 3


def test_a_row_is_drawn_once_for_the_time_in_which_it_stays() -> None:
    svg = drawing([Frame(printed("one\r\ntwo"), 1.0), Frame(printed("one\r\nTWO"), 3.0)], 40, "Two screens")
    assert texts(svg) == ["two", "one", "TWO"]
    assert re.findall(r"@keyframes \S+?\{(.*)\}", svg) == [
        "0.00%{visibility:visible}25.00%{visibility:hidden}",
        "0%{visibility:hidden}25.00%{visibility:visible}to{visibility:visible}",
    ]


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_colours_are_readable(palette: dict[str, str]) -> None:
    """A contrast of 4.5 at least, as WCAG wants of text."""
    for name in palette.keys() - {"paper", "edge", "black"}:
        lighter, darker = sorted((luminance(palette[name]), luminance(palette["paper"])), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, name


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
