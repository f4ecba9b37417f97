"""Plans: what to create or insert, decided before anything is written.

An action creates a file or inserts bytes into one. None replaces or deletes, so existing content can't be lost.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.documents.source import Document, DocumentProblem, decode, read_document
from skillbag.fs.batch import Batch
from skillbag.fs.read import LIMIT, is_within


class CannotInitError(UserError):
    """The request can't be carried out here; the message says why and what to do."""


class Act(StrEnum):
    """What an action does to its file."""

    CREATE = "create"
    APPEND = "append"
    INSERT = "insert"
    KEEP = "keep"


class Action(NamedTuple):
    """One step of a plan. `path` is relative to the plan's root, with `/`; `why` is one line for people.

    `data` is what is written: a whole new file, or the bytes that go to offset `at` of the file whose bytes were
    `before`. An action of the kind KEEP writes nothing.
    """

    act: Act
    path: str
    why: str
    data: bytes = b""
    at: int = 0
    before: bytes = b""

    @property
    def result(self) -> bytes:
        """The contents of the file afterwards."""
        return self.before[: self.at] + self.data + self.before[self.at :]


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """The actions for the folder `root` (absolute), in the order in which they are applied."""

    root: str
    actions: tuple[Action, ...]

    @property
    def changes(self) -> tuple[Action, ...]:
        """The actions that write; none when everything is in place."""
        return tuple(action for action in self.actions if action.act is not Act.KEEP)

    def __str__(self) -> str:
        """A line for each action, and the lines that go into existing files."""
        lines = []
        for action in self.actions:
            lines.append(f"{action.act.value:<6}  {action.path}  ({action.why})\n")
            added = action.data.decode("utf-8") if action.act in (Act.APPEND, Act.INSERT) else ""
            lines += [f"        + {line}\n" for line in added.splitlines() if line.strip()]
        return "".join(lines)


def find(root: str, path: str) -> Document | None:
    """The text file at `path` (relative, with `/`), or None if it does not exist and can be created.

    Raises:
        CannotInitError: there is a folder, a link that is broken or leaves the root, or a file that is not text; or a
            parent is not a folder.
    """
    names = path.split("/")
    for depth in range(len(names)):
        folder = os.path.join(root, *names[:depth])
        shown = "/".join(names[:depth]) or root
        if not is_within(root, folder):
            raise CannotInitError(f"{shown}: it is a link that leaves {root}")
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise CannotInitError(f"{shown}: a folder is needed here, and this is not one")
    document = read_document(os.path.join(root, *names), root)
    if isinstance(document, Document):
        return document
    if document.kind != "missing":
        raise CannotInitError(f"{path}: {document.detail}")
    return None


def refusal(path: str, reason: str, entry: str) -> CannotInitError:
    """The error for a file of an unknown shape, with the text to add."""
    return CannotInitError(f"{path}: {reason}; nothing was changed. Add this yourself:\n\n{entry}")


def create(path: str, text: str | bytes, why: str) -> Action:
    """A new file with this text."""
    return Action(Act.CREATE, path, why, text.encode("utf-8") if isinstance(text, str) else text)


def keep(path: str, why: str) -> Action:
    """Nothing to do, and why."""
    return Action(Act.KEEP, path, why)


def insert(document: Document, path: str, at: int, text: str, why: str) -> Action:
    """Put `text` (its line ends become the file's) at the offset `at` of the document."""
    added = text.replace("\n", document.newline)
    if at and document.text[at - 1] != "\n":
        added = document.newline + added
    act = Act.APPEND if at == len(document.text) else Act.INSERT
    return Action(act, path, why, added.encode("utf-8"), len(document.encode(document.text[:at])), document.raw)


def append(document: Document, path: str, text: str, why: str, *, gap: bool = False) -> Action:
    """Put `text` at the end of the file; with `gap` after an empty line."""
    ends = document.text.endswith(("\n\n", "\n\r\n")) or not document.text.strip()
    return insert(document, path, len(document.text), "\n" + text if gap and not ends else text, why)


def next_line(text: str, at: int) -> int:
    """The offset at which the line after that of `at` begins, or the end of the text."""
    return text.find("\n", at) + 1 or len(text)


def apply(plan: SetupPlan) -> None:
    """Write what the plan says, each file atomically, and all of it or nothing.

    Raises:
        CannotInitError: a file has changed since the plan was made.
        OSError: a file can't be written.
    """
    with Batch(plan.root) as batch:
        for action in plan.changes:
            document = find(plan.root, action.path)
            expected = None if action.act is Act.CREATE else action.before
            if (document.raw if document else None) != expected:
                raise CannotInitError(f"{action.path}: it has changed since it was read; run the command again")
            path = os.path.join(plan.root, *action.path.split("/"))
            try:
                batch.write(path, action.result, overwrite=action.act is not Act.CREATE)
            except FileExistsError as error:
                raise CannotInitError(f"{action.path}: it has just been created; run the command again") from error


def text_of(name: str, raw: bytes) -> Document:
    """The document of bytes from elsewhere; messages call it `name`.

    Raises:
        CannotInitError: they are not text, or too large for a file.
    """
    if len(raw) > LIMIT:
        raise CannotInitError(f"{name}: it is larger than {LIMIT >> 20} MiB")
    document = decode(name, raw)
    if isinstance(document, DocumentProblem):
        raise CannotInitError(f"{name}: {document.detail}")
    return document
