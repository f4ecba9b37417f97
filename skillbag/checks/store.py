"""`.skillbag/`, where this program keeps what it displaces and what it is about to write."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.fs import tracked
from skillbag.transaction.locations import CHECKED_FOLDER, STORE, WORKSPACE
from skillbag.transaction.store import Phase
from skillbag.workspace import git
from skillbag.workspace.model import Inventory


@Predicate("store-foreign", Subject.INVENTORY, values=("fault", "remedy"), needs="store")
def foreign_store(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """`.skillbag/` that is tracked by git, or holds a journal that no recovery has followed."""
    folder = inventory.workspace.path(STORE)
    for stage in (WORKSPACE.stage, CHECKED_FOLDER.stage):
        for phase in Phase:
            if tracked.exists(os.path.join(folder, stage, phase)):
                fault = f"holds {stage}/{phase}, which says what to write here, and this user has not begun that change"
                yield Match(folder, values={"fault": fault, "remedy": _DELETE.format(stage=stage)})
                return
    if git.is_tracked(folder):
        yield Match(folder, values={"fault": "is tracked by git", "remedy": "Run `git rm -r --cached .skillbag`."})


_DELETE = (
    "If it came with a clone or a download, delete the folder. If another user or version of skillbag was interrupted "
    "here, run that one again, or look at {stage}/old first, which holds the displaced files."
)
