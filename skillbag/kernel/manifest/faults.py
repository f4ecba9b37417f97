"""What is wrong with a manifest: one value for a fault, with its place."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.documents.source import Position

MAX_FAULTS = 100
"""Faults of one manifest that are reported: nobody reads more, and a hostile text could have a hundred thousand."""


class FaultKind(StrEnum):
    """What a fault is about; `check` has a rule for each."""

    UNREADABLE = "unreadable"
    KEY = "key"
    MISSING = "missing"
    VALUE = "value"
    PATH = "path"
    MISMATCH = "mismatch"


class ManifestFault(NamedTuple):
    """One fault. `start` and `end` are offsets into the manifest, equal where something is missing.

    `where` is the place in the data, such as `tools[1].name`. With a remark (`is_error` is False) the skill can be
    used. `suggestion` is the key that an unknown one is probably meant to be, or empty.
    """

    kind: FaultKind
    message: str
    where: str
    start: int
    end: int
    position: Position
    is_error: bool = True
    suggestion: str = ""

    @property
    def text(self) -> str:
        """The message as the runtime tells it (skill runtime, section 1)."""
        stage = "parse manifest" if self.kind is FaultKind.UNREADABLE else "manifest validation"
        return f"{stage}: {self.message}"


def quoted(text: str) -> str:
    """A text from a manifest for a message: in quotes, at most 60 characters, none of which controls a terminal."""
    shown = text if len(text) <= 60 else text[:59] + "…"
    return '"' + "".join(char if char.isprintable() else "\ufffd" for char in shown) + '"'
