"""What was put into a workspace on this machine: the tree hashes of skills and copies, in the user's state folder.

The lock comes with git, and the folders often don't. After a pull, a folder that differs from the lock may be an older
version that nobody edited; only this record can tell.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256

from skillbag.base.user_dirs import state_folder
from skillbag.fs.atomic import write_atomic
from skillbag.fs.read import LIMIT

Placed = Mapping[str, tuple[str, ...]]
"""By path (relative to the workspace, with `/`) the tree hashes that were put there, the latest first."""

_KEPT = 4
"""Hashes of a path: the present one, which may be written after this record, and those before it."""


def placed_trees(root: str) -> Placed:
    """What was put into the workspace `root`; a record that is missing or damaged is empty."""
    try:
        with open(_file(root), "rb") as file:
            values = json.loads(file.read(LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    match values:
        case {"version": 1, "trees": dict(trees)}:
            return {path: tuple(map(str, hashes)) for path, hashes in trees.items() if isinstance(hashes, list)}
    return {}


def record_placed(root: str, trees: Mapping[str, str | None]) -> None:
    """Add what is about to be put at each path, and forget the paths that have None.

    Raises:
        OSError: the record can't be written.
    """
    before = placed_trees(root)
    after = dict(before)
    for path, tree in trees.items():
        known = before.get(path, ())
        if tree is None:
            after.pop(path, None)
        elif known[:1] != (tree,):
            after[path] = (tree, *(other for other in known if other != tree))[:_KEPT]
    if after != before:
        data = json.dumps({"version": 1, "trees": after}, indent=1, sort_keys=True)
        write_atomic(_file(root), data.encode("ascii"), root=state_folder(), mode=0o600)


def _file(root: str) -> str:
    """Named after the real path, so that a workspace has one record under all its paths."""
    name = sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
    return os.path.join(state_folder(), "placed", f"{name}.json")
