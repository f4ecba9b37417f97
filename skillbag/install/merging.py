"""`--merge`: a skill's local edits and its new version, joined over the version that both come from."""

from __future__ import annotations

import os
from contextlib import ExitStack

from skillbag.install.differing import locked_folder
from skillbag.install.git_texts import Labels
from skillbag.install.merge import merge_folders
from skillbag.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.install.plan import MergedSkill
from skillbag.install.resolve import Chosen
from skillbag.install.state import InstalledState
from skillbag.sources.fetch import Fetcher
from skillbag.sources.folder import check
from skillbag.sources.skill_layout import skill_folder
from skillbag.workspace.target import SKILL_ROOT
from skillbag.workspace.tree_hash import tree_hash


def merge_skill(
    state: InstalledState, chosen: Chosen, markers: bool, fetcher: Fetcher, held: ExitStack
) -> MergedSkill | None:
    """The joined skill, whose folder goes when `held` is closed; None where the source has nothing newer.

    Raises:
        StoppedError: both sides changed the same place and no markers are wanted, or there is no common version.
    """
    import tempfile

    name, locked = chosen.name, state.locked(chosen.name)
    if locked is None or chosen.fetched is None:
        message = f"{name}: it is your own, so there is no version that both sides come from"
        raise StoppedError(
            Problem(ProblemKind.QUESTION, message, fix=f"--overwrite {name} takes the source's and keeps a copy.")
        )
    theirs = skill_folder(chosen.fetched, name)
    if tree_hash(theirs) == locked.tree:
        return None
    base = locked_folder(state, name, locked, fetcher)
    top = held.enter_context(tempfile.TemporaryDirectory(prefix="skillbag-merge-"))
    folder = os.path.join(top, SKILL_ROOT, name)
    os.mkdir(os.path.dirname(folder))
    labels = Labels(theirs=f"upstream {(chosen.fetched.resolved or '')[:10]}".rstrip())
    merged = merge_folders(base, state.folder(name), theirs, folder, labels=labels, markers=markers)
    if merged.conflicts and not markers:
        raise StoppedError(*(_conflict(name, conflict.path, conflict.why) for conflict in merged.conflicts))
    # Each side's links were looked at, but not what they are together.
    check(top)
    return MergedSkill(folder, tuple(conflict.path for conflict in merged.conflicts))


def _conflict(name: str, path: str, why: str) -> Problem:
    return Problem(
        ProblemKind.QUESTION,
        f"{name}: {why}",
        path=f"{SKILL_ROOT}/{name}/{path}",
        clause="resolution.local-edits",
        fix="--markers writes both sides into the file, marked; or mend it by hand and merge again.",
    )
