"""The trees whose instructions are compared, and which commits they are: exported, compiled, never touched in place."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

RECORD = "benchmarks/results/instructions.json"
"""What was accepted last, by its path in the repository."""
PROGRAM = "skillbag"
"""The package that is counted: its folder in the repository, and its module."""
CHANGELOG = "CHANGELOG.md"
REASON = "- Slower:"
"""How a line of the changelog begins that accepts growth."""


class Before(NamedTuple):
    """A commit that the working tree is compared with, and what it stands for."""

    commit: str
    role: str


def befores(repository: str, against: str = "") -> list[Before]:
    """The commits to compare with: what was asked for, else the commit before and that of the last acceptance.

    The first tells of a sudden change, the second of one that crept in over several commits. An acceptance that the
    latest commit itself brings is what has to be judged, so it doesn't count; a tree that differs from its commit
    stands for a commit to come.

    Raises:
        ValueError: there is no commit of the name that was asked for.
    """
    if against:
        commit = _resolved(repository, against)
        if commit is None:
            raise ValueError(f"there is no commit {against}")
        return [Before(commit, against)]
    changed = _git(repository, "status", "--porcelain", "--", PROGRAM, CHANGELOG, RECORD)
    before = _resolved(repository, "HEAD" if changed else "HEAD~1")
    if before is None:
        return []
    accepted = _git(repository, "log", "-1", "--format=%H", before, "--", RECORD)
    found = [Before(before, "the commit before")]
    return found if accepted in ("", before) else [*found, Before(accepted, "last accepted")]


def export(repository: str, commit: str, folder: str) -> None:
    """Write the files of a commit into the new folder, and compile the program."""
    os.makedirs(folder)
    archive = subprocess.run(["git", "-C", repository, "archive", commit], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    _compile(folder)


def copy(repository: str, folder: str) -> None:
    """Write the files of the working tree that git doesn't ignore into the new folder, and compile the program."""
    names = _git(repository, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, names.split("\0")):
        source, target = os.path.join(repository, name), os.path.join(folder, name)
        if os.path.lexists(source) and not os.path.isdir(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    _compile(folder)


def reasons(old: str, new: str) -> list[str]:
    """The lines of the changelog of the tree `new` that accept growth and are not in that of the tree `old`."""
    known = set(_lines(old))
    return [line for line in _lines(new) if line.startswith(REASON) and line not in known]


def _lines(tree: str) -> list[str]:
    try:
        with open(os.path.join(tree, CHANGELOG), encoding="utf-8") as handle:
            return [line.rstrip() for line in handle]
    except FileNotFoundError:
        return []


def _compile(folder: str) -> None:
    # Byte code that is used as it is: its age is no reason to compile again.
    options = ("-q", "--invalidation-mode", "unchecked-hash")
    subprocess.run([sys.executable, "-m", "compileall", *options, os.path.join(folder, PROGRAM)], check=False)


def _resolved(repository: str, name: str) -> str | None:
    return _git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", check=False) or None


def _git(repository: str, *arguments: str, check: bool = True) -> str:
    command = ["git", "-C", repository, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=check).stdout.strip("\n")
