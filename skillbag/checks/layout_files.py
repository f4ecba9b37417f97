"""How the files of a skill lie: their names, what is nested, what leads out of the tree, what nobody mentions."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator

from skillbag.base.records import NamedTuple
from skillbag.checks.predicate import Match, NoOptions, Subject, predicate
from skillbag.documents.source import Document
from skillbag.fs import tracked
from skillbag.model.findings import Rename
from skillbag.workspace.model import Inventory
from skillbag.workspace.skill import Skill, is_sample
from skillbag.workspace.target import SKILL_FILE
from skillbag.workspace.text import TextFile, text_files
from skillbag.workspace.tree import FILE, LINK

_SHARED_NAMES = (
    "shared common commons lib libs library templates template scripts references reference assets docs doc examples"
    " example tests test utils tools resources data images img bin src dist build config rules fixtures archive"
    " deprecated vendor agents commands hooks"
)
_SHARED = frozenset(_SHARED_NAMES.split())
_BELOW = f"/{SKILL_FILE}"
_KNOWN_BY_NAME = ("license", "licence", "readme", "changelog", "notice", "contributing", "package", "requirements")
_KNOWN_BY_FOLDER = frozenset({"agents", "tests", "test", "evals", "fixtures", "testdata"})
"""Folders that other programs read: hosts their settings, runners the tests."""


@predicate("wrong-case", Subject.SKILL, values=("name",))
def wrong_case(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """`SKILL.md` under another case (`skill.md`), which a file system that minds case does not find."""
    problem = skill.problem
    if problem is None or problem.kind != "wrong-case":
        return ()
    name = os.path.basename(problem.path)
    return (Match(problem.path, values={"name": name}, edits=(Rename(problem.path, SKILL_FILE),)),)


class Shared(NamedTuple):
    """`shared`: names of further folders beside the skills that are known to be none."""

    shared: tuple[str, ...] = ()


@predicate("no-skill-file", Subject.SKILL, values=("folder", "count"), options=Shared)
def no_skill_file(skill: Skill, options: Shared) -> Iterable[Match]:
    """A folder among the skills that has files but no `SKILL.md`; shared folders and groups of skills are none."""
    problem = skill.problem
    if problem is None or problem.kind != "missing":
        return ()
    name = skill.folder.lower()
    if name.startswith(("_", ".")) or name in _SHARED or skill.folder in options.shared:
        return ()
    seen = [entry for entry in skill.listing.entries if entry.kind is FILE and not _is_hidden(entry.relative)]
    if not seen or any(_is_skill_file(entry.relative) for entry in seen):
        return ()
    return (Match(skill.path, values={"folder": skill.folder, "count": str(len(seen))}),)


def _is_hidden(relative: str) -> bool:
    return relative.startswith(".") or "/." in relative


def _is_skill_file(relative: str) -> bool:
    return relative.rpartition("/")[2].lower() == SKILL_FILE.lower()


@predicate("colliding-names", Subject.SKILL, values=("name", "other"))
def colliding_names(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """Names of one folder that are the same once case is folded and letters are composed."""
    paths = skill.paths
    # One string folded at once is many times faster than each by itself; the sets differ where names collide.
    joined = "\0".join(paths)
    if len(set(_folded(joined).split("\0"))) == len(paths) or not paths:
        return ()
    return list(_collisions(skill.directory, sorted(paths)))


@predicate("colliding-skills", Subject.INVENTORY, values=("name", "other"))
def colliding_skills(inventory: Inventory, options: NoOptions) -> Iterator[Match]:
    """Skill folders of one root that are the same once case is folded and letters are composed."""
    by_root: dict[str, list[str]] = {}
    for folder in inventory.workspace.skill_folders:
        by_root.setdefault(folder.skills_root, []).append(folder.name)
    for root, names in by_root.items():
        for hit in _collisions(root, sorted(names)):
            yield hit._replace(path=os.path.join(hit.path, SKILL_FILE))


def _collisions(folder: str, names: list[str]) -> Iterator[Match]:
    first: dict[str, str] = {}
    for name in names:
        # What lies below a folder that collides is not a collision of its own.
        parent, _, base = name.rpartition("/")
        other = first.setdefault(f"{parent}/{_folded(base)}", name)
        if other != name:
            yield Match(os.path.join(folder, *name.split("/")), values={"name": name, "other": other})


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


@predicate("leaving-link", Subject.SKILL, values=("name", "target"))
def leaving_links(skill: Skill, options: NoOptions) -> Iterator[Match]:
    """Symbolic links within a skill whose target lies outside the checked tree."""
    for entry in skill.listing.entries:
        if entry.kind is LINK and not tracked.within(skill.root, entry.path):
            yield Match(entry.path, values={"name": entry.relative, "target": _read_link(entry.path)})


@predicate("leaving-folder", Subject.INVENTORY, values=("name", "target"))
def leaving_folders(inventory: Inventory, options: NoOptions) -> Iterator[Match]:
    """Folders among the skills that are symbolic links to a place outside the checked tree; they are not followed."""
    root = inventory.workspace.root
    only = inventory.workspace.target.only
    for skills_root in inventory.workspace.target.skill_roots:
        for path in _links_in(skills_root):
            if (not only or path in only) and tracked.is_folder(path) and not tracked.within(root, path):
                yield Match(path, values={"name": os.path.basename(path), "target": _read_link(path)})


@predicate("broken-folder-link", Subject.INVENTORY, values=("name", "target"))
def broken_folder_links(inventory: Inventory, options: NoOptions) -> Iterator[Match]:
    """Links among the skills to what does not exist, or in a circle."""
    for skills_root in inventory.workspace.target.skill_roots:
        for path in _links_in(skills_root):
            if not tracked.target_exists(path):
                yield Match(path, values={"name": os.path.basename(path), "target": _read_link(path)})


def _links_in(folder: str) -> list[str]:
    try:
        children = tracked.entries(folder)
        return sorted(child.path for child in children if child.is_symlink() and not child.name.startswith("."))
    except OSError:
        return []


def _read_link(path: str) -> str:
    return tracked.link(path) or "?"


@predicate("skill-nested", Subject.SKILL, values=("name", "outer"))
def nested_skills(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A `SKILL.md` below another skill's folder, unless it is a sample or the outer text names it."""
    if not skill.inner_files or skill.problem is not None or not isinstance(skill.document, Document):
        return ()
    return [
        Match(entry.path, values={"name": entry.relative, "outer": skill.folder})
        for entry in skill.inner_files
        if not _is_hidden(entry.relative)
        and not is_sample(entry)
        and entry.relative.removesuffix(_BELOW) not in skill.document.text
    ]


@predicate("unmentioned-file", Subject.SKILL, values=("name",))
def unmentioned_files(skill: Skill, options: NoOptions) -> Iterator[Match]:
    """Files that no text of the skill names, by path, by name, by stem, or by a folder that holds them."""
    if skill.problem is not None:
        return
    texts = {text.relative: text.document.text for text in text_files(skill) if isinstance(text, TextFile)}
    for entry in skill.listing.entries:
        name = entry.relative.rpartition("/")[2]
        known = name.lower().startswith(_KNOWN_BY_NAME) or name.startswith(("_", ".")) or _is_hidden(entry.relative)
        known = known or not _KNOWN_BY_FOLDER.isdisjoint(entry.relative.lower().split("/")[:-1])
        if entry.kind is not FILE or entry.relative == SKILL_FILE or known:
            continue
        if not any(_is_named(entry.relative, text) for relative, text in texts.items() if relative != entry.relative):
            yield Match(entry.path, values={"name": entry.relative})


def _is_named(relative: str, text: str) -> bool:
    folders, _, name = relative.rpartition("/")
    stem = os.path.splitext(name)[0]
    # The customary folders are named in passing; another one that is named is meant with all it holds.
    holder = folders if folders.count("/") or folders not in ("scripts", "references", "assets") else ""
    return name in text or (len(stem) > 2 and stem in text) or bool(holder and f"{holder}/" in text)
