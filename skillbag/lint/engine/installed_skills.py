"""Mark the findings in installed skills, which their authors have to fix in the source.

An installed skill is one in `skillbag.lock` that was not edited since it was installed.
"""

from __future__ import annotations

import contextlib
import os

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.target import LOCK, SKILL_ROOT

_OFFER = ", or run `skillbag check --fix`"
"""The part of a rule's advice that is about `--fix`."""
_WITHIN = f"{os.sep}{SKILL_ROOT}{os.sep}"

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
        self._skills: dict[str, Mapping[str, Locked]] = {}
        self._known: dict[tuple[str, str], bool] = {}

    def holds(self, path: str) -> bool:
        """Whether the absolute path is a file of an installed skill that was not edited."""
        at = path.find(_WITHIN)
        while at >= 0:
            name, inside, _ = path[at + len(_WITHIN) :].partition(os.sep)
            if inside and self._has(path[:at], name):
                return True
            at = path.find(_WITHIN, at + 1)
        return False

    def _has(self, root: str, name: str) -> bool:
        if root not in self._skills:
            self._skills[root] = _locked(root)
        locked = self._skills[root].get(name)
        if locked is None:
            return False
        if (root, name) not in self._known:
            from skillbag.kernel.transaction.trees import state_of

            self._known[root, name] = False
            with contextlib.suppress(OSError):
                tree = state_of(root + _WITHIN + name)
                self._known[root, name] = tree == locked.tree or _was_placed(root, name, tree)
        return self._known[root, name]


def _was_placed(root: str, name: str, tree: str | None) -> bool:
    """Whether a skill that differs from the lock is another version, which nobody edited."""
    from skillbag.kernel.workspace.placed import was_placed

    return tree is not None and was_placed(root, f"{SKILL_ROOT}/{name}", tree)


def _locked(root: str) -> Mapping[str, Locked]:
    """The skills of the lock; none if it can't be used."""
    # Most workspaces have no lock, and need no reader for one.
    if not os.path.lexists(os.path.join(root, LOCK)):
        return {}
    from skillbag.kernel.workspace.lock_file import BadLockError, read_lock

    try:
        lock = read_lock(root)
    except BadLockError:
        return {}
    return lock.skills if lock else {}
