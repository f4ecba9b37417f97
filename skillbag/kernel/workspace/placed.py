"""What was put into a workspace on this machine: the tree hashes of skills and copies, in the user's state folder.

The lock comes with git, and the folders often don't. After a pull, a folder that differs from the lock may be an older
version that nobody edited. This record tells, or, where it is missing (another machine, a workspace that was moved or
copied), what the lock recorded in earlier commits.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import LIMIT
from skillbag.kernel.workspace.target import SKILL_ROOT

Placed = Mapping[str, tuple[str, ...]]
"""By path (relative to the workspace, with `/`) the tree hashes that were put there, the latest first."""

_KEPT = 4
"""Hashes of a path: the present one, which may be written after this record, and those before it."""

_LOCK = "skillbag.lock"
"""As in `lock_file`, whose links ask this module."""


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


def was_placed(root: str, path: str, tree: str) -> bool:
    """Whether a command has put this at the path here, or the lock recorded it in an earlier commit: it is unedited."""
    return tree in placed_trees(root).get(path, ()) or tree in once_locked(root).get(path, ())


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


def once_locked(root: str) -> Placed:
    """What the lock recorded in the last commits of the repository around `root`; nothing without git."""
    from skillbag.kernel.workspace.git_changes import earlier_contents

    found: dict[str, dict[str, None]] = {}
    for text in earlier_contents(root, _LOCK):
        for path, tree in _recorded(text):
            found.setdefault(path, {})[tree] = None
    return {path: tuple(trees) for path, trees in found.items()}


def _recorded(lock: bytes) -> Iterator[tuple[str, str]]:
    """The paths of the skills and copies in a lock, which may be of any version or damaged, with their tree hashes."""
    try:
        values = json.loads(lock)
    except (ValueError, RecursionError):
        return
    match values:
        case {"skills": dict(skills)}:
            for name, locked in skills.items():
                if isinstance(locked, dict) and isinstance(locked.get("tree"), str):
                    yield f"{values.get('home', SKILL_ROOT)}/{name}", locked["tree"]
    match values:
        case {"links": {"made": dict(made)}}:
            yield from ((path, tree) for path, tree in made.items() if isinstance(tree, str))


def _file(root: str) -> str:
    """Named after the real path, so that a workspace has one record under all its paths."""
    return os.path.join(state_folder(), "placed", f"{short_hash(os.path.realpath(root))}.json")
