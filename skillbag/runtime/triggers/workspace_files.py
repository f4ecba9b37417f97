"""The files of a workspace, as git sees them (skill runtime, section 3)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.kernel.processes.bounded import CommandLimits, CommandLine, Excess, run_bounded
from skillbag.kernel.processes.output_capture import OutputLimit
from skillbag.kernel.workspace.tree import FILE, LINK, list_tree

MAX_FILES = 20_000
"""Files that are taken of a workspace; the others trigger nothing."""

_SECONDS = 10.0
"""Seconds that git may take."""

_OUTPUT = OutputLimit(first=16 << 20, last=0, ends=True)
_ERRORS = OutputLimit(first=4096, last=0)

# `-t` marks deleted files (R) and those outside of a sparse checkout (S). fsmonitor would run a program that the
# repository's own configuration names.
_LIST = ("-c", "core.fsmonitor=false", "ls-files", "-z", "-t", "-c", "-o", "-d", "--exclude-standard")
_ABSENT = frozenset("RS")


class WorkspaceFiles(NamedTuple):
    """Relative paths with `/`, sorted. `complete` is False if there are more than `MAX_FILES`."""

    paths: tuple[str, ...]
    complete: bool


def list_files(root: str) -> WorkspaceFiles:
    """The files of the workspace at the absolute `root`: tracked, or new and not ignored.

    Without git, outside of a repository, and where git ignores everything, they are all files but those in folders that
    are never entered (`kernel/workspace/tree.py`).
    """
    return _of_git(root) or _of_disk(root)


def _of_git(root: str) -> WorkspaceFiles | None:
    """What git lists; None if it fails or lists nothing."""
    from skillbag.supply.sources.git_command import silent_environment

    command = CommandLine(("git", "-C", root, *_LIST), silent_environment(), b"")
    try:
        ended = run_bounded(command, CommandLimits(_SECONDS, _OUTPUT, _ERRORS))
    except (OSError, ValueError):
        return None
    if ended.excess is Excess.TIME or (ended.code and not ended.excess):
        return None
    # What follows the last NUL is nothing, or a path that was cut off.
    lines = [os.fsdecode(line) for line in ended.output.data.split(b"\0")[:-1]]
    absent = {line[2:] for line in lines if line[0] in _ABSENT}
    # A final `/` marks another repository within this one.
    paths = {line[2:] for line in lines if not line.endswith("/")} - absent
    return _limited(paths, ended.excess is None) if paths else None


def _of_disk(root: str) -> WorkspaceFiles:
    entries = list_tree(root, MAX_FILES).entries
    paths = [entry.relative for entry in entries if entry.kind in (FILE, LINK)]
    return _limited(paths, len(entries) <= MAX_FILES)


def _limited(paths: Iterable[str], complete: bool) -> WorkspaceFiles:
    ordered = sorted(paths)
    return WorkspaceFiles(tuple(ordered[:MAX_FILES]), complete and len(ordered) <= MAX_FILES)
