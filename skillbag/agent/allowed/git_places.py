"""Where commands of git put files, and to which folders they push: links and folders as they are on the disk."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.agent.allowed.program_options import words
from skillbag.files import is_within
from skillbag.late import late

_PLACING = words("clone format-patch init mv submodule worktree")
"""Subcommands that make files and folders where their words say, through links as well."""

_VERBS = frozenset({"add", "move"})
"""What two of them are told to do that needs a place."""

_NAME = late(r"(?!.*\.git$)\w[\w.-]*")


def place_fault(subcommand: str, rest: list[str], root: str, first: bool) -> str | None:
    """Why a place is none to put files in: it is git's own folder, or one where settings and programs of others lie.

    `first` says whether the command is the first one of its line: those before it could have made a link.
    """
    if subcommand not in _PLACING:
        return None
    if not first and _needs_place(subcommand, {word for word in rest if not word.startswith("-")}):
        return "must come first: what stands before it could make a link of the place"
    for word in (part for one in rest for part in _places_in(one)):
        place = os.path.realpath(os.path.join(root, word))
        if any(name.lower() == ".git" for name in place.split(os.sep)) or _is_of_others(place, root):
            return f"{word} leads to where hooks, settings or programs lie"
    return None


def _needs_place(subcommand: str, operands: set[str]) -> bool:
    if subcommand in ("submodule", "worktree"):
        return bool(operands & _VERBS)
    # Patches have names of git's own, and can't be run.
    return bool(operands) and subcommand != "format-patch"


def is_remote(name: str, root: str) -> bool:
    """Whether the repository has a remote of this name, with an address: git takes any other name for a folder."""
    from skillbag.workspace.git import has_setting

    return bool(_NAME().fullmatch(name)) and has_setting(root, f"remote.{name}.url")


def _places_in(word: str) -> Iterator[str]:
    """The word, and what of it could be the value of an option."""
    if word.startswith("--"):
        yield word.partition("=")[2]
    else:
        yield word[2:] if word.startswith("-") else word


def _is_of_others(place: str, root: str) -> bool:
    """Whether it lies outside of the workspace, in a folder where shells and programs look for what they start."""
    top = os.path.realpath(root)
    if is_within(top, place) and not is_within(top, os.path.expanduser("~")):
        return False
    names = os.path.relpath(place, top).split(os.sep)
    return any(name == "bin" or (name.startswith(".") and name not in (".", "..")) for name in names)
