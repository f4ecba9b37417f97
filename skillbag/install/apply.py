"""Carrying a plan out: everything in one transaction, or nothing."""

from __future__ import annotations

from skillbag.base.cancellation import check_stop
from skillbag.install.plan import Act, InstallPlan
from skillbag.transaction.journal import Transaction
from skillbag.workspace.target import SKILL_ROOT


def apply(plan: InstallPlan) -> tuple[str, ...]:
    """Write what the plan says; the paths of the copies that were kept (relative to the root).

    The caller holds the writer lock (`skillbag.transaction.writer.writing`).

    Raises:
        ChangedError: something is not what it was when the plan was made.
        OSError: what the system says; the workspace is as it was.
    """
    check_stop()
    if plan.is_empty:
        return ()
    with Transaction(plan.root) as transaction:
        for step in plan.changes:
            path = f"{SKILL_ROOT}/{step.name}"
            if step.backup:
                transaction.back_up(path)
            if step.act is Act.PUT:
                own = step.fetched is not None and step.fetched.own and step.folder.startswith(f"{step.fetched.root}/")
                transaction.put_folder(path, step.folder, tree=step.tree, expected=step.before, move=own)
            else:
                transaction.remove(path, expected=step.before or "")
        for file in plan.files:
            transaction.put_file(file.path, file.after, expected=file.before)
        return transaction.commit()
