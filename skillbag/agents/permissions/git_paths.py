"""Where commands of git put files, and to which folders they push: links and folders as they are on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.agents.permissions.program_options import words
from skillbag.agents.permissions.real_paths import real_place
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.fs.read import is_within

_PLACING = words("clone format-patch init mv submodule worktree")
"""Subcommands that make files and folders where their words say, through links as well."""

_VERBS = frozenset({"add", "move"})
"""Subcommands of two of them that write to a path."""

_WRITING = words("apply am checkout checkout-index mv restore")
"""Subcommands that write the files of the work tree that their words name."""

_NAME = late(r"(?!.*\.git$)\w[\w.-]*")

_TEMPORARY = (os.path.join(os.sep, "tmp"), os.path.join(os.sep, "var", "tmp"))
_TEMPORARY_VARIABLES = ("TMPDIR", "TEMP", "TMP")
"""Where folders for temporary files are: no program looks there for what it starts."""

_OF_SYSTEMS = words("applications appdata desktop documents library snap")
"""Folders of a home in which programs and shells look for what they start."""


def entered(folder: str, word: str, root: str) -> tuple[str | None, str]:
    """The real path of a folder of the workspace to which `cd` or `git -C` leads; None, and why it may not be.

    No folder on the way may be a repository of its own: its settings would name programs.
    """
    if type(word) is not str or word.startswith(("-", "~")) or os.pardir in word.split("/") or not word:
        return None, f"`{word}` is no plain path to a folder of the workspace"
    place, top = real_place(os.path.join(folder, word)), os.path.realpath(root)
    if place is None or not is_within(top, place) or not os.path.isdir(place):
        return None, f"`{word}` is no folder of the workspace"
    at = place
    while at != top:
        if any(os.path.lexists(os.path.join(at, name)) for name in (".git", "HEAD")):
            return None, f"`{word}` leads into a repository of its own, whose settings could name programs"
        at = os.path.dirname(at)
    return place, ""


def place_fault(subcommand: str, rest: list[str], folder: str, root: str, first: bool) -> str | None:
    """Why files must not be put at a path: it is git's own folder, or one with other programs' settings or executables.

    `folder` is where git runs, `root` the workspace. `first` says whether the command is the first of its line: one
    before it could have made a link.
    """
    if subcommand not in _PLACING:
        return None
    operands = [word for word in rest if not word.startswith("-")]
    verbs = _VERBS if subcommand in ("submodule", "worktree") else set(operands)
    # Patches have names of git's own, and can't be run.
    if not first and verbs.intersection(operands) and subcommand != "format-patch":
        return f"`git {subcommand}` must come first: what stands before it could make a link of the place"
    named = [os.path.basename(word.rstrip("/")).removesuffix(".git") for word in operands]
    hooks = _hooks_folder(folder)
    for word in [*(part for argument in rest for part in _places_in(argument)), *(named if subcommand != "mv" else ())]:
        place = real_place(os.path.join(folder, word))
        if place is None or any(name.lower() == ".git" for name in place.split(os.sep)):
            return f"`{word}` leads to where hooks, settings or programs lie"
        if hooks and (is_within(hooks, place) or (place != os.path.realpath(folder) and is_within(place, hooks))):
            return f"`{word}` leads to the folder of hooks that core.hooksPath names"
        if _is_unsafe(place, root):
            beside = f"{os.path.basename(os.path.realpath(root))}-NAME beside it"
            return f"`{word}` is no safe place for files: take one in the workspace, {beside}, or a temporary folder"
    return None


def hooks_fault(subcommand: str, rest: list[str], folder: str) -> str | None:
    """Why a word names files of the folder in which git looks for hooks, where core.hooksPath names one."""
    if subcommand not in _WRITING:
        return None
    hooks = _hooks_folder(folder)
    if not hooks:
        return None
    for word in rest:
        parts = [word.rpartition(":")[2], *_places_in(word)]
        places = [real_place(os.path.join(folder, part)) for part in parts if part]
        if any(place is None or is_within(hooks, place) for place in places):
            return f"`{word}` leads to the folder of hooks that core.hooksPath names"
    return None


def _hooks_folder(folder: str) -> str | None:
    from skillbag.kernel.workspace.git import hooks_folder

    named = hooks_folder(os.path.realpath(folder))
    return os.path.realpath(named) if named else None


def is_remote(name: str, root: str) -> bool:
    """Whether the repository has a remote of this name, with an address: git takes any other name for a folder."""
    from skillbag.kernel.workspace.git import has_setting

    return bool(_NAME().fullmatch(name)) and has_setting(root, f"remote.{name}.url")


def _places_in(word: str) -> Iterator[str]:
    """The word, and what of it could be the value of an option."""
    if word.startswith("--"):
        yield word.partition("=")[2]
    else:
        yield word[2:] if word.startswith("-") else word


def _is_unsafe(place: str, root: str) -> bool:
    """Whether shells and programs could look there for what they start.

    Safe are the workspace, folders for temporary files, and folders beside the workspace whose names begin with it.
    """
    top, home = os.path.realpath(root), os.path.realpath(os.path.expanduser("~"))
    if is_within(top, place) and not is_within(top, home):
        return False
    if not is_within(top, place) and not _is_beside(place, top) and not _is_temporary(place, home):
        return True
    names = os.path.relpath(place, top).split(os.sep)
    if is_within(home, place) and os.path.relpath(place, home).split(os.sep)[0].lower() in _OF_SYSTEMS:
        return True
    return any(name == "bin" or (name.startswith(".") and name not in (".", "..")) for name in names)


def _is_beside(place: str, top: str) -> bool:
    """Whether it is in a folder beside the workspace that is called `WORKSPACE-ANYTHING`, or is that folder."""
    parent = os.path.dirname(top)
    if not is_within(parent, place) or place == parent or parent == top:
        return False
    return os.path.relpath(place, parent).split(os.sep)[0].startswith(f"{os.path.basename(top)}-")


def _is_temporary(place: str, home: str) -> bool:
    named = [os.environ.get(name, "") for name in _TEMPORARY_VARIABLES]
    folders = {os.path.realpath(folder) for folder in (*_TEMPORARY, *named) if os.path.isabs(folder)}
    return any(place != folder and is_within(folder, place) for folder in folders) and not is_within(home, place)
