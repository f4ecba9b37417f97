"""The picture of README: few bars, the fastest first, and who is faster than we are."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

_SVG = {"svg": "http://www.w3.org/2000/svg"}
_MACHINE = {
    "measured": "2020-02-02",
    "cores_used": 2,
    "system": "Linux",
    "python": "3.11",
    **dict.fromkeys(("skillbag", "agnix", "skill-check", "skillcheck", "skilllint"), "1.0"),
}


def generated(**seconds: float) -> tuple[list[str], list[float]]:
    """The texts of the picture of these programs' times, and the widths of its bars."""
    import headline

    walls = {"agnix": 2.0, "skill-check": 3.0, "skillcheck": 4.0, "skilllint": 8.0, "skillbag-warm": 0.5, **seconds}
    series: list[dict[str, Any]] = [
        {"contender": name, "skills": 1234, "published": True, "runs": [{"wall": wall}, {"wall": wall}]}
        for name, wall in walls.items()
    ]
    series.append({"contender": "agnix", "skills": 17, "runs": [{"wall": 0.01}]})
    svg = ElementTree.fromstring(headline.as_svg({"machine": _MACHINE, "series": series}, "skillbag"))  # noqa: S314
    bars = [one.attrib["width"] for one in svg.findall("svg:rect", _SVG) if "bar" in one.attrib["class"]]
    return [one.text or "" for one in svg.findall("svg:text", _SVG)], [float(width) for width in bars]


def test_the_bars_are_as_long_as_the_times() -> None:
    texts, bars = generated(**{"skillbag-first": 2.5})
    assert bars == [pytest.approx(bars[-1] * wall / 8, abs=0.1) for wall in (0.5, 2, 2.5, 3, 4, 8)]
    assert [text for text in texts if text.endswith(" s")] == [
        "0.500 s",
        "2.00 s",
        "2.50 s",
        "3.00 s",
        "4.00 s",
        "8.00 s",
    ]
    assert "Seconds to check 1,234 published skills" in texts


def test_it_tells_who_is_faster() -> None:
    assert "On a first run, agnix is 0.50 s faster than skillbag." in generated(**{"skillbag-first": 2.5})[0]
    slow = generated(**{"skillbag-first": 3.5})[0]
    assert "On a first run, agnix is 1.50 s and skill-check is 0.50 s faster than skillbag." in slow
    assert "On a first run, skillbag is the fastest of these." in generated(**{"skillbag-first": 1.0})[0]
    assert any("2020-02-02: 2 cores, Linux, Python 3.11." in text for text in slow)
