"""Plans: what to create or insert, decided before anything is written."""

from __future__ import annotations

import os
from dataclasses import dataclass

from skillbag.bootstrap.actions import Act, Action
from skillbag.bootstrap.existing import CannotInitError, find
from skillbag.fs.batch import Batch

_EXECUTABLE = 0o755


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
                if action.executable:
                    batch.chmod(path, _EXECUTABLE)
            except FileExistsError as error:
                raise CannotInitError(f"{action.path}: it has just been created; run the command again") from error
