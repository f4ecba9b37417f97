"""What the tree hash of a skill does not cover: excluded and special files, and modes and owners of files.

Python loads modules from `__pycache__`, Node from `node_modules`, and reading a pipe may block. So the verification of
an installed skill looks at these as well.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.tree import FILE, FOLDER, JUNK, OTHER, TreeEntry, left_out, list_tree

_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_NO_MODE = rb"(?im)^[ \t]*filemode[ \t]*=[ \t]*(?:false|no|off|0)\b"


def _unhashed(folder: str) -> Iterator[TreeEntry]:
    """What is neither hashed nor installed in the absolute `folder` of a skill, in path order; no empty folders."""
    for entry in list_tree(folder).entries:
        if entry.kind is FOLDER and not (left_out(entry.relative) and _holds_anything(entry.path)):
            continue
        if entry.kind is OTHER or left_out(entry.relative):
            yield entry


def _holds_anything(folder: str) -> bool:
    try:
        return bool(tracked.names(folder))
    except OSError:
        # An unreadable folder may hold anything.
        return True


class Addition(NamedTuple):
    """A difference between an installed skill and its source that the tree hash does not show.

    `path` is relative to the skill, with `/`; `what` completes a sentence about it, `fix` says what to do with the path
    `{path}`. What is `harmless` can't be executed.
    """

    path: str
    what: str
    fix: str
    harmless: bool


_LOADERS = {"__pycache__": "Python runs the modules in it instead of their source", "node_modules": "Node runs it"}
_ANYONE = "a program may run code in it"
_SPECIAL = "is a pipe, socket or device, which no source can contain; a program that opens it may block"
_PROGRAM = "has the name of a file manager's data file, but is executable"
_SET_ID = "runs with the rights of its owner or group, whoever starts it (setuid or setgid)"
_FOREIGN = "belongs to another user than the folder of the skills, who can change it at any time"


def additions(folder: str, known: Sequence[str] | None, *, modes: bool) -> Iterator[Addition]:
    """The additions to the skill in the absolute `folder`, in path order.

    `known` are the executable files of its source, None if unknown; `modes`: whether `modes_count`.
    """
    for entry in _unhashed(folder):
        yield _addition(entry, modes)
    if modes:
        yield from _granted(folder)
    if known is None or not modes:
        return
    found = executables(folder)
    for path in sorted(set(found) - set(known)):
        yield Addition(path, "is executable here, but not in its source", "Run chmod a-x {path}.", False)
    for path in sorted(set(known) - set(found)):
        yield Addition(path, "is executable in its source, but not here", "Run chmod +x {path}.", True)


def _addition(entry: TreeEntry, modes: bool) -> Addition:
    path, name = entry.relative, entry.relative.rpartition("/")[2]
    if entry.kind is OTHER:
        return Addition(path, _SPECIAL, "Delete {path}.", False)
    if entry.kind is FILE and name in JUNK:
        if modes and _may_be_executed(entry):
            return Addition(path, _PROGRAM, "Delete {path}.", False)
        return Addition(path, "was created by a file manager and is not part of the skill", "", True)
    what = f"did not come from the source and is not covered by the tree hash; {_LOADERS.get(name, _ANYONE)}"
    fix = "Delete {path}; programs that need it recreate it."
    if name == ".git":
        fix = "Move {path} out of the skill if you need its history, or delete it."
    return Addition(path, what, fix, False)


def _may_be_executed(entry: TreeEntry) -> bool:
    return bool((tracked.mode(entry.path) or 0) & _EXECUTABLE)


def _granted(folder: str) -> Iterator[Addition]:
    """Rights to a skill that its files give to others than the user: what is set-ID, or belongs to somebody else."""
    model = tracked.owner(os.path.dirname(folder))
    for path, relative in ((folder, "."), *((entry.path, entry.relative) for entry in list_tree(folder).entries)):
        mode = tracked.mode(path) or 0
        if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
            yield Addition(relative, _SET_ID, "Run chmod ug-s {path}.", False)
        # root may change everything in any case.
        if tracked.owner(path) not in (model, 0):
            yield Addition(relative, _FOREIGN, "Delete {path} and install the skill again, or run chown.", False)


def executables(folder: str) -> tuple[str, ...]:
    """The executable files of the skill in the absolute `folder`: relative, with `/`, in NFC, sorted."""
    found = (
        unicodedata.normalize("NFC", entry.relative)
        for entry in list_tree(folder).entries
        if entry.kind is FILE and not left_out(entry.relative) and _may_be_executed(entry)
    )
    return tuple(sorted(found))


def modes_count(root: str, model: str = "") -> bool:
    """Whether the executable bit is meaningful below the absolute `root`.

    It is not where git has recorded so (`core.filemode`), or where even `model`, a data file (absolute), is executable.
    """
    if os.name != "posix" or (model and (tracked.mode(model) or 0) & stat.S_IXUSR):
        return False
    repository = git.repository(root)
    if repository is None:
        return True
    config = read(os.path.join(repository, ".git", "config"), repository)
    return not (isinstance(config, bytes) and re.search(_NO_MODE, config))
