"""Mark the findings in installed skills, which their authors have to fix in the source.

An installed skill is one in `skillbag.lock` that was not edited since it was installed.
"""

from __future__ import annotations

import contextlib
import os
import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.target import LOCK

_OFFER = ", or run `skillbag check --fix`"
"""The part of a rule's advice that is about `--fix`."""
_SEPARATOR = late(re.escape(os.sep))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillbag.kernel.workspace.lock_file import Locked


def with_installed(result: CheckResult) -> CheckResult:
    """The result with each finding in an installed skill marked, and without edits of files of such skills."""
    installed = _Installed()
    return result._replace(findings=tuple([_marked(finding, installed) for finding in result.findings]))


def _marked(finding: Finding, installed: _Installed) -> Finding:
    is_installed = installed.holds(finding.path)
    edits = finding.edits and tuple(edit for edit in finding.edits if not installed.holds(edit.path))
    if not is_installed and len(edits) == len(finding.edits):
        return finding
    fix = finding.fix
    if fix is not None and not edits:
        advice, offer, _ = fix.partition(_OFFER)
        fix = f"{advice}; that is for its source to do." if offer else fix
    return finding._replace(fix=fix, edits=edits, installed=is_installed)


class _Installed:
    """The installed skills around the queried paths; each skill is hashed at most once."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[str, Mapping[str, Locked]]] = {}
        self._known: dict[str, bool] = {}

    def holds(self, path: str) -> bool:
        """Whether the absolute path is a file of an installed skill that was not edited."""
        return any(self._has(path[: part.start()], path) for part in _SEPARATOR().finditer(path))

    def _has(self, root: str, path: str) -> bool:
        if root not in self._locks:
            self._locks[root] = _locked(root + os.sep)
        home, skills = self._locks[root]
        name, inside, _ = path.removeprefix(within := f"{root}/{home}/".replace("/", os.sep)).partition(os.sep)
        locked = skills.get(name)
        if locked is None or not inside or not path.startswith(within):
            return False
        if within + name not in self._known:
            from skillbag.kernel.transaction.trees import state_of

            self._known[within + name] = False
            with contextlib.suppress(OSError):
                tree = state_of(within + name)
                self._known[within + name] = tree == locked.tree or _was_placed(root, f"{home}/{name}", tree)
        return self._known[within + name]


def _was_placed(root: str, path: str, tree: str | None) -> bool:
    """Whether a skill that differs from the lock is another version, which nobody edited."""
    from skillbag.kernel.workspace.placed import was_placed

    return tree is not None and was_placed(root, path, tree)


def _locked(root: str) -> tuple[str, Mapping[str, Locked]]:
    """The folder of the skills of the lock, and these; none if it can't be used."""
    # Most workspaces have no lock, and need no reader for one.
    if not os.path.lexists(os.path.join(root, LOCK)):
        return "", {}
    from skillbag.kernel.workspace.lock_file import BadLockError, read_lock
    from skillbag.kernel.workspace.skills_home import skills_folder

    try:
        lock = read_lock(root)
    except BadLockError:
        return "", {}
    return skills_folder(root), lock.skills if lock else {}
