"""Plans: what is to be created or inserted, decided before anything is written.

An action creates a file or inserts bytes into one; there is none that replaces or deletes, so nothing that stands in a
workspace can be lost.
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
    """What was asked for can't be set up here; the message says why and what to do."""


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
        """What the file holds afterwards."""
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
        return "".join(map(_shown, self.actions))


def _shown(action: Action) -> str:
    """One line, and the lines that go into a file that is there; a new file is told by its name alone."""
    shown = f"{action.act.value:<6}  {action.path}  ({action.why})\n"
    added = action.data.decode("utf-8") if action.act in (Act.APPEND, Act.INSERT) else ""
    return shown + "".join(f"        + {line}\n" for line in added.splitlines() if line.strip())


def find(root: str, path: str) -> Document | None:
    """The text file at `path` (relative, with `/`), or None where nothing is in the way of creating it.

    Raises:
        CannotInitError: something stands there that can't be kept and completed: a folder, a link that leaves the
            root or leads nowhere, a file that is not text; or a parent is not a folder.
    """
    full = os.path.join(root, *path.split("/"))
    _check_parents(root, path)
    document = read_document(full, root)
    if isinstance(document, Document):
        return document
    if document.kind != "missing":
        raise CannotInitError(f"{path}: {document.detail}")
    return None


def _check_parents(root: str, path: str) -> None:
    names = path.split("/")[:-1]
    for depth in range(len(names) + 1):
        folder = os.path.join(root, *names[:depth])
        shown = "/".join(names[:depth]) or root
        if not is_within(root, folder):
            raise CannotInitError(f"{shown}: it is a link that leaves {root}")
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise CannotInitError(f"{shown}: a folder is needed here, and something else stands in its place")


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
    """Put `text` after what the file holds; with `gap` an empty line comes between."""
    ends = document.text.endswith(("\n\n", "\n\r\n")) or not document.text.strip()
    return insert(document, path, len(document.text), "\n" + text if gap and not ends else text, why)


def apply(plan: SetupPlan) -> None:
    """Write what the plan says, each file atomically, and all of it or nothing.

    Raises:
        CannotInitError: a file is not what it was when the plan was made.
        OSError: what the system says.
    """
    with Batch(plan.root) as batch:
        for action in plan.changes:
            _write(plan.root, action, batch)


def _unchanged(root: str, action: Action) -> None:
    found = find(root, action.path)
    expected = None if action.act is Act.CREATE else action.before
    if (found.raw if found else None) != expected:
        raise CannotInitError(f"{action.path}: it has changed since it was looked at; run the command again")


def _write(root: str, action: Action, batch: Batch) -> None:
    _unchanged(root, action)
    path = os.path.join(root, *action.path.split("/"))
    try:
        batch.write(path, action.result, overwrite=action.act is not Act.CREATE)
    except FileExistsError as error:
        raise CannotInitError(f"{action.path}: it has just appeared; run the command again") from error


def text_of(name: str, raw: bytes) -> Document:
    """The document of bytes that come from elsewhere; `name` stands for them in the message.

    Raises:
        CannotInitError: they are not text, or more than a file may hold.
    """
    if len(raw) > LIMIT:
        raise CannotInitError(f"{name}: it is larger than {LIMIT >> 20} MiB")
    document = decode(name, raw)
    if isinstance(document, DocumentProblem):
        raise CannotInitError(f"{name}: {document.detail}")
    return document
