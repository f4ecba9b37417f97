"""Which parts of a target changed: skills as a whole, and single files outside of skills."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.git_changes import GitChanges
from skillbag.kernel.workspace.kinds import skill_file


def changes_around(paths: Iterable[str], ask: Callable[[str], GitChanges]) -> tuple[GitChanges, ...]:
    """What changed in each repository around these absolute paths; `ask` is given a folder in one of them.

    Raises:
        NoChangesKnownError: one of them is in no repository, or git can't say.
    """
    folders = dict.fromkeys(path if os.path.isdir(path) else os.path.dirname(path) for path in paths)
    found = {changes.top: changes for changes in map(ask, folders)}
    return tuple(found.values())


class ChangedParts:
    """The changed skills, and the changed files outside of skills."""

    def __init__(self, changes: Iterable[GitChanges]) -> None:
        self._known: dict[str, str] = {}
        self._real: dict[str, str] = {}
        changes = tuple(changes)
        self._folders = tuple(folder for each in changes for folder in each.folders)
        self._parts = {self._part(path) for each in changes for path in each.files}

    def holds(self, path: str) -> bool:
        """Whether an absolute path is in a changed part."""
        place = self._place(path)
        return self._part(place) in self._parts or any(
            place == folder or place.startswith(folder + os.sep) for folder in self._folders
        )

    def _place(self, path: str) -> str:
        """The path in its real folder; it may be missing itself."""
        folder, name = os.path.split(path)
        if folder not in self._real:
            self._real[folder] = tracked.real(folder)
        return os.path.join(self._real[folder], name)

    def _part(self, path: str) -> str:
        """The folder of the outermost skill that a path is or belongs to; without one the path itself."""
        return self._skill(path) or path

    def _skill(self, folder: str) -> str:
        """The outermost skill at or around a folder; empty without one."""
        unknown: list[str] = []
        while folder not in self._known and (not unknown or folder != unknown[-1]):
            unknown.append(folder)
            folder = os.path.dirname(folder)
        outer = self._known.get(folder, "")
        for each in reversed(unknown):
            outer = self._known[each] = outer or (each if skill_file(each) else "")
        return outer


def only_changed(
    result: CheckResult,
    changes: Iterable[GitChanges],
    earlier: Callable[[ChangedParts, frozenset[str]], Iterable[Finding]],
) -> CheckResult:
    """The result with the findings in what changed, and those elsewhere that were not there before the changes.

    `earlier` gives the findings of before in targets of these roots, at least those outside of the changed parts; it is
    only asked where that matters.
    """
    parts = ChangedParts(changes)
    changed = [parts.holds(finding.path) for finding in result.findings]
    roots = frozenset(f.root for f, is_changed in zip(result.findings, changed, strict=True) if not is_changed)
    if not roots:
        return result
    # Their files have not changed, so that places are the same.
    known = frozenset(finding.identity for finding in earlier(parts, roots))
    rows = zip(result.findings, changed, strict=True)
    return result._replace(findings=tuple(f for f, is_changed in rows if is_changed or f.identity not in known))
