"""Actions, of which a plan is made: each creates a file or inserts bytes into one.

None replaces or deletes, so existing content can't be lost.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.documents.source import Document


class ActionKind(StrEnum):
    """What an action does to its file."""

    CREATE = "create"
    APPEND = "append"
    INSERT = "insert"
    KEEP = "keep"


class Action(NamedTuple):
    """One step of a plan. `path` is relative to the plan's root, with `/`; `why` is one line for people.

    `data` is what is written: a whole new file, or the bytes that go to offset `at` of the file whose bytes were
    `before`. An action of the kind KEEP writes nothing. A new file may be `executable`.
    """

    act: ActionKind
    path: str
    why: str
    data: bytes = b""
    at: int = 0
    before: bytes = b""
    executable: bool = False

    @property
    def result(self) -> bytes:
        """The contents of the file afterwards."""
        return self.before[: self.at] + self.data + self.before[self.at :]


def create(path: str, text: str | bytes, why: str) -> Action:
    """A new file with this text."""
    return Action(ActionKind.CREATE, path, why, text.encode("utf-8") if isinstance(text, str) else text)


def keep(path: str, why: str) -> Action:
    """Nothing to do, and why."""
    return Action(ActionKind.KEEP, path, why)


def insert(document: Document, path: str, at: int, text: str, why: str) -> Action:
    """Put `text` (its line ends become the file's) at the offset `at` of the document."""
    added = text.replace("\n", document.newline)
    if at and document.text[at - 1] != "\n":
        added = document.newline + added
    act = ActionKind.APPEND if at == len(document.text) else ActionKind.INSERT
    return Action(act, path, why, added.encode("utf-8"), len(document.encode(document.text[:at])), document.raw)


def append(document: Document, path: str, text: str, why: str, *, gap: bool = False) -> Action:
    """Put `text` at the end of the file; with `gap` after an empty line."""
    ends = document.text.endswith(("\n\n", "\n\r\n")) or not document.text.strip()
    return insert(document, path, len(document.text), "\n" + text if gap and not ends else text, why)


def next_line(text: str, at: int) -> int:
    """The offset at which the line after that of `at` begins, or the end of the text."""
    return text.find("\n", at) + 1 or len(text)
