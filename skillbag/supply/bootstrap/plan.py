"""Plans: what to create or insert, decided before anything is written. Nothing is replaced or deleted."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.documents.source import Document
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import CHECKED_FOLDER, ChangedError, Notice
from skillbag.kernel.transaction.writer import writing
from skillbag.supply.bootstrap.existing import CannotInitError, find

_EXECUTABLE = 0o755


@dataclass(frozen=True, slots=True)
class SetupPlan:
    """The actions for the folder `root` (absolute), in the order in which they are applied."""

    root: str
    actions: tuple[Action, ...]

    @property
    def changes(self) -> tuple[Action, ...]:
        """The actions that write; none when everything is in place."""
        return tuple(action for action in self.actions if action.act is not ActionKind.KEEP)

    def __str__(self) -> str:
        """A line for each action, and the lines that go into existing files."""
        lines = []
        for action in self.actions:
            lines.append(f"{action.act.value:<6}  {action.path}  ({action.why})\n")
            added = action.data.decode("utf-8") if action.act in (ActionKind.APPEND, ActionKind.INSERT) else ""
            lines += [f"        + {line}\n" for line in added.splitlines() if line.strip()]
        return "".join(lines)


@contextlib.contextmanager
def planning(root: str, notice: Notice | None = None) -> Iterator[None]:
    """Exclude other writers of `root` within the block, so that a plan that is made there holds when it is written.

    Raises as `skillbag.kernel.transaction.writer.writing`.
    """

    def waiting() -> None:
        if notice:
            notice(f"{root}: waiting for another process that is changing this folder…")

    with writing(root, on_wait=waiting, notice=notice, locations=CHECKED_FOLDER):
        yield


def apply(plan: SetupPlan) -> None:
    """As `write`, while other writers are excluded."""
    with planning(plan.root):
        write(plan)


def write(plan: SetupPlan) -> None:
    """Write what the plan says, all of it or nothing, within `planning`.

    Raises:
        CannotInitError: a file has changed since the plan was made.
        OSError: a file can't be written.
    """
    made = _make_root(plan.root)
    try:
        root = os.path.realpath(plan.root)
        with Transaction(root, CHECKED_FOLDER) as change:
            for path, file in _files(root, plan.changes).items():
                change.put_file(path, file.after, expected=file.before, mode=file.mode)
            change.commit()
    except BaseException as error:
        with contextlib.suppress(OSError):
            for folder in made:
                os.rmdir(folder)
        if isinstance(error, ChangedError):
            raise _changed(error.filename) from error
        raise


def _make_root(root: str) -> list[str]:
    """Make the missing folder and those above it; what was made, the innermost first."""
    missing, folder = [], root
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    os.makedirs(root, exist_ok=True)
    return missing


class _File(NamedTuple):
    """A file before (None: there is none) and after the actions."""

    before: bytes | None
    after: bytes
    mode: int | None


def _files(root: str, actions: Iterable[Action]) -> dict[str, _File]:
    """What the actions make of each file, by its path relative to the root, with `/`; a link within it stays one."""
    files: dict[str, _File] = {}
    for action in actions:
        document = find(root, action.path)
        before = document.raw if document else None
        real = os.path.realpath(os.path.join(root, *action.path.split("/")))
        path = os.path.relpath(real, root).replace(os.sep, "/")
        now = files[path].after if path in files else before
        if now != (None if action.act is ActionKind.CREATE else action.before):
            raise _changed(action.path)
        files[path] = _File(before, action.result, _EXECUTABLE if action.executable else None)
    return files


def _changed(path: str) -> CannotInitError:
    return CannotInitError(f"{path}: it has changed since it was read; run the command again")


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
