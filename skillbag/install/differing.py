"""`diff`: the local edits of a skill as a patch, or what its source offers now."""

from __future__ import annotations

from skillbag.base.errors import UserError
from skillbag.install.difference import compare, unified
from skillbag.install.fetch_problems import fetch_or_stop
from skillbag.install.outcome import (
    Outcome,
    Problem,
    ProblemKind,
    SkillRow,
    Status,
    StoppedError,
)
from skillbag.install.state import InstalledState
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import FetchSpec
from skillbag.sources.skill_layout import find_skill
from skillbag.workspace.lock_file import LOCK, Locked
from skillbag.workspace.target import SKILL_ROOT
from skillbag.workspace.tree_hash import tree_hash


def diff_skill(root: str, name: str, upstream: bool, fetcher: Fetcher) -> Outcome:
    """What was installed against what is on the disk; with `upstream`, what is on the disk against the source's newest.

    Raises:
        UserError: the lock does not know the skill.
        OSError: a file can't be read.
    """
    state = InstalledState(root)
    locked = state.locked(name)
    if locked is None:
        raise UserError(
            f"{name}: {LOCK} does not know it, so there is nothing to compare with; skillbag list shows what it knows"
        )
    ours = state.folder(name) if state.is_present(name) else None
    try:
        other = locked_folder(state, name, locked, fetcher, newest=upstream)
    except StoppedError as stopped:
        return Outcome("diff", root, problems=stopped.problems)
    before, after = (ours, other) if upstream else (other, ours)
    differences = compare(before, after)
    text = unified(differences, f"a/{SKILL_ROOT}/{name}", f"b/{SKILL_ROOT}/{name}")
    status = Status.MISSING if ours is None else Status.EDITED if differences else Status.CURRENT
    row = SkillRow(name, status, locked.source, locked.requested, locked.resolved, tree=state.tree(name))
    return Outcome("diff", root, (row,), text=text, values={"files": len(differences)})


def locked_folder(state: InstalledState, name: str, locked: Locked, fetcher: Fetcher, *, newest: bool = False) -> str:
    """The skill's folder as its source gives it: at the locked commit or archive, or as the version means now.

    Raises:
        StoppedError: it can't be had, or is not what the lock recorded.
    """
    fetched = fetch_or_stop(
        fetcher, FetchSpec(state.source_of(name), locked.requested, None if newest else locked.resolved)
    )
    folder = find_skill(fetched, name)
    if folder is None:
        raise StoppedError(
            Problem(ProblemKind.DRIFT, f"{name}: the source does not hold it any more", source=locked.source)
        )
    if not newest and tree_hash(folder) != locked.tree:
        raise StoppedError(
            Problem(
                ProblemKind.DRIFT,
                f"{name}: its source does not hold what {LOCK} says: it has changed since, {LOCK} was edited, or one "
                "of them was tampered with; what was installed is kept nowhere",
                source=locked.source,
                fix="--upstream compares with what the source holds now.",
            )
        )
    return folder
