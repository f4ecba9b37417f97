"""`sync`: the catalog rewritten from the installed skills (clause install.catalog)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from skillbag.install.apply import apply
from skillbag.install.outcome import Outcome
from skillbag.install.planner import finished_plan
from skillbag.install.state import InstalledState
from skillbag.transaction.writer import writing


def sync(root: str, *, dry_run: bool = False, wait: float = 60.0, waiting: Callable[[], None] | None = None) -> Outcome:
    """Bring `.skills/SKILLS.md` in line; a catalog that says the same already stays as it is, to the byte.

    `waiting` is called if another writer has to end first.

    Raises:
        OSError: the environment failed; the catalog is as it was.
    """
    with nullcontext() if dry_run else writing(root, wait, waiting):
        state = InstalledState(root)
        plan = finished_plan(state, ())
        if not dry_run:
            apply(plan)
        count = len(state.inventory.catalog_lines())
        message = (
            f"The catalog {'would be' if dry_run else 'is'} rewritten: {count} skills."
            if plan.files
            else "The catalog is in sync."
        )
        return Outcome("sync", root, notes=(message,), changed=tuple(file.path for file in plan.files), dry_run=dry_run)
