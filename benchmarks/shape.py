"""The shape of published skills, as figures: what `shape.json` holds, and how values are drawn from it.

`benchmarks/shape --save` measures the figures. No text of a published skill is kept, only how long and how many.
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shape.json")
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
"""Where the bands of a figure begin and end, as parts of its sorted values: tenths, the last one split again."""
FIGURES = (
    *(f"skill.{kind}" for kind in ("bytes", "headings", "links", "code spans", "fences", "literals", "non-ASCII")),
    *("fence.bytes", "references", "python", "shell", "other"),
    *(f"reference.{kind}" for kind in ("bytes", "headings", "links", "code spans", "fences", "literals", "non-ASCII")),
    *("python.bytes", "python.literals", "shell.bytes", "shell.literals", "other.bytes"),
)
"""All figures: of a `SKILL.md` and of a reference, of a fence of either, files per skill, and of those files."""
SHARES = ("languages", "words", "suffixes")
"""The languages of fences, the literals of rules in Markdown, the suffixes of other files: each with its share."""


class ShapeError(ValueError):
    """A file that is no shape; the message names what is wrong with it."""


class Shape(NamedTuple):
    """Measured figures: the mean of each band, by figure.

    `together` is the rank correlation of a figure with the length of the same text.
    """

    figures: Mapping[str, tuple[float, ...]]
    together: Mapping[str, float]
    shares: Mapping[str, Mapping[str, float]]

    def value(self, figure: str, at: float) -> float:
        """The value of the figure at a place among the sorted ones, from 0 to 1.

        Within a band it grows evenly, by as much as keeps the mean of the band and stays below the next one.
        """
        means = self.figures[figure]
        band = min(bisect_right(EDGES, at), len(means)) - 1
        mean = means[band]
        gaps = [high - low for low, high in pairwise(means[max(band - 1, 0) : band + 2])]
        within = (at - EDGES[band]) / (EDGES[band + 1] - EDGES[band])
        return mean + (within - 0.5) * min(*gaps, 2 * mean)

    def number(self, figure: str, at: float, random: Random) -> int:
        """The same as a whole number: rounded up as often as keeps the mean."""
        return int(self.value(figure, at) + random.random())

    def chosen(self, share: str, random: Random, count: int = 1) -> list[str]:
        """Names, each as likely as its share."""
        shares = self.shares[share]
        return random.choices(list(shares), list(shares.values()), k=count)


def bands(values: Sequence[float]) -> tuple[float, ...]:
    """The mean of each band of the values. A band of few values has at least its nearest one."""
    ordered = sorted(values)
    means = []
    for low, high in pairwise(EDGES):
        start = min(int(low * len(ordered)), len(ordered) - 1)
        part = ordered[start : max(math.floor(high * len(ordered)), start + 1)]
        means.append(round(sum(part) / len(part), 2))
    return tuple(means)


def correlation(ones: Sequence[float], others: Sequence[float]) -> float:
    """How the ranks of two rows of figures go together: 1 for the same order, 0 for none."""
    first, second = _ranks(ones), _ranks(others)
    middle = (len(ones) - 1) / 2
    above = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    below = math.sqrt(sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second))
    return round(above / below, 2) if below else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each value in the sorted row; equal ones share the mean of their places."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def as_json(shape: Shape) -> str:
    """The text of the file."""
    lines = [f'  "{name}": {json.dumps(shape.figures[name])}' for name in FIGURES]
    parts = [
        '"version": 1',
        f'"together": {json.dumps(shape.together)}',
        f'"shares": {json.dumps(shape.shares, indent=1)}',
        '"figures": {\n' + ",\n".join(lines) + "\n}",
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def from_json(text: str) -> Shape:
    """The shape that a file holds.

    Raises:
        ShapeError: it is not JSON, of another version, or lacks a figure.
    """
    try:
        data = json.loads(text)
        if data["version"] != 1:
            raise ShapeError(f"version {data['version']} is not 1")
        figures = {name: _means(name, data["figures"][name]) for name in FIGURES}
        shares = {name: {str(key): float(part) for key, part in data["shares"][name].items()} for name in SHARES}
        together = {str(name): float(value) for name, value in data["together"].items()}
    except KeyError as error:
        raise ShapeError(f"it lacks {error}") from error
    except (TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ShapeError(f"it is no shape: {error}") from error
    return Shape(figures, together, shares)


def _means(name: str, means: Any) -> tuple[float, ...]:
    found = tuple(float(mean) for mean in means)
    if len(found) != len(EDGES) - 1 or list(found) != sorted(found) or found[0] < 0:
        raise ShapeError(f"{name}: {len(EDGES) - 1} means in ascending order are wanted")
    return found


@cache
def published() -> Shape:
    """The shape that corpora have.

    Raises:
        ShapeError: see `from_json`.
    """
    with open(FILE, encoding="utf-8") as handle:
        return from_json(handle.read())
