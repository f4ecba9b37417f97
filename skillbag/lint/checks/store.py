"""`.skillbag/`, where this program keeps what it displaces and what it is about to write."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from skillbag.kernel.fs import tracked
from skillbag.kernel.transaction.locations import CHECKED_FOLDER, STORE, WORKSPACE
from skillbag.kernel.transaction.store import JournalPhase
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.model import Inventory
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject


@Predicate("store-foreign", Subject.INVENTORY, values=("fault", "remedy"), needs="store")
def foreign_store(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A `.skillbag/` anywhere that is tracked by git, or one that holds a journal that no recovery has followed."""
    folder = inventory.workspace.path(STORE)
    for stage in (WORKSPACE.stage, CHECKED_FOLDER.stage):
        for phase in JournalPhase:
            if tracked.exists(os.path.join(folder, stage, phase)):
                fault = f"holds {stage}/{phase}, which says what to write here, and this user has not begun that change"
                yield Match(folder, values={"fault": fault, "remedy": _DELETE.format(stage=stage)})
                return
    for store in sorted(set(map(_store_of, git.tracked_below(inventory.workspace.root, STORE, _ANYWHERE)))):
        values = {"fault": "is tracked by git", "remedy": f"Run `git rm -r --cached {shlex.quote(store)}`."}
        yield Match(inventory.workspace.path(*store.split("/")), values=values)


def _store_of(path: str) -> str:
    """The folder `.skillbag` in a path that has one."""
    parts = path.split("/")
    return "/".join(parts[: parts.index(STORE) + 1])


_ANYWHERE = (f"**/{STORE}", f"**/{STORE}/**")

_DELETE = (
    "If it came with a clone or a download, delete the folder. If another user or version of skillbag was interrupted "
    "here, run that one again, or look at {stage}/old first, which holds the displaced files."
)
