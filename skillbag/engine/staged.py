"""What a result says of the next commit: of the skills that it touches, and of the whole that they are part of."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache

from skillbag.base.errors import UserError
from skillbag.model.findings import Finding
from skillbag.model.result import Result
from skillbag.rules.model import load_rules
from skillbag.workspace import git
from skillbag.workspace.target import SKILL_FILE

_BETWEEN_SKILLS = ("colliding-skills", "dependency-cycle", "dependency-unmet", "same-name")
"""Predicates that find in one skill what a change of another has done."""


class NothingStagedError(UserError):
    """The paths lie in no repository, so that nothing can be staged."""


def staged_files(paths: Iterable[str]) -> frozenset[str]:
    """The real paths of all that is staged in the repositories around these absolute paths.

    Raises:
        NothingStagedError: one of them lies in none.
    """
    found: set[str] = set()
    for path in paths:
        files = git.staged(path if os.path.isdir(path) else os.path.dirname(path))
        if files is None:
            raise NothingStagedError(f"{path}: --staged needs a git repository around it, and git itself")
        found.update(map(_real, files))
    return frozenset(found)


def only_staged(result: Result, staged: frozenset[str]) -> Result:
    """The result without the findings on skills of which nothing is staged.

    What is about the target as a whole stays: its own files, and how skills depend on each other.
    """
    between = {rule.id for rule in load_rules() if rule.predicate.name in _BETWEEN_SKILLS}
    touched = {_part(path) for path in staged}

    def counts(finding: Finding) -> bool:
        path = _real(finding.path)
        return finding.rule in between or _part(path) in (path, *touched)

    return result._replace(findings=tuple(filter(counts, result.findings)))


@cache
def _part(path: str) -> str:
    """The folder of the skill that a path belongs to, the outermost where they nest; without one the path itself."""
    part, folder = path, os.path.dirname(path)
    while True:
        if _holds_skill(folder):
            part = folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return part
        folder = parent


@cache
def _holds_skill(folder: str) -> bool:
    try:
        return any(name.lower() == SKILL_FILE.lower() for name in os.listdir(folder))
    except OSError:
        return False


def _real(path: str) -> str:
    # What is deleted has a real folder still, or had one.
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
