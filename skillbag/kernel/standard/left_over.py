"""Skills that were installed here and that the lock has lost, for example because a colleague removed them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from skillbag.kernel.fs.tracked import is_link
from skillbag.kernel.standard.declarations import BadContextError, read_declarations, skill_wants
from skillbag.kernel.workspace.lock_file import BadLockError, Lock
from skillbag.kernel.workspace.model import Inventory, Workspace
from skillbag.kernel.workspace.placed import once_locked, placed_trees
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.kernel.workspace.tree_hash import tree_hash


def catalog_lines(inventory: Inventory) -> list[tuple[str, str]]:
    """The lines that the catalog should have; what the lock and the catalog have lost gets none again."""
    lines, listed = inventory.catalog_lines(), inventory.listed
    lost = left_over(inventory) if any(name not in listed for name, _ in lines) else frozenset()
    return [(name, line) for name, line in lines if name in listed or name not in lost]


def is_known(workspace: Workspace) -> bool:
    """Whether the lock and the declarations, which tell what is left over, can be read."""
    try:
        read_declarations(workspace)
    except BadContextError:
        return False
    return not isinstance(workspace.lock, BadLockError)


def left_over(inventory: Inventory) -> frozenset[str]:
    """The skills that a command put here and nobody edited, and that no lock, declaration or other skill asks for.

    What can't be read counts as empty (`is_known`), so that no line is written in a merge conflict. There is
    none without a lock: the lock itself may be what is missing.
    """
    lock = inventory.workspace.lock
    if lock is None:
        return frozenset()
    locked = {name: skill.tree for name, skill in lock.skills.items()} if isinstance(lock, Lock) else {}
    pending: list[str] = []
    with contextlib.suppress(BadContextError):
        pending += [wanted.name for wanted in read_declarations(inventory.workspace).dependencies]
    others = {card.folder for card in inventory.cards} - {*locked, BOOTSTRAP_SKILL}
    found = set(_unedited(inventory, others))
    needs = {card.folder: [wanted.name for wanted in skill_wants(card)] for card in inventory.cards}
    for name, needed in needs.items():
        # What an older version of a locked skill needs, the locked one may not.
        if name not in found and not found.isdisjoint(needed) and locked.get(name) in (None, _tree(inventory, name)):
            pending += needed
    while pending:
        if (name := pending.pop()) in found:
            found.remove(name)
            pending += needs[name]
    return frozenset(found)


def _unedited(inventory: Inventory, names: set[str]) -> Iterator[str]:
    """Those of the skills that are as they once were installed.

    The history of the lock counts for skills without a line only: one that was adopted since has its line.
    """
    home = os.path.relpath(inventory.workspace.target.skill_roots[0], inventory.workspace.root).replace(os.sep, "/")
    root, unlisted = inventory.workspace.root, names - inventory.listed
    placed, once = placed_trees(root), once_locked(root) if unlisted else {}
    for name in names:
        path = f"{home}/{name}"
        trees = (*placed.get(path, ()), *(once.get(path, ()) if name in unlisted else ()))
        if trees and _tree(inventory, name) in trees:
            yield name


def _tree(inventory: Inventory, name: str) -> str | None:
    """The tree hash of a skill; None of a link, or if it can't be read."""
    folder = os.path.join(inventory.workspace.target.skill_roots[0], name)
    with contextlib.suppress(OSError):
        return None if is_link(folder) else tree_hash(folder, others=True)
    return None
