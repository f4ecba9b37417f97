"""The file that a path to nowhere means: the only one that fits, and its edit; or a near name, or that of a sibling."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.kernel.workspace.tree import FILE, list_tree
from skillbag.lint.checks.path_resolution import Locator, root_of

MAX_ADVISED = 20
"""Findings of one rule in a text that get an advice."""
_NEAR = 0.8
"""How similar names are that may be confused, from 0 to 1."""
_MAX_NAMES = 200
"""Names that are compared with a missing one, at most: each comparison takes some microseconds."""
_MAX_SIBLINGS = 20
_GENERIC = frozenset(
    {"skill.md", "readme.md", "index.md", "claude.md", "agents.md", "license", "license.md", "license.txt"}
)
"""Names that say little about a file: the folder around has to be the same."""
_DEEPEST = 3
"""Parts of a path within a skill: what lies deeper is seldom meant by a file's name alone."""
_MAX_FILES = 20_000
_SPECIAL = late(r"[^\w.~@+,=-]")


def looked(text: TextFile, path: str) -> str:
    """Where a missing relative path was looked for, for a message: a clause that begins with a blank."""
    if ".." in path.split("/"):
        around = "skill's folder" if text.skill else "folder of the plugin or project"
        return f" (looked from this file and from the {around})" if "/" in text.relative else ""
    return " (looked beside this file and in the folders above it)" if "/" in text.relative else ""


def advice(text: TextFile, path: str) -> str:
    """The sentence that names what the missing relative `path` of a text may mean, with a blank; empty if unknown.

    Of one that means one file for certain, `place_of` knows it.
    """
    skill = text.skill
    if skill is None:
        return ""
    found = None if ".." in path else _same_name(skill, path) or _near_name(skill, path)
    if found:
        return f"Did you mean `{as_written(text, skill, found)}`? "
    sibling = _in_sibling(skill, path)
    return (
        f"The skill `{sibling}` beside this one has a file of this path. "
        if sibling
        else _near_sibling(text, skill, path)
    )


def missing_folder(folder: str, path: str) -> str:
    """The first missing folder on the way from a folder to a relative path; empty if all of them are there."""
    top = ""
    place = os.path.normpath(os.path.dirname(os.path.join(folder, path)))
    while not tracked.target_exists(place):
        top, place = place, os.path.dirname(place)
    return top


def _same_name(skill: Skill, path: str) -> str | None:
    """The path in the skill of its only file with the name of `path`, whatever the case."""
    name = path.rpartition("/")[2].casefold()
    found = [each for own, places in skill.named.items() if own.casefold() == name for each in places]
    return found[0] if len(found) == 1 else None


def _near_name(skill: Skill, path: str) -> str | None:
    """The absolute path of a file with a similar name in the same folder of the skill."""
    folder, _, name = path.removeprefix("./").rpartition("/")
    stem, _, extension = name.rpartition(".")
    stems: dict[str, str] = {}
    for entry in skill.listing.entries:
        own_folder, _, own = entry.relative.rpartition("/")
        own_stem, _, own_extension = own.rpartition(".")
        if own_stem and own_folder == folder and (own_extension == extension or own_stem == stem):
            stems.setdefault(own_stem.lower(), entry.path)
        if len(stems) == _MAX_NAMES:
            break
    near = _nearest(stem.lower(), stems)
    return stems[near] if near else None


def _nearest(name: str, others: Iterable[str]) -> str | None:
    """The name that is most like another, if it is like enough: the same but for one place."""
    # `difflib` takes longer to import than a skill to check.
    likeness, near = max(((_likeness(name, other), other) for other in others), default=(0.0, ""))
    return near if likeness >= _NEAR else None


def _likeness(one: str, other: str) -> float:
    """The share of the characters of two names that their common beginning and end take, from 0 to 1."""
    begin = len(os.path.commonprefix([one, other]))
    end = len(os.path.commonprefix([one[begin:][::-1], other[begin:][::-1]]))
    return 2 * (begin + end) / (len(one) + len(other) or 1)


def as_written(text: TextFile, skill: Skill, place: str) -> str:
    """A path of the skill as the text should write it: from the skill's folder, or as the text's own neighbour."""
    relative = os.path.relpath(place, skill.directory).replace(os.sep, "/")
    if Locator(text).find(relative).path == place:
        return relative
    return os.path.relpath(place, os.path.dirname(text.document.path)).replace(os.sep, "/")


def _in_sibling(skill: Skill, path: str) -> str | None:
    """The only skill beside this one that has the file, of those whose names begin with the same word."""
    if ".." in path or "/" not in path:
        return None
    word = skill.folder.partition("-")[0]
    near = [name for name in _siblings(skill) if name.partition("-")[0] == word][:_MAX_SIBLINGS]
    found = [name for name in near if tracked.exists(os.path.join(skill.skills_root, name, path))]
    return found[0] if len(found) == 1 else None


def _near_sibling(text: TextFile, skill: Skill, path: str) -> str:
    """For a path to another skill: the sentence with the name of the skill beside it that has a similar one."""
    place = os.path.normpath(os.path.join(os.path.dirname(text.document.path), path))
    if not path.startswith("../") or os.path.dirname(os.path.dirname(place)) != skill.skills_root:
        return ""
    name = os.path.basename(os.path.dirname(place))
    near = _nearest(name, _siblings(skill)[:_MAX_NAMES])
    return f"Did you mean the skill `{near}`? " if near and near != name else ""


def _siblings(skill: Skill) -> list[str]:
    try:
        return sorted(name for name in tracked.names(skill.skills_root) if name != skill.folder)
    except OSError:
        return []


def place_of(text: TextFile, path: str) -> str | None:
    """The absolute path of the only file that the relative `path` of a text, which leads nowhere, can mean."""
    parts = path.split("/")
    named = [part for part in parts if part not in ("", ".", "..")]
    found = _along(text, named) if ".." in parts else set()
    if not found and not path.startswith("../../.."):
        found = {place for place in _of_name(text, named) if place != text.document.path}
    return found.pop() if len(found) == 1 else None


def _along(text: TextFile, named: list[str]) -> set[str]:
    """What is there if a path climbs more or less, leaves folders out, or goes through a folder `skills`.

    As much as possible of its end stays the same.
    """
    locator = Locator(text)
    for first in range(len(named)):
        rest = named[first:]
        if len(rest) == 1 and (first or rest[0].lower() in _GENERIC):
            break
        ends = ("/".join(rest), "/".join([*rest[:-2], "skills", *rest[-2:]]))
        places = {f"{folder.rstrip('/')}/{end}" for folder in locator.enclosing for end in ends}
        if found := {place for place in places if tracked.target_exists(place)}:
            return found
    return set()


def _of_name(text: TextFile, named: list[str]) -> Iterator[str]:
    """The files with the same name in the skill, or else in the plugin or project; no hidden ones."""
    name = named[-1] if named else ""
    end = "/".join(named[-2:]) if name.lower() in _GENERIC else name
    if text.skill:
        folder = text.skill.nearest(text.relative).directory + os.sep
        for place in text.skill.named.get(name, ()):
            relative = place.removeprefix(folder)
            if relative != place and relative.count(os.sep) < _DEEPEST and f"/{relative}".endswith(f"/{end}"):
                yield place
    elif name:
        yield from (place for relative, place in _files_around(text) if f"/{relative}".endswith(f"/{end}"))


@lru_cache(maxsize=1)
def _files_around(text: TextFile) -> tuple[tuple[str, str], ...]:
    """The files of the plugin or project that a text stands in; none of one with very many, which take long."""
    entries = list_tree(text.base or root_of(text), most=_MAX_FILES).entries
    is_known = len(entries) <= _MAX_FILES
    return tuple((e.relative, e.path) for e in entries if is_known and e.kind is FILE and "/." not in f"/{e.relative}")


def rewritten(text: TextFile, start: int, end: int, path: str, better: str) -> tuple[TextEdit, ...]:
    """The edit that makes of the `path` at some offsets `better`; what both end with stays as it is written."""
    written = text.document.text[start:end]
    stem = written.partition("#")[0].partition("?")[0]
    old, new = path.split("/"), better.split("/")
    if stem.count("/") != len(old) - 1:
        return ()
    same = len(os.path.commonprefix([old[::-1], new[::-1]]))
    kept = stem.split("/")[len(old) - same :]
    return (
        TextEdit(
            text.document.path, start, start + len(stem), "/".join([*map(_quoted, new[: len(new) - same]), *kept])
        ),
    )


def _quoted(part: str) -> str:
    """A part of a path as a link writes it; letters of all languages stay."""
    return _SPECIAL().sub(lambda found: "".join(map("%{:02X}".format, os.fsencode(found[0]))), part)
