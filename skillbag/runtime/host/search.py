"""`search_files`: files of the workspace by a glob, as git reads them (skill runtime, section 7.2).

A pattern is hostile: what it is compiled to takes linear time.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.workspace.tree import PRUNED
from skillbag.runtime.errors import BadParametersError, RuntimeFaultError
from skillbag.runtime.host.files import HostFolders
from skillbag.runtime.triggers.file_globs import compile_glob
from skillbag.supply.sources.limits import MAX_DEPTH

MAX_FILES = 100_000
"""Most files of a workspace that one search looks at."""

MAX_FOUND = 10_000
"""Most paths that one search gives."""

_LONGEST = 1000
_DEEP = "**"


class SearchPattern(NamedTuple):
    """A pattern as an expression of whole paths; `folder`: it names folders alone, and means what is in them."""

    expression: re.Pattern[str]
    folder: bool


def search_files(places: HostFolders, pattern: str) -> list[str]:
    """The sorted paths of the workspace's files (the skill's, without a workspace) that match `pattern`.

    It is read as a line of `.gitignore`: without a `/` before its end it matches at any depth, `**` stands for any
    folders, and a folder's name for all that is in it. Links are not followed, and folders of tools (`.git`,
    `node_modules`, …) not entered. Each path is what `read_file` takes: relative, or absolute where the skill has a
    file of the same path.

    Raises:
        BadParametersError: it is no glob. RuntimeFaultError: too many files.
    """
    glob = parse_glob(pattern)
    top = places.workspace or places.skill
    found: list[str] = []
    for path, folder in _files(top):
        if matches(glob, path) and _is_regular(os.path.basename(path), folder):
            found.append(path)
        if len(found) > MAX_FOUND:
            raise RuntimeFaultError(f"more than {MAX_FOUND:,} files match; give a narrower pattern")
    return sorted(_unambiguous(places, top, path) for path in found)


def parse_glob(pattern: str) -> SearchPattern:
    """Read a pattern.

    Raises:
        BadParametersError: it is empty, too long, or excludes files.
    """
    if not pattern.strip("/") or pattern.startswith(("!", "#")) or len(pattern) > _LONGEST:
        raise BadParametersError("give one glob such as src/**/*.py, which does not begin with `!` or `#`")
    names = pattern.strip("/").split("/")
    if "/" not in pattern.rstrip("/"):
        names = [_DEEP, *names]
    if names[-1] == _DEEP:
        # It matches what is in the folder, and not the folder itself.
        names.append("*")
    return SearchPattern(compile_glob("/".join(map(_as_fnmatch, names))).expression, pattern.endswith("/"))


def matches(glob: SearchPattern, path: str) -> bool:
    """Whether a file's path (relative, with `/`) matches, itself or by one of its folders."""
    ends = [place for place, char in enumerate(path) if char == "/"]
    return any(glob.expression.match(path[:end]) for end in ends + ([] if glob.folder else [len(path)]))


def _as_fnmatch(name: str) -> str:
    """The glob of a name as Python writes it: `[!…]` for `[^…]`, and brackets around what a backslash quotes."""
    result, place = "", 0
    while place < len(name):
        if name[place] == "\\" and place + 1 < len(name):
            result += f"[{name[place + 1]}]"
            place += 2
            continue
        result += "[!" if name.startswith("[^", place) else name[place]
        place += 2 if name.startswith("[^", place) else 1
    return result


def _files(top: str) -> Iterator[tuple[str, int]]:
    """What is below `top` and no folder, relative and with `/`; each with the descriptor of its folder."""
    count = 0
    for folder, folders, files, descriptor in os.fwalk(top):
        relative = os.path.relpath(folder, top)
        prefix = "" if relative == os.curdir else f"{relative}/"
        folders[:] = sorted(set(folders) - PRUNED) if prefix.count("/") < MAX_DEPTH else []
        count += len(files)
        if count > MAX_FILES:
            raise RuntimeFaultError(f"the workspace has more than {MAX_FILES:,} files, the most that are searched")
        yield from ((f"{prefix}{name}", descriptor) for name in files)


def _is_regular(name: str, folder: int) -> bool:
    try:
        return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _unambiguous(places: HostFolders, top: str, path: str) -> str:
    shadowed = top != places.skill and os.path.lexists(os.path.join(places.skill, path))
    return os.path.join(top, path) if shadowed else path
