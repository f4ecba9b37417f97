"""The search for targets below a folder: workspaces and sources, trees of plain skills, and what belongs to neither."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from skillbag.base.records import NamedTuple, cached_property
from skillbag.fs import tracked
from skillbag.workspace import git
from skillbag.workspace.kinds import folders_in, holder_of, kind_at, roots_in, skill_file
from skillbag.workspace.target import (
    AGENTS,
    ENTRYPOINT,
    MANIFEST_FILE,
    MARKETPLACE,
    SKILL_FILE,
    SKILL_ROOT,
    Kind,
    Target,
    installed,
)
from skillbag.workspace.tree import FILE, PRUNED, TEST_DATA, list_tree

_MARKETPLACE_FOLDER = MARKETPLACE.partition("/")[0]
_OWN = frozenset({ENTRYPOINT, AGENTS, SKILL_ROOT})
_TEST_DATA = "it is test data"
_HIDDEN = "its folder is hidden"
_ELSEWHERE = "it lies in no folder of skills; name its folder to check it"


class _Folder(NamedTuple):
    """A skills root of a plain tree, or a skill outside of any, at `path`; `fault` is why it can't be checked."""

    root: str
    path: str
    is_skill: bool = False
    fault: str = ""


class _Seen(NamedTuple):
    """A folder that the search has seen, with the names in it.

    `file` makes it a skill, and is empty where it is none. `in_tree` says that it lies in a folder `skills`; a skill
    directly there is not entered, and has no `names`.
    """

    folder: str
    names: frozenset[str]
    file: str
    in_tree: bool


class Search(NamedTuple):
    """The search below the absolute folder `top`; `enclosing` is the target that it lies in, if it lies in one."""

    top: str
    kind: Kind | None
    enclosing: Target | None

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The targets at and below the folder."""
        marked = [at.folder for at in self._seen if self.kind is None and at.names & _OWN]
        own = [installed(kind, folder) for folder in marked if (kind := kind_at(folder))]
        return (*own, *self._plain(own))

    @cached_property
    def skills(self) -> Mapping[str, str]:
        """All folders of skills, whether they are checked or not, each with the name of its `SKILL.md`."""
        return {at.folder: at.file for at in self._seen if at.file}

    @cached_property
    def faults(self) -> tuple[tuple[str, str], ...]:
        """The paths in marketplaces that can't be checked, and why not."""
        return tuple((place.path, place.fault) for place in self._places if place.fault)

    @cached_property
    def _seen(self) -> tuple[_Seen, ...]:
        return tuple(_walk(self.top))

    @cached_property
    def _places(self) -> tuple[_Folder, ...]:
        return tuple([place for at in self._seen for place in self._places_at(at)])

    def _plain(self, own: list[Target]) -> Iterator[Target]:
        """The trees of plain skills; `own` are the other targets."""
        top, places = self.top, [place for place in self._places if not place.fault]
        if self.enclosing is None and not own and not places:
            # A named folder of skills may have any name.
            holder = holder_of(top)
            places = [_Folder(holder or top, root) for root in roots_in(top) if root == top or holder]
        places += self._loose({place.path for place in places})
        ignored = _ignored(top, [place.path for place in places])
        by_root: dict[str, list[_Folder]] = {}
        for place in places:
            if place.path not in ignored:
                by_root.setdefault(place.root, []).append(place)
        for root, tree in by_root.items():
            roots = {place.path for place in tree if not place.is_skill}
            loose = {place.path for place in tree if place.is_skill and os.path.dirname(place.path) not in roots}
            yield Target(Kind.SKILLS, root, tuple(sorted(roots)), loose=tuple(sorted(loose)))

    def _places_at(self, at: _Seen) -> Iterator[_Folder]:
        """The skills roots that a folder is or holds, and the skills that its marketplace lists."""
        name = os.path.basename(at.folder)
        is_root = name == "skills" or (self.kind is Kind.SKILLS and name == SKILL_ROOT)
        if is_root and not _is_test_data(self.top, at.folder):
            holder = holder_of(at.folder) or os.path.dirname(at.folder)
            yield from (_Folder(holder, root) for root in roots_in(at.folder))
        if _MARKETPLACE_FOLDER in at.names:
            yield from _listed(at.folder)

    def _loose(self, known: set[str]) -> Iterator[_Folder]:
        """The skills outside the known roots: deep in a folder `skills`, or anywhere if plain skills are requested."""
        skills = set(self.skills)
        for at in self._seen:
            parent = os.path.dirname(at.folder)
            if not at.file or at.folder == self.top or at.folder in known or parent in known:
                continue
            wanted = (self.kind is Kind.SKILLS or at.in_tree) and skills.isdisjoint(_below(self.top, parent))
            if wanted and not _is_hidden(at.folder) and not _is_test_data(self.top, at.folder):
                yield _Folder(holder_of(parent) or self.top, at.folder, is_skill=True)


def not_judged(searches: Iterable[Search], targets: Iterable[Target]) -> list[tuple[str, str]]:
    """Each `SKILL.md` that the searches found and no target owns: its absolute path, and why it is not checked."""
    judged: set[str] = set()
    roots: set[str] = set()
    for target in targets:
        judged |= {*target.only, *target.loose}
        roots |= set() if target.only else set(target.skill_roots)
    found: dict[str, str] = {}
    for search in searches:
        skills = frozenset(search.skills)
        found.update(search.faults)
        strays = [folder for folder in search.skills if not _is_judged(folder, judged, roots, skills)]
        ignored = _ignored(search.top, strays)
        for folder in strays:
            if folder in ignored:
                continue
            reason = _TEST_DATA if _is_test_data(search.top, folder) else _ELSEWHERE
            if _is_hidden(folder) or SKILL_ROOT in folder.split(os.sep):
                reason = _HIDDEN
            found.setdefault(os.path.join(folder, search.skills[folder]), reason)
    return sorted(found.items())


def _is_judged(folder: str, judged: set[str], roots: set[str], skills: frozenset[str]) -> bool:
    """Whether a folder is a skill of a target, or lies in one."""
    while True:
        parent = os.path.dirname(folder)
        if folder in judged or (folder in skills and parent in roots and not _is_hidden(folder)):
            return True
        if parent == folder:
            return False
        folder = parent


def _is_hidden(folder: str) -> bool:
    return os.path.basename(folder).startswith(".")


def _is_test_data(top: str, folder: str) -> bool:
    """Whether a folder below `top` belongs to tests; a group of skills may have such a name."""
    parts = os.path.relpath(folder, top).split(os.sep)
    return not TEST_DATA.isdisjoint(parts[: parts.index("skills")] if "skills" in parts else parts)


def _listed(repository: str) -> Iterator[_Folder]:
    """The skills in a repository that its marketplace lists."""
    # Few repositories have a marketplace, and the others need no reader for one.
    from skillbag.workspace.marketplace_file import BadMarketplaceError, read_marketplace

    file = os.path.join(repository, *MARKETPLACE.split("/"))
    try:
        plugins = read_marketplace(file, repository).plugins if tracked.exists(file) else ()
    except BadMarketplaceError as error:
        yield _Folder(repository, file, fault=f"no skill is known that it lists: {error}")
        return
    for plugin in plugins:
        for place in plugin.places if plugin.address is None else ():
            yield from _at_listed(repository, place, needed=place != plugin.usual)


def _at_listed(repository: str, place: str, *, needed: bool) -> Iterator[_Folder]:
    """The skill, or the roots of skills, at a listed path; one that is `needed` and holds none is a fault."""
    path = os.path.normpath(os.path.join(repository, *place.split("/")))
    if SKILL_ROOT in place.split("/") or not tracked.within(repository, path):
        return
    if skill_file(path):
        yield _Folder(holder_of(os.path.dirname(path)) or repository, path, is_skill=True)
        return
    found = [_Folder(holder_of(root) or repository, root) for root in roots_in(path) if path != repository]
    if path == repository:
        # Only the skills among all the folders of the repository.
        found = [_Folder(repository, skill, is_skill=True) for skill in folders_in(path) if skill_file(skill)]
    yield from found
    if needed and not found:
        yield _Folder(repository, path, fault=f"{MARKETPLACE} lists it, and no skill is there")


def _ignored(top: str, paths: list[str]) -> frozenset[str]:
    """The paths that git ignores; none if the named folder is ignored itself, since it was requested."""
    if not paths:
        return frozenset()
    ignored = git.ignored([top, *paths])
    return frozenset() if top in ignored else ignored


def _below(top: str, folder: str) -> Iterator[str]:
    """The folder, and those around it below `top`."""
    while len(folder) > len(top):
        yield folder
        folder = os.path.dirname(folder)


def _walk(top: str) -> Iterator[_Seen]:
    """The folders at and below `top`; links and the skills in a folder `skills` are not entered."""
    pending = [(top, False)]
    while pending:
        folder, in_tree = pending.pop()
        try:
            entries = tracked.entries(folder)
        except OSError:
            continue
        names = frozenset([entry.name for entry in entries])
        file = SKILL_FILE if SKILL_FILE in names else MANIFEST_FILE if MANIFEST_FILE in names else ""
        yield _Seen(folder, names, file, in_tree)
        name = os.path.basename(folder)
        folders = [entry for entry in entries if entry.name not in PRUNED and entry.is_dir(follow_symlinks=False)]
        if name == SKILL_ROOT:
            # No agent and no rule looks into hidden folders there.
            hidden = [list_tree(entry.path).entries for entry in folders if entry.name.startswith(".")]
            for inner in (entry for entries in hidden for entry in entries if entry.kind is FILE):
                if os.path.basename(inner.path) == SKILL_FILE:
                    yield _Seen(os.path.dirname(inner.path), frozenset(), SKILL_FILE, in_tree=False)
            continue
        in_tree = in_tree or name == "skills"
        for entry in folders:
            if name == "skills" and (file := skill_file(entry.path)):
                yield _Seen(entry.path, frozenset(), file, in_tree)
            else:
                pending.append((entry.path, in_tree))
