"""Findings: what a rule says about one place in a file. The value that reports print and tests compare."""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum

from skillbag.base.records import NamedTuple


class Level(StrEnum):
    """How a finding counts, after the clause's own word: MUST, SHOULD, MAY."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class TextEdit(NamedTuple):
    """Replace the code points `start` to `end` of a file's text (byte order mark not counted)."""

    path: str
    start: int
    end: int
    text: str


class WriteFile(NamedTuple):
    """Give a file this whole text; it may be missing so far."""

    path: str
    text: str


class Rename(NamedTuple):
    """Rename a file within its folder."""

    path: str
    name: str


class MakeExecutable(NamedTuple):
    """Set the executable bits of a file wherever it is readable."""

    path: str


Edit = TextEdit | WriteFile | Rename | MakeExecutable
"""A safe change that cures a finding. Paths are absolute."""


class Finding(NamedTuple):
    """One breach of one rule at one place.

    `path` is absolute, `root` the absolute root of its target; lines and columns are 1-based (columns in code points),
    `end_line` and `end_column` are exclusive ends, equal to the start where a point is meant. `clause` is the clause's
    id, or None for rules beyond the standard. `fix` says what to do; `edits` do it, where that is safe. `excerpt` is
    the text of the line, raw: whoever shows it masks and escapes it first. `fingerprint` is stable against lines
    moving: it is made of the rule, the path within the target and the line's content (`fingerprinted` gives it).
    `installed` says that it lies in an installed skill, whose text is another author's (`installed.py`).
    """

    rule: str
    clause: str | None
    level: Level
    path: str
    root: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    fix: str | None
    excerpt: str
    fingerprint: str = ""
    edits: tuple[Edit, ...] = ()
    installed: bool = False


def fingerprinted(findings: Iterable[Finding]) -> list[Finding]:
    """The findings with their fingerprints; equal lines with equal findings are told apart by their order."""
    import hashlib

    seen: dict[str, int] = {}
    result = []
    for finding in findings:
        relative = os.path.relpath(finding.path, finding.root).replace(os.sep, "/")
        text = "\0".join((finding.rule, relative, " ".join(finding.excerpt.split())))
        seen[text] = seen.get(text, -1) + 1
        digest = hashlib.sha256(f"{text}\0{seen[text]}".encode("utf-8", "surrogateescape")).hexdigest()
        result.append(finding._replace(fingerprint=digest[:32]))
    return result
