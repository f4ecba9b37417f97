"""What is around the files of `init`: skills that need no workspace, and the repository of hooks and workflows."""

from __future__ import annotations

import os

from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets
from skillbag.kernel.workspace.git import repository
from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.searching import TargetSearch
from skillbag.kernel.workspace.target import TargetKind
from skillbag.supply.bootstrap.existing import CannotInitError


def is_checked_without(root: str) -> bool:
    """Whether `skillbag check` finds something in the folder `root` (absolute) though it is no workspace: plain
    skills, a source, workspaces below it.

    Raises:
        CannotInitError: there are skills, and all of them are where a check does not look.
    """
    if not os.path.isdir(root) or kind_at(root) is TargetKind.WORKSPACE:
        return False
    try:
        return bool(find_targets((root,), top=root))
    except NothingToCheckError:
        skills = sorted(TargetSearch(root, None, None).skills)
    if skills:
        raise CannotInitError(
            f"skillbag check would not find the skills here, such as {os.path.relpath(skills[0], root)}: their folders "
            "are hidden, ignored by git, or for tests and samples. Nothing was written. Move them, or write the file "
            "by hand, with their folders as arguments of skillbag check"
        )
    return False


def need_top(root: str, option: str, reader: str) -> None:
    """Refuse a file that nobody would read: `reader` looks for it at the top of the repository only.

    Raises:
        CannotInitError: the folder `root` (absolute) is below the top of its repository.
    """
    top = repository(root)
    if top is not None and os.path.realpath(top) != os.path.realpath(root):
        raise CannotInitError(
            f"{option}: {reader} only reads the file at the top of the repository; nothing was written. "
            f"Name the top: skillbag init {option} {top}. That checks all skills and workspaces below it; a new "
            f"workspace here is made first, by skillbag init without {option}"
        )
