"""Measures the shape of any folder of skills: how long its texts are, and what they are made of."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from literals import literals
from shape import FIGURES, Shape, bands, correlation

Values = dict[str, list[float]]
"""The values of each figure, in any order."""

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*).*\n([\s\S]*?)^[ \t]{0,3}\1[`~]*[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_LINK = re.compile(r"\]\([^)\s][^)]*\)")
_SPAN = re.compile(r"`[^`\n]+`")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_ANY = re.compile(b"|".join(re.escape(one) for one in sorted(literals(), key=len, reverse=True)))
_WITH_LENGTH = ("headings", "links", "code spans", "fences", "literals", "non-ASCII")
_KINDS = {".py": "python", ".sh": "shell", ".bash": "shell", ".md": "reference"}
_FILES = {"reference": "references", "python": "python", "shell": "shell", "other": "other"}
_KEPT = 40
"""How many names of a share are kept, the most frequent ones."""


class Measured(NamedTuple):
    """What was found in a folder: the values of each figure, and how often each language, literal and suffix came."""

    values: Values
    found: Mapping[str, Counter[str]]

    def shape(self) -> Shape:
        """The figures that are kept.

        Raises:
            ValueError: a figure has no value at all.
        """
        absent = [name for name in FIGURES if not self.values[name]]
        if absent:
            raise ValueError(f"there is nothing to measure: {', '.join(absent)}")
        together = {
            f"{kind}.{name}": correlation(self.values[f"{kind}.bytes"], self.values[f"{kind}.{name}"])
            for kind in ("skill", "reference")
            for name in _WITH_LENGTH
        }
        shares = {name: _shares(counted) for name, counted in self.found.items()}
        return Shape({name: bands(self.values[name]) for name in FIGURES}, together, shares)


def measure_folder(root: str) -> Measured:
    """Measure every skill below the folder: a folder with a `SKILL.md`, with what is not in a skill of its own."""
    values: Values = {name: [] for name in FIGURES}
    found: dict[str, Counter[str]] = {"languages": Counter(), "words": Counter(), "suffixes": Counter()}
    for files in _skills(root).values():
        counted = Counter(dict.fromkeys(_FILES, 0))
        for path in files:
            with open(path, "rb") as handle:
                data = handle.read()
            kind = "skill" if os.path.basename(path) == "SKILL.md" else _kind(path)
            counted[kind] += kind != "skill"
            values[f"{kind}.bytes"].append(len(data))
            if kind in ("skill", "reference"):
                _measure_markdown(kind, data, values, found)
            elif kind == "other":
                found["suffixes"][os.path.splitext(path)[1]] += 1
            else:
                values[f"{kind}.literals"].append(len(_ANY.findall(data)))
        for kind, name in _FILES.items():
            values[name].append(counted[kind])
    return Measured(values, found)


def _measure_markdown(kind: str, data: bytes, values: Values, found: Mapping[str, Counter[str]]) -> None:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    fences = _FENCE.findall(text)
    prose = _FENCE.sub("", text)
    words = _ANY.findall(data)
    values["fence.bytes"] += [len(body.encode()) for _, _, body in fences]
    found["languages"].update(language.lower() for _, language, _ in fences)
    found["words"].update(word.decode() for word in words)
    counts = {
        "headings": len(_HEADING.findall(prose)),
        "links": len(_LINK.findall(prose)),
        "code spans": len(_SPAN.findall(prose)),
        "fences": len(fences),
        "literals": len(words),
        "non-ASCII": len(_NOT_ASCII.findall(text)),
    }
    for name, count in counts.items():
        values[f"{kind}.{name}"].append(count)


def _skills(root: str) -> dict[str, list[str]]:
    """The files of each skill, by its folder."""
    skills: dict[str, list[str]] = {}
    for folder, names in _walk(root):
        owner = folder
        while owner not in skills and "SKILL.md" not in names and len(owner) > len(root):
            owner = os.path.dirname(owner)
        if owner in skills or "SKILL.md" in names:
            skills.setdefault(owner, []).extend(os.path.join(folder, name) for name in sorted(names))
    return skills


def _walk(root: str) -> Iterator[tuple[str, list[str]]]:
    """Each folder before those in it, without those of version control."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        yield folder, names


def _kind(path: str) -> str:
    return _KINDS.get(os.path.splitext(path)[1], "other")


def _shares(counted: Counter[str]) -> dict[str, float]:
    kept = counted.most_common(_KEPT)
    total = sum(count for _, count in kept)
    return {name: round(count / total, 4) for name, count in kept}


def summary(values: Iterable[float]) -> tuple[float, float, float]:
    """Median, nine tenths and mean."""
    ordered = sorted(values)
    if not ordered:
        return 0.0, 0.0, 0.0
    return ordered[len(ordered) // 2], ordered[int(0.9 * (len(ordered) - 1))], sum(ordered) / len(ordered)
