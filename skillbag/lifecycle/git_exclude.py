"""Keeping a file of the user's own out of the repository around it, without a word in any file that is shared."""

from __future__ import annotations

import os
import re
import stat
from typing import NamedTuple

from skillbag.fs.read import is_within
from skillbag.workspace import git

_SPECIAL = re.compile(r"([\\*?\[\]])")
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | _SAFE


class GitStatus(NamedTuple):
    """How a file stands with git.

    `ignored_by` is the file that was just changed, if that was needed, relative where it lies below the folder.
    `exposed`: git would take it in with all else, because rules of the user's say so, or because it could not be told
    not to.
    """

    ignored_by: str | None = None
    tracked: bool = False
    exposed: bool = False


def keep_untracked(path: str) -> GitStatus:
    """See to it that git leaves the file at the absolute `path` alone, whether it is there yet or not.

    Where nothing ignores it, a line in git's `info/exclude` does from now on, in this clone and no other.
    """
    folder = os.path.realpath(os.path.dirname(path))
    path = os.path.join(folder, os.path.basename(path))
    top = git.repository(folder)
    if top is None:
        return GitStatus()
    if git.is_tracked(path):
        return GitStatus(tracked=True)
    if git.ignored([path]):
        return GitStatus()
    # A rule about what is not ignored is the user's wish that git has it.
    exclude = None if git.has_rule(path) else git.exclude_file(folder)
    if exclude is None or not _add(exclude, _pattern(os.path.relpath(path, top))) or not git.ignored([path]):
        return GitStatus(exposed=True)
    return GitStatus(os.path.relpath(exclude, folder) if is_within(folder, exclude) else exclude)


def _pattern(relative: str) -> str:
    """The line that names this one file; a path that no line can hold is named by its last part."""
    relative = relative.replace(os.sep, "/")
    if "\n" in relative:
        return f"**/{os.path.basename(relative)}"
    return "/" + _SPECIAL.sub(r"\\\1", relative)


def _add(exclude: str, line: str) -> bool:
    """Add a line to a regular file, which is made if need be; others may be adding theirs at the same moment."""
    try:
        os.makedirs(os.path.dirname(exclude), exist_ok=True)
        descriptor = os.open(exclude, _FLAGS, 0o666)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return False
            if status.st_size:
                os.lseek(descriptor, -1, os.SEEK_END)
                line = line if os.read(descriptor, 1) == b"\n" else f"\n{line}"
            os.write(descriptor, os.fsencode(f"{line}\n"))
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True
