"""The part of a result that concerns the next commit: its skills, and the target as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

from skillbag.base.errors import UserError
from skillbag.model.findings import Finding
from skillbag.model.result import Result
from skillbag.rules.model import load_core_rules
from skillbag.workspace import git
from skillbag.workspace.kinds import skill_file

_BETWEEN_SKILLS = ("colliding-skills", "dependency-cycle", "dependency-unmet", "same-name")
"""Predicates that report in one skill the effect of a change of another."""


_skill_file = cache(skill_file)


class NothingStagedError(UserError):
    """A path is in no repository."""


def staged_files(paths: Iterable[str]) -> frozenset[str]:
    """The real paths of all staged files in the repositories around these absolute paths.

    Raises:
        NothingStagedError: one of them is in no repository.
    """
    found: set[str] = set()
    for path in paths:
        files = git.staged(path if os.path.isdir(path) else os.path.dirname(path))
        if files is None:
            raise NothingStagedError(f"{path}: --staged needs a git repository around it, and git itself")
        found.update(map(_real, files))
    return frozenset(found)


def only_staged(result: Result, staged: frozenset[str]) -> Result:
    """The result without the findings in skills without staged files; target-level findings stay."""
    between = {rule.id for rule in load_core_rules() if rule.predicate.name in _BETWEEN_SKILLS}
    touched = {_part(path) for path in staged}

    def counts(finding: Finding) -> bool:
        path = _real(finding.path)
        return finding.rule in between or _part(path) in (path, *touched)

    return result._replace(findings=tuple(filter(counts, result.findings)))


@cache
def _part(path: str) -> str:
    """The folder of the outermost skill that a path belongs to; without one the path itself."""
    part, previous, folder = path, path, os.path.dirname(path)
    while folder != previous:
        if _skill_file(folder):
            part = folder
        previous, folder = folder, os.path.dirname(folder)
    return part


def _real(path: str) -> str:
    # The file itself may be deleted.
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
