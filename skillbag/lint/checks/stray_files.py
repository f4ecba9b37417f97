"""Files of a skill that do not belong in it, or that not every system can hold: left over, of one machine, misnamed.

Source of the names: "Naming Files, Paths, and Namespaces" in Microsoft's documentation of Windows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.tree import FOLDER, JUNK, TreeEntry
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.signals.hidden_characters import hidden_in_name

_CACHES = frozenset({"__pycache__", "node_modules", ".venv", ".mypy_cache", ".tox"})
_COPIES = (".orig", ".rej", ".bak", "~")
_SWAP = late(r"\..+\.sw[a-p]\Z")
_SETTINGS = frozenset({".env", ".env.local", ".env.production"})
_FOREIGN = '<>:"|?*\\'
_DEVICES = frozenset({"aux", "con", "nul", "prn"})


@Predicate("left-over-file", Subject.SKILL, values=("name", "what"), needs="odd-names")
def left_over_files(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Copies of editors and merges, caches, `.env` and files of the system that git does not ignore.

    Programs make caches wherever they run, so that those outside of a repository are left alone.
    """
    found = [(entry, what) for entry in skill.listing.entries if (what := _left_over(entry))]
    ignored = git.ignored([entry.path for entry, _ in found])
    for entry, what in found:
        if entry.path not in ignored and (what in (_COPY, _ENVIRONMENT) or git.repository(skill.directory)):
            yield Match(entry.path, values={"name": entry.relative, "what": what})


_COPY = "is a copy that an editor or a merge left behind"
_ENVIRONMENT = "holds the settings of one machine, and perhaps its secrets"


def _left_over(entry: TreeEntry) -> str:
    name = os.path.basename(entry.relative)
    if entry.kind is FOLDER:
        return "is a folder that programs make where they run" if name in _CACHES else ""
    if name in JUNK:
        return "is a file that file managers make in any folder"
    if is_sample(entry.relative):
        return ""
    if name in _SETTINGS:
        return _ENVIRONMENT
    is_copy = name.endswith(_COPIES) or (name.startswith(".") and _SWAP().match(name))
    return _COPY if is_copy else ""


@Predicate("name-not-portable", Subject.SKILL, values=("name", "why"), needs="odd-names")
def names_not_portable(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Names of files and folders that Windows cannot hold."""
    for entry in skill.listing.entries:
        if why := _foreign(os.path.basename(entry.relative)):
            yield Match(entry.path, values={"name": entry.relative, "why": why})


@Predicate("hidden-name", Subject.SKILL, values=("name", "what"), needs="hidden-names")
def hidden_names(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Names of files and folders with characters that nobody sees, or that turn the direction of the name."""
    for entry in skill.listing.entries:
        if what := hidden_in_name(os.path.basename(entry.relative)):
            yield Match(entry.path, values={"name": repr(entry.relative)[1:-1], "what": what})


def _foreign(name: str) -> str:
    if sign := next((sign for sign in name if sign in _FOREIGN), ""):
        return f"it has the character `{sign}`"
    if name.endswith((".", " ")):
        return f"it ends with {'a dot' if name.endswith('.') else 'a blank'}"
    return "it is the name of a device" if name.partition(".")[0].lower() in _DEVICES else ""
