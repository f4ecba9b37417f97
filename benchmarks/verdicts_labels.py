"""What people said of findings after reading them, by the content that a finding is about."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from corpora import HERE
from verdicts_tools import Finding

FILE = os.path.join(HERE, "verdicts_labels.json")
"""The labels: `true`, `doubtful` or `false` by key, by rule."""
LABELS = ("true", "doubtful", "false")


class Read(NamedTuple):
    """A finding, the line that it is about, its key, and its label where somebody has read it."""

    finding: Finding
    text: str
    key: str
    label: str


def read(findings: Iterable[tuple[str, Finding]], labels: Mapping[str, Mapping[str, str]]) -> list[Read]:
    """The findings, each with its tree, with their labels."""
    found = []
    for tree, finding in findings:
        text = _line(os.path.join(tree, finding.path), finding.line)
        key = _key(finding, text)
        found.append(Read(finding, text, key, labels.get(finding.rule, {}).get(key, "")))
    return found


def stored() -> dict[str, dict[str, str]]:
    """The labels of the file."""
    with open(FILE, encoding="utf-8") as file:
        labels: dict[str, dict[str, str]] = json.load(file)
    return labels


def store(labels: Mapping[str, Mapping[str, str]]) -> None:
    """Write the file."""
    with open(FILE, "w", encoding="utf-8") as file:
        json.dump(labels, file, indent=1, sort_keys=True)
        file.write("\n")


def unread(found: Sequence[Read], count: int, seed: int) -> list[Read]:
    """That many findings without a label, drawn by the seed."""
    rest = sorted((one for one in found if not one.label), key=lambda one: one.key)
    return Random(seed).sample(rest, min(count, len(rest)))


def counted(found: Iterable[Read]) -> dict[str, Counter[str]]:
    """How many findings of each level have which label; the label is empty for those that nobody has read."""
    levels: dict[str, Counter[str]] = {level: Counter() for level in ("error", "warning", "note")}
    for one in found:
        levels[one.finding.level][one.label] += 1
    return levels


def _line(path: str, line: int) -> str:
    if not line:
        return ""
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:
        return ""
    return lines[line - 1].decode("utf-8", "replace").strip() if line <= len(lines) else ""


def _key(finding: Finding, text: str) -> str:
    """The key does not change with the wording, the level, or lines that are added elsewhere."""
    content = "\0".join((finding.rule, "/".join(finding.path.split("/")[-3:]), text))
    return hashlib.sha256(content.encode()).hexdigest()[:16]
