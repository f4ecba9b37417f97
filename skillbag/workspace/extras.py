"""What the tree hash of a skill does not cover: folders and files that it leaves out, and who may be executed.

All of it can run: Python takes a module from `__pycache__`, node from `node_modules`. So what vouches for a skill that
came from a source looks at it besides.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence

from skillbag import asked, files
from skillbag.named import NamedTuple
from skillbag.workspace import git
from skillbag.workspace.tree import FILE, FOLDER, JUNK, left_out, list_tree

_NO_MODE = rb"(?im)^[ \t]*filemode[ \t]*=[ \t]*(?:false|no|off|0)\b"


class Unhashed(NamedTuple):
    """Something in a skill's folder that no source can have put there: it is neither hashed nor installed.

    `path` is relative to the skill, with `/`: a folder as a whole, or a file. `harmless`: a file manager leaves it
    behind, and no program runs it.
    """

    path: str
    harmless: bool


def unhashed(folder: str) -> Iterator[Unhashed]:
    """What the tree hash of the skill in the absolute `folder` leaves out, in path order; empty folders aside."""
    for entry in list_tree(folder).entries:
        if entry.kind is FOLDER and not (left_out(entry.relative) and _holds_anything(entry.path)):
            continue
        if left_out(entry.relative):
            yield Unhashed(entry.relative, entry.kind is FILE and entry.relative.rpartition("/")[2] in JUNK)


def _holds_anything(folder: str) -> bool:
    try:
        return bool(asked.names(folder))
    except OSError:
        # What can't be looked at may hold anything.
        return True


class Addition(NamedTuple):
    """What is otherwise in an installed skill than its source has it, where the tree hash does not tell.

    `path` is relative to the skill, with `/`; `what` completes a sentence about it, `fix` says what to do with the path
    `{path}`. What is `harmless` can't run anything.
    """

    path: str
    what: str
    fix: str
    harmless: bool


_LOADERS = {"__pycache__": "Python runs the modules in it instead of their source", "node_modules": "Node runs it"}
_ANYONE = "a program may run what lies in it"


def additions(folder: str, known: Sequence[str] | None, *, modes: bool) -> Iterator[Addition]:
    """The additions to the skill in the absolute `folder`, in path order.

    `known` are the files that its source lets be executed, None where nobody knows; `modes`: whether `modes_count`.
    """
    for one in unhashed(folder):
        if one.harmless:
            yield Addition(one.path, "was left behind by a file manager and is no part of the skill", "", True)
        else:
            loader = _LOADERS.get(one.path.rpartition("/")[2], _ANYONE)
            what = f"did not come from the source and is not covered by the tree hash; {loader}"
            yield Addition(one.path, what, "Delete {path}; a program that needs it makes it again.", False)
    if known is None or not modes:
        return
    found = executables(folder)
    for path in sorted(set(found) - set(known)):
        yield Addition(path, "may be executed here, but not as its source has it", "Run chmod -x {path}.", False)
    for path in sorted(set(known) - set(found)):
        yield Addition(path, "may be executed as its source has it, but not here", "Run chmod +x {path}.", True)


def executables(folder: str) -> tuple[str, ...]:
    """The files of the skill in the absolute `folder` that may be executed: relative, with `/`, in NFC, sorted."""
    import unicodedata

    found = (
        unicodedata.normalize("NFC", entry.relative)
        for entry in list_tree(folder).entries
        if entry.kind is FILE and not left_out(entry.relative) and (asked.mode(entry.path) or 0) & stat.S_IXUSR
    )
    return tuple(sorted(found))


def modes_count(root: str, model: str = "") -> bool:
    """Whether the executable bit means something below the absolute `root`.

    Git keeps a note where the file system has none; and where even `model` is executable (absolute; a file of data that
    nobody would make so), every file is.
    """
    if os.name != "posix" or (model and (asked.mode(model) or 0) & stat.S_IXUSR):
        return False
    repository = git.repository(root)
    if repository is None:
        return True
    config = files.read(os.path.join(repository, ".git", "config"), repository)
    return not (isinstance(config, bytes) and re.search(_NO_MODE, config))
