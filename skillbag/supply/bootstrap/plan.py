"""Plans: what to create or insert, decided before anything is written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from skillbag.kernel.transaction.errors import ChangedError
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import CHECKED_FOLDER, Notice
from skillbag.kernel.transaction.writer import writing
from skillbag.supply.bootstrap.actions import Action, ActionKind
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
