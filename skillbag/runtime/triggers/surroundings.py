"""What triggers are compared with: the workspace's files, as git sees them, and languages, the mode, and the user's
message (skill runtime, section 3)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.kernel.processes.bounded import CommandLimits, CommandLine, Excess, run_bounded
from skillbag.kernel.processes.output_capture import OutputLimit
from skillbag.kernel.workspace.tree import FILE, LINK, list_tree
from skillbag.runtime.skill import FoundSkill
from skillbag.runtime.triggers.file_index import FileIndex
from skillbag.runtime.triggers.languages import languages_of
from skillbag.runtime.triggers.triggers import TriggerContext


class Surroundings:
    """The workspace at `root` (None outside of any), in one mode."""

    def __init__(self, root: str | None, mode: str) -> None:
        self._root = root
        self._mode = mode

    def context(self, skills: Iterable[FoundSkill], message: str, current_path: str) -> TriggerContext:
        """What triggers are compared with now. The files are listed only if a skill has a trigger for them."""
        wanted = any(skill.manifest.triggers.files or skill.manifest.triggers.languages for skill in skills)
        files = FileIndex(list_files(self._root).paths if self._root and wanted else ())
        return TriggerContext(files, files.languages, self._mode, current_path, message)

    def main_language(self) -> str:
        """The language of most files of the workspace, the first one by name of several; "" if there is none."""
        paths = list_files(self._root).paths if self._root else ()
        counts = Counter(language for path in paths for language in languages_of([path.rpartition("/")[2]]))
        return min(counts, key=lambda language: (-counts[language], language), default="")


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
