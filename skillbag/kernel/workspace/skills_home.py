"""Where skills are installed: `.skills/` of a workspace, else the folder in which an agent looks for them."""

from __future__ import annotations

import os
from contextlib import suppress

from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.agents import FOLDERS
from skillbag.kernel.workspace.discovery import enclosing_root, upward, workspace_root
from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.lock_file import BadLockError, read_lock
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT, Target, TargetKind, installed

_FIRST = (".claude/skills", ".agents/skills", ".codex/skills", ".github/skills")
_PUBLISHED = "skills"
"""Where authors keep what they publish."""
BY_RANK = (_PUBLISHED, *_FIRST, *sorted(FOLDERS - {*_FIRST, _PUBLISHED}))
"""Folders of skills; the first ones count before others, in which the same skills often are as links or variants."""


def skills_folder(root: str) -> str:
    """The folder of skills, relative to the absolute `root` with `/`: that of an agent only where no workspace is.

    The lock knows it where git does not carry the folder.
    """
    if kind_at(root):
        return SKILL_ROOT
    with suppress(BadLockError):
        lock = read_lock(root)
        if lock and lock.home in BY_RANK and lock.home != _PUBLISHED:
            return lock.home
    return next(iter(agent_folders(root)), SKILL_ROOT)


def installed_at(root: str) -> Target:
    """The workspace at `root`, or the plain skills in the folder of an agent there."""
    folder = skills_folder(root)
    if folder == SKILL_ROOT:
        return installed(TargetKind.WORKSPACE, root)
    return Target(TargetKind.SKILLS, root, (os.path.join(root, *folder.split("/")),))


def skills_root(folder: str, *, make: bool = False) -> str:
    """The root of the workspace around the absolute `folder`, else of the project whose agents have skills there.

    With `make` there is always one: the repository around the folder, or the folder itself, becomes a workspace.

    Raises:
        NoWorkspaceError: there is neither, or it is a source.
    """
    if enclosing_root(folder) is not None:
        return workspace_root(folder)
    around = list(upward(folder, None))
    found = next((root for root in around if agent_folders(root)), None)
    if found is None and make:
        return around[-1] if tracked.exists(os.path.join(around[-1], ".git")) else folder
    return found or workspace_root(folder)


def agent_folders(root: str) -> list[str]:
    """The folders of agents at `root` that hold skills and are no links; the one that most agents read first."""
    paths = {folder: os.path.join(root, *folder.split("/")) for folder in BY_RANK if folder != _PUBLISHED}
    found = [folder for folder, path in paths.items() if _is_own(path)]
    # Other installers leave links in one folder to the skills of another.
    return found if len(found) < 2 else sorted(found, key=lambda folder: not own_skills(paths[folder]))


def own_skills(path: str) -> list[str]:
    """The names of the folders in the absolute `path` that hold a skill and are no links, sorted."""
    return sorted(
        name
        for name in tracked.names(path)
        if not tracked.is_link(os.path.join(path, name)) and tracked.exists(os.path.join(path, name, SKILL_FILE))
    )


def _is_own(path: str) -> bool:
    return tracked.is_folder(path) and not tracked.is_link(path) and not tracked.is_link(os.path.dirname(path))
