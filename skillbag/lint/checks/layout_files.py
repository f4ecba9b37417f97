"""The files of a skill: names, collisions, links out of the tree, nested skills, files that no text mentions."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.findings import Rename
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.text import TextFile, text_files
from skillbag.kernel.workspace.tree import FILE, LINK, in_samples
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_SHARED_NAMES = (
    "shared common commons lib libs library templates template scripts references reference assets docs doc examples"
    " example tests test utils tools resources data images img bin src dist build config rules fixtures archive"
    " deprecated vendor agents commands hooks"
)
_SHARED = frozenset(_SHARED_NAMES.split())
_BELOW = f"/{SKILL_FILE}"
_KNOWN_BY_NAME = ("license", "licence", "readme", "changelog", "notice", "contributing", "package", "requirements")
_KNOWN_BY_FOLDER = frozenset({"agents", "tests", "test", "evals", "fixtures", "testdata"})
"""Folders that other programs read, such as test runners."""


@Predicate("wrong-case", Subject.SKILL, values=("name",))
def wrong_case(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """`SKILL.md` in another case (`skill.md`), which a case-sensitive file system does not find."""
    problem = skill.problem
    if problem is None or problem.kind != "wrong-case":
        return ()
    name = os.path.basename(problem.path)
    return (Match(problem.path, values={"name": name}, edits=(Rename(problem.path, SKILL_FILE),)),)


class Shared(NamedTuple):
    """`shared`: names of further folders beside the skills that hold no skill."""

    shared: tuple[str, ...] = ()


@Predicate("no-skill-file", Subject.SKILL, values=("folder", "count"), options=Shared)
def no_skill_file(skill: Skill, options: Shared) -> Iterable[Match]:
    """A folder among the skills that has files but no `SKILL.md`, and is no shared folder or group of skills."""
    problem = skill.problem
    if problem is None or problem.kind != "missing" or skill.has_manifest:
        return ()
    name = skill.folder.lower()
    if name.startswith(("_", ".")) or name in _SHARED or skill.folder in options.shared:
        return ()
    files = [entry.relative for entry in skill.listing.entries if entry.kind is FILE and not _is_hidden(entry.relative)]
    if not files or any(relative.rpartition("/")[2].lower() == SKILL_FILE.lower() for relative in files):
        return ()
    return (Match(skill.path, values={"folder": skill.folder, "count": str(len(files))}),)


def _is_hidden(relative: str) -> bool:
    return relative.startswith(".") or "/." in relative


@Predicate("colliding-names", Subject.SKILL, values=("name", "other"))
def colliding_names(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """Names of one folder that are the same once case is folded and letters are composed."""
    paths = skill.paths
    if len(paths) < 2:
        return ()
    # Folding one joined string is many times faster than folding each; a smaller set means a collision.
    joined = "\0".join(paths)
    if len(set(_folded(joined).split("\0"))) == len(paths):
        return ()
    return list(_collisions(skill.directory, sorted(paths)))


@Predicate("colliding-skills", Subject.INVENTORY, values=("name", "other"))
def colliding_skills(inventory: Inventory, options: NoOptions) -> Iterator[Match]:
    """Skill folders of one root that are the same once case is folded and letters are composed."""
    by_root: dict[str, list[str]] = {}
    for folder in inventory.workspace.skill_folders:
        by_root.setdefault(folder.skills_root, []).append(folder.name)
    for root, names in by_root.items():
        for match in _collisions(root, sorted(names)):
            yield match._replace(path=os.path.join(match.path, SKILL_FILE))


def _collisions(folder: str, names: list[str]) -> Iterator[Match]:
    first: dict[str, str] = {}
    for name in names:
        # A path below a colliding folder is not a collision of its own.
        parent, _, base = name.rpartition("/")
        other = first.setdefault(f"{parent}/{_folded(base)}", name)
        if other != name:
            yield Match(os.path.join(folder, *name.split("/")), values={"name": name, "other": other})


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


@Predicate("leaving-link", Subject.SKILL, values=("name", "target"))
def leaving_links(skill: Skill, options: NoOptions) -> Iterator[Match]:
    """Symbolic links within a skill whose target lies outside the checked tree."""
    for entry in skill.listing.entries:
        if entry.kind is LINK and not tracked.within(skill.root, entry.path):
            yield _link_match(entry.path, entry.relative)


@Predicate("dangling-link", Subject.SKILL, values=("name", "detail"))
def dangling_links(skill: Skill, options: NoOptions) -> Iterator[Match]:
    """Symbolic links within a skill whose target would lie in the checked tree, and does not exist.

    Of `SKILL.md` itself, which nobody can read then, another rule says so.
    """
    for entry in skill.listing.entries:
        if (
            entry.kind is LINK
            and entry.relative != skill.file
            and not tracked.target_exists(entry.path)
            and tracked.within(skill.root, entry.path)
        ):
            target = tracked.link(entry.path) or "?"
            broken = tracked.link(os.path.join(os.path.dirname(entry.path), target)) is not None
            detail = f"`{target}` is a broken link, too" if broken else f"`{target}` does not exist"
            values = {"name": entry.relative, "detail": detail}
            yield Match(entry.path, values=values, cause=os.path.dirname(entry.path))


@Predicate("empty-resource", Subject.TEXT, values=("name",))
def empty_resource(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """Texts and scripts of a skill without any content; an empty `__init__.py` and the like have a purpose."""
    content = text.document.text
    if (content and not content.isspace()) or text.skill is None or text.relative == text.skill.file:
        return ()
    name = text.relative.rpartition("/")[2]
    if text.language not in ("markdown", "python", "shell") or name.startswith(("_", ".")) or name == "conftest.py":
        return ()
    return () if is_sample(text.relative) else (Match(text.document.path, values={"name": text.relative}),)


@Predicate("leaving-folder", Subject.INVENTORY, values=("name", "target"))
def leaving_folders(inventory: Inventory, options: NoOptions) -> Iterator[Match]:
    """Symbolic links among the skills and around them that lead out of the checked tree; they are not followed."""
    root = inventory.workspace.root
    only = inventory.workspace.target.only
    for path in _links(inventory):
        if (not only or path in only) and tracked.target_exists(path) and not tracked.within(root, path):
            yield _link_match(path, os.path.basename(path))


@Predicate("broken-folder-link", Subject.INVENTORY, values=("name", "target"))
def broken_folder_links(inventory: Inventory, options: NoOptions) -> Iterator[Match]:
    """Links among the skills and around them whose target does not exist, or that form a loop."""
    for path in _links(inventory):
        if not tracked.target_exists(path):
            yield _link_match(path, os.path.basename(path))


_PARTS = [f"{top}{part}" for top in ("", ".claude/", ".github/") for part in ("agents", "commands", "hooks")]


def _links(inventory: Inventory) -> Iterator[str]:
    """The links among the skills, and those among the agents, commands and hooks of plugins and projects."""
    target = inventory.workspace.target
    roots = sorted({file.root for file in target.around})
    around = [os.path.join(root, *part.split("/")) for root in roots for part in _PARTS]
    yield from filter(tracked.is_link, target.loose)
    for folder in (*target.skill_roots, *around):
        try:
            links = [child for child in tracked.entries(folder) if child.is_symlink()]
        except OSError:
            continue
        yield from sorted(child.path for child in links if not child.name.startswith("."))


def _link_match(path: str, name: str) -> Match:
    return Match(path, values={"name": name, "target": tracked.link(path) or "?"}, cause=os.path.dirname(path))


@Predicate("skill-nested", Subject.SKILL, values=("name", "outer"))
def nested_skills(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A `SKILL.md` below another skill's folder, unless it is a sample or the outer text names it."""
    if not skill.inner_files or skill.problem is not None or not isinstance(skill.document, Document):
        return ()
    return [
        Match(entry.path, values={"name": entry.relative, "outer": skill.folder})
        for entry in skill.inner_files
        if not _is_hidden(entry.relative)
        and not in_samples(entry.relative)
        and entry.relative.removesuffix(_BELOW) not in skill.document.text
    ]


@Predicate("unmentioned-file", Subject.SKILL, values=("name",))
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
    # Texts mention the customary folders in passing; naming another folder covers all its files.
    holder = folders if folders.count("/") or folders not in ("scripts", "references", "assets") else ""
    return name in text or (len(stem) > 2 and stem in text) or bool(holder and f"{holder}/" in text)
