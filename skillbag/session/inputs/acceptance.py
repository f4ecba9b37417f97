"""Which errors about security in a skill the user has accepted: in the lock, or on this machine. Both hold for one
content of the skill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import LIMIT
from skillbag.kernel.workspace.lock_file import BadLockError, read_lock
from skillbag.kernel.workspace.tree_hash import tree_hash


def accepted_rules(name: str, folder: str, root: str | None) -> frozenset[str]:
    """The accepted rules of the skill in the absolute `folder`; `root` is the workspace whose lock counts.

    What can't be read accepts nothing.
    """
    try:
        tree = tree_hash(folder, others=True)
        rules = _read(_file(tree))
        locked = (lock := read_lock(root)) and lock.skills.get(name) if root else None
    except (OSError, BadLockError):
        return frozenset()
    return frozenset(rules).union((locked.accepted or ()) if locked and locked.tree == tree else ())


def accept_rules(folder: str, rules: Iterable[str]) -> None:
    """Record that the user accepts the errors of these rules in the skill with the content of the absolute `folder`.

    Raises:
        OSError: it can't be read, or the record can't be written.
    """
    path = _file(tree_hash(folder, others=True))
    data = json.dumps(sorted({*_read(path), *rules}))
    write_atomic(path, data.encode("ascii"), root=state_folder(), mode=0o600)


def _file(tree: str) -> str:
    return os.path.join(state_folder(), "accepted-rules", f"{short_hash(tree)}.json")


def _read(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            rules = json.loads(file.read(LIMIT))
    except (OSError, ValueError, RecursionError):
        return []
    return [rule for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []
