"""The kind of a folder by its content: a workspace, a source, a skill, or a root of skills."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import overlaid, read
from skillbag.kernel.workspace.target import AGENTS, ENTRYPOINT, MANIFEST_FILE, SKILL_FILE, SKILL_ROOT, TargetKind
from skillbag.kernel.workspace.tree import PRUNED, is_folder


def kind_at(folder: str) -> TargetKind | None:
    """Whether `folder` is the root of a workspace or of a source (decisions.md, Targets and discovery)."""
    if tracked.exists(os.path.join(folder, ENTRYPOINT)):
        return TargetKind.WORKSPACE
    agents = read(os.path.join(folder, AGENTS), folder)
    if isinstance(agents, bytes):
        # Most commands run in workspaces, which need no sentences.
        from skillbag.kernel.workspace.statements import states_identity

        if states_identity(agents.decode("utf-8", "replace")):
            return TargetKind.SOURCE
    return TargetKind.WORKSPACE if tracked.is_folder(os.path.join(folder, SKILL_ROOT)) else None


def skill_file(folder: str) -> str:
    """The name of the file that makes `folder` a skill: `SKILL.md`, else `SKILL.yaml`; empty where there is none.

    A `SKILL.md` in another case of letters counts: a rule reports it.
    """
    path = os.path.join(folder, SKILL_FILE)
    if overlaid(path) or tracked.exists(path):
        return SKILL_FILE
    try:
        names = tracked.names(folder)
    except OSError:
        return ""
    if any(name.lower() == SKILL_FILE.lower() for name in names):
        return SKILL_FILE
    return MANIFEST_FILE if MANIFEST_FILE in names else ""


def roots_in(folder: str) -> Iterator[str]:
    """`folder` itself if it holds skills, and its folders that only group skills."""
    folders = folders_in(folder)
    if any(map(skill_file, folders)):
        yield folder
    for path in folders:
        if not skill_file(path) and not tracked.is_link(path) and any(map(skill_file, folders_in(path))):
            yield path


def folders_in(folder: str) -> list[str]:
    """The folders in `folder`, links to folders among them, in order."""
    try:
        children = tracked.entries(folder)
        return sorted(child.path for child in children if child.name not in PRUNED and is_folder(child))
    except OSError:
        return []


def holder_of(skills_root: str) -> str | None:
    """The folder that a plain tree belongs to: the parent of `skills/`, or of an agent's hidden folder around it."""
    folder, depth = skills_root, 0
    # `skills/.curated` and `skills/writing` are roots within a root.
    while os.path.basename(folder) != "skills":
        folder, depth = os.path.dirname(folder), depth + 1
        if depth > 2 or os.path.dirname(folder) == folder:
            return None
    holder = os.path.dirname(folder)
    return os.path.dirname(holder) if os.path.basename(holder).startswith(".") else holder


def file_among(names: frozenset[str]) -> str:
    """The file that makes a skill of a folder with these names; a `SKILL.md` in other letters only if it is alone."""
    if SKILL_FILE in names:
        return SKILL_FILE
    if MANIFEST_FILE in names:
        return MANIFEST_FILE
    if "/skill.md/" not in f"/{'/'.join(names)}/".lower():
        return ""
    return min(name for name in names if name.lower() == SKILL_FILE.lower())
