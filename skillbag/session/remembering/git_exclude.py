"""Keep a user's own file out of the surrounding repository, without a change to any shared file."""

from __future__ import annotations

import os
import re
import stat
from typing import NamedTuple

from skillbag.kernel.fs.changes import open_appending
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.workspace import git

_SPECIAL = re.compile(r"([\\*?\[\]])")


class GitStatus(NamedTuple):
    """`ignored_by` is the file that was changed to make git ignore it, relative if it is below the folder.

    `exposed`: `git add` of everything would add the file, because the user's rules want it or `info/exclude` can't be
    changed.
    """

    ignored_by: str | None = None
    tracked: bool = False
    exposed: bool = False


def keep_untracked(path: str) -> GitStatus:
    """Make git ignore the file at the absolute `path`, which need not exist.

    If no rule ignores it, add a line to git's `info/exclude`, which affects only this clone.
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
    # The user has a rule to not ignore it.
    exclude = None if git.has_rule(path) else git.exclude_file(folder)
    relative = os.path.relpath(path, top).replace(os.sep, "/")
    # No line can contain a path with a line break.
    line = f"**/{os.path.basename(path)}" if "\n" in relative else "/" + _SPECIAL.sub(r"\\\1", relative)
    if exclude is None or not _add(exclude, line) or not git.ignored([path]):
        return GitStatus(exposed=True)
    return GitStatus(os.path.relpath(exclude, folder) if is_within(folder, exclude) else exclude)


def _add(exclude: str, line: str) -> bool:
    """Append a line to a regular file, which need not exist; other processes may append at the same time."""
    try:
        os.makedirs(os.path.dirname(exclude), exist_ok=True)
        with open_appending(exclude) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return False
            if status.st_size:
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(os.fsencode(f"{line}\n"))
    except OSError:
        return False
    return True
