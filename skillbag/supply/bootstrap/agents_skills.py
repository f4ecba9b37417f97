"""Skills in the folders of agents: `skillbag init --move` moves them to `.skills/`, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.agents import AGENTS
from skillbag.kernel.workspace.skills_home import agent_folders, own_skills
from skillbag.kernel.workspace.target import SKILL_ROOT, is_skill_name
from skillbag.kernel.workspace.tree_hash import tree_hash


def skills_of_agents(root: str) -> Mapping[str, list[str]]:
    """The skills in each folder of an agent at the absolute `root`, without links."""
    found = {folder: own_skills(os.path.join(root, *folder.split("/"))) for folder in agent_folders(root)}
    return {folder: names for folder, names in found.items() if names}


def agents_of(folders: Mapping[str, list[str]]) -> list[str]:
    """An agent for each of the folders, which links are made for."""
    by_folder = {agent.folder: name for name, agent in reversed(AGENTS.items())}
    return [by_folder[folder] for folder in folders]


def move_skills(root: str, *, dry_run: bool = False) -> tuple[list[str], list[str]]:
    """Move the skills to `.skills/`: the paths (relative, with `/`) that were moved, and those that stay.

    A skill stays if another one has its name, or it has no valid name. Of equal ones a single one is left.

    Raises:
        OSError: the system refused; everything is as it was.
    """
    moves: dict[str, str] = {}
    left: list[str] = []
    trees: dict[str, str] = {}
    for folder, names in skills_of_agents(root).items():
        for name in names:
            path, there = f"{folder}/{name}", f"{root}/{SKILL_ROOT}/{name}"
            if os.path.lexists(there) and name not in trees:
                trees[name] = "" if os.path.islink(there) else tree_hash(there)
            tree = tree_hash(f"{root}/{path}")
            if is_skill_name(name) and trees.get(name, tree) == tree:
                moves[path] = trees[name] = tree
            else:
                left.append(path)
    if moves and not dry_run:
        _move(root, moves)
    return [*moves], left


def _move(root: str, moves: Mapping[str, str]) -> None:
    with writing(root), Transaction(root) as change:
        put = set()
        for path, tree in moves.items():
            to = f"{SKILL_ROOT}/{path.rpartition('/')[2]}"
            if to not in put and not os.path.lexists(f"{root}/{to}"):
                change.put_folder(to, f"{root}/{path}", tree=tree, expected=None)
            put.add(to)
            change.remove(path, expected=tree)
        change.commit()
