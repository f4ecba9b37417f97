"""The search for targets below a folder: workspaces and sources, trees of plain skills, and what belongs to neither."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.result import TEST_DATA, TEST_SKILL
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.host_files import host_paths
from skillbag.kernel.workspace.kinds import file_among, folders_in, holder_of, kind_at, roots_in, skill_file
from skillbag.kernel.workspace.skill_links import shown_by, skills_behind
from skillbag.kernel.workspace.target import (
    AGENTS,
    ENTRYPOINT,
    MANIFEST_FILE,
    MARKETPLACE,
    SKILL_FILE,
    SKILL_ROOT,
    HostFilePath,
    ListFault,
    Target,
    TargetKind,
    installed,
)
from skillbag.kernel.workspace.tree import FILE, PRUNED, SAMPLES, in_evaluation, in_test_data, list_tree

_MARKETPLACE_FOLDER = MARKETPLACE.partition("/")[0]
_OWN = frozenset({ENTRYPOINT, AGENTS, SKILL_ROOT})
_SAMPLE = "it is a sample, which only security rules judge"
_HIDDEN = "its folder is hidden, where only security rules judge"
_BESIDE = "its folder is a workspace or source, and no skill; only security rules judge it"
_CLOSED = "it can't be opened"
_LEAVING = "it is behind a link that leaves the checked tree"
_PRUNED = "git tracks it in a folder for dependencies and caches, where only security rules judge"
_MISNAMED = "agents look for SKILL.md, in these letters; only security rules judge it"


class _Folder(NamedTuple):
    """A skills root of a plain tree, or a skill outside of any, at `path`; a `fault` of the list that names it."""

    root: str
    path: str
    is_skill: bool = False
    fault: ListFault | None = None


class _Seen(NamedTuple):
    """A folder that the search has seen, with the names in it.

    `file` makes it a skill, and is empty where it is none. A skill directly in a folder `skills` is not entered, and
    has no `names`. `closed`: it can't be opened.
    """

    folder: str
    names: frozenset[str]
    file: str
    closed: bool = False


class TargetSearch(NamedTuple):
    """The search below the absolute folder `top`; `enclosing` is the target that it lies in, if it lies in one.

    `test_data`: what lies in folders of test data counts as well.
    """

    top: str
    kind: TargetKind | None
    enclosing: Target | None
    test_data: bool = False

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """The targets at and below the folder."""
        return (*self._own, *self._plain())

    @cached_property
    def skills(self) -> Mapping[str, str]:
        """All folders of skills, whether they are checked or not, each with the name of its `SKILL.md`."""
        return {at.folder: at.file for at in self._seen if at.file}

    @cached_property
    def closed(self) -> tuple[str, ...]:
        """The folders that can't be opened."""
        return tuple(at.folder for at in self._seen if at.closed)

    @cached_property
    def around(self) -> tuple[HostFilePath, ...]:
        """The files of plugins and projects that agents read, without those for tests and those that git ignores."""
        return tuple(file for file in self._around if not self._is_test_data(os.path.dirname(file.path)))

    @cached_property
    def around_tests(self) -> tuple[str, ...]:
        """Such files for tests."""
        return tuple(file.path for file in self._around if self._is_test_data(os.path.dirname(file.path)))

    @cached_property
    def _around(self) -> tuple[HostFilePath, ...]:
        found: dict[str, HostFilePath] = {}
        roots = {target.root for target in self.targets}
        for at in self._seen:
            for file in host_paths(at.folder, at.names, has_skills=at.folder in roots):
                found.setdefault(file.path, file)
        ignored = _ignored(self.top, [*found]) if found else frozenset()
        return tuple(file for path, file in sorted(found.items()) if path not in ignored)

    def _is_test_data(self, folder: str) -> bool:
        """Whether a folder belongs to tests, which do not count."""
        return not self.test_data and _is_for_tests(os.path.relpath(folder, self.top).split(os.sep))

    def apart(self, folder: str) -> str:
        """Why a skill is not held to all rules, though it belongs to no other; empty if it is."""
        inner = os.path.relpath(folder, self.top).split(os.sep)
        if not PRUNED.isdisjoint(inner):
            return _PRUNED
        if self.skills[folder] not in (SKILL_FILE, MANIFEST_FILE):
            return _MISNAMED
        if _is_hidden(folder) or (self.kind is None and SKILL_ROOT in inner):
            return _HIDDEN
        if self._is_test_data(folder):
            return TEST_SKILL
        if self.kind is None and not SAMPLES.isdisjoint(_above_skills(inner)) and not _is_for_tests(inner):
            return _SAMPLE
        return _BESIDE if folder == self.top or folder in [target.root for target in self._own] else ""

    @cached_property
    def _seen(self) -> tuple[_Seen, ...]:
        return tuple(_walk(self.top))

    @cached_property
    def _own(self) -> tuple[Target, ...]:
        """The workspaces and sources."""
        marked = [at.folder for at in self._seen if self.kind is None and at.names & _OWN]
        return tuple([installed(kind, folder) for folder in marked if (kind := kind_at(folder))])

    def _plain(self) -> Iterator[Target]:
        """The trees of plain skills, and the marketplaces with faults."""
        top, places = self.top, [place for at in self._seen for place in self._places_at(at)]
        faults = [place for place in places if place.fault]
        places = [place for place in places if not place.fault]
        if self.enclosing is None and not self._own and not places:
            # A named folder of skills may have any name.
            holder = holder_of(top)
            places = [_Folder(holder or top, root) for root in roots_in(top) if root == top or holder]
        places += self._loose(places)
        ignored = _ignored(top, [place.path for place in (*places, *faults)])
        by_root: dict[str, list[_Folder]] = {}
        for place in (*places, *faults):
            if place.path not in ignored:
                by_root.setdefault(place.root, []).append(place)
        for root, tree in by_root.items():
            roots = {place.path for place in tree if not (place.is_skill or place.fault)}
            loose = {place.path for place in tree if place.is_skill and os.path.dirname(place.path) not in roots}
            listed = dict.fromkeys([place.fault for place in tree if place.fault])
            yield Target(TargetKind.SKILLS, root, tuple(sorted(roots)), loose=tuple(sorted(loose)), listed=(*listed,))

    def _places_at(self, at: _Seen) -> Iterator[_Folder]:
        """The skills roots that a folder is or holds, and the skills that its marketplace lists."""
        name = os.path.basename(at.folder)
        is_root = name == "skills" or (self.kind is TargetKind.SKILLS and name == SKILL_ROOT)
        if is_root and at.names and not self._is_test_data(at.folder):
            holder = holder_of(at.folder) or os.path.dirname(at.folder)
            yield from (_Folder(holder, root) for root in roots_in(at.folder))
        if _MARKETPLACE_FOLDER in at.names:
            yield from _listed(at.folder)

    def _loose(self, places: list[_Folder]) -> Iterator[_Folder]:
        """The skills outside the known places, and in no other skill."""
        known, parents = {place.path for place in places}, {folder: os.path.dirname(folder) for folder in self.skills}
        free = {folder for folder, parent in parents.items() if not {folder, parent} & known}
        if not free:
            return
        whole = {folder for folder in parents if folder not in free or not self.apart(folder)}
        loose = [path for path in free if path in whole and whole.isdisjoint(_below(self.top, parents[path]))]
        roots = [(root, target.root) for target in self._own for root in target.skill_roots]
        shown = shown_by([*roots, *((place.path, place.root) for place in places)]) if loose else frozenset()
        for folder in loose:
            if tracked.real(folder) not in shown:
                yield _Folder(holder_of(parents[folder]) or self.top, folder, is_skill=True)


def not_judged(searches: Iterable[TargetSearch], targets: Iterable[Target]) -> list[tuple[str, str]]:
    """Each `SKILL.md` that the searches found and no target owns, and each closed folder: the absolute path, and why.

    Of a skill within another one, the outer one is named.
    """
    judged: set[str] = set()
    roots: set[str] = set()
    for target in targets:
        judged |= {*target.only, *target.loose}
        roots |= set() if target.only else set(target.skill_roots)
    found: dict[str, str] = {}
    for search in searches:
        found.update(dict.fromkeys(search.closed, _CLOSED))
        found.update(dict.fromkeys(search.around_tests, TEST_DATA))
        skills = frozenset(search.skills)
        strays = [folder for folder in search.skills if not _is_judged(folder, judged, roots, skills)]
        ignored = _ignored(search.top, strays)
        for folder in set(strays) - ignored:
            # One without a reason is judged as what a link elsewhere leads to.
            reason = search.apart(folder)
            if reason and ignored.union(strays).isdisjoint(_below(search.top, os.path.dirname(folder))):
                reason = reason if tracked.within(search.top, folder) else _LEAVING
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


def _is_for_tests(inner: list[str]) -> bool:
    """Whether a folder, by the parts of its path, belongs to tests; a group of skills may have such a name."""
    return in_test_data("/".join([*_above_skills(inner), ""])) or in_evaluation("/".join(inner))


def _above_skills(inner: list[str]) -> list[str]:
    return inner[: inner.index("skills")] if "skills" in inner else inner


def _listed(repository: str) -> Iterator[_Folder]:
    """The skills in a repository that its marketplace lists."""
    # Few repositories have a marketplace, and the others need no reader for one.
    from skillbag.kernel.workspace.marketplace_file import BadMarketplaceError, read_marketplace

    file = os.path.join(repository, *MARKETPLACE.split("/"))
    if not tracked.exists(file):
        return
    try:
        plugins, remarks, _ = read_marketplace(file, repository)
    except BadMarketplaceError:
        # A rule about the file says so.
        return
    for remark in remarks:
        yield _Folder(repository, file, fault=ListFault(file, "", remark, empty=False))
    for plugin in plugins:
        for place in plugin.places if plugin.address is None else ():
            found = [*_at_listed(repository, place)]
            # Those below `.skills` belong to a target of their own.
            yield from found if SKILL_ROOT not in place.split("/") else ()
            # A plugin may have commands only; that its folder is not there is said by a rule about the entry.
            if not found and place != plugin.usual:
                fault = ListFault(file, place, f"`{place}` of the plugin `{plugin.name}` has no skill", empty=True)
                yield _Folder(repository, file, fault=fault)


def _at_listed(repository: str, place: str) -> Iterator[_Folder]:
    """The skill, or the roots of skills, at a listed path."""
    path = os.path.normpath(os.path.join(repository, *place.split("/")))
    if os.path.basename(path) == SKILL_FILE:
        path = os.path.dirname(path)
    if not tracked.within(repository, path):
        return
    if skill_file(path):
        yield _Folder(holder_of(os.path.dirname(path)) or repository, path, is_skill=True)
    elif path == repository:
        # Only the skills among all the folders of the repository.
        yield from (_Folder(repository, skill, is_skill=True) for skill in folders_in(path) if skill_file(skill))
    else:
        yield from (_Folder(holder_of(root) or repository, root) for root in roots_in(path))


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
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            entries = tracked.entries(folder)
        except OSError:
            yield _Seen(folder, frozenset(), "", closed=True)
            continue
        names = frozenset([entry.name for entry in entries])
        yield _Seen(folder, names, file_among(names))
        name = os.path.basename(folder)
        folders = [entry for entry in entries if entry.name not in PRUNED and entry.is_dir(follow_symlinks=False)]
        for pruned in names & PRUNED - {".git", ".skillbag"}:
            # Too large to be searched: git names what it tracks there.
            found = git.tracked_below(folder, f"{pruned}/", [f"{pruned}/**/{SKILL_FILE}"])
            paths = [os.path.join(folder, *path.split("/")) for path in found]
            yield from (_Seen(os.path.dirname(path), frozenset(), SKILL_FILE) for path in paths if tracked.exists(path))
        if name == SKILL_ROOT:
            # No agent and no rule of the standard looks into hidden folders there.
            hidden = [list_tree(entry.path).entries for entry in folders if entry.name.startswith(".")]
            for inner in (entry for entries in hidden for entry in entries if entry.kind is FILE):
                if os.path.basename(inner.path) == SKILL_FILE:
                    yield _Seen(os.path.dirname(inner.path), frozenset(), SKILL_FILE)
            continue
        yield from (_Seen(path, frozenset(), SKILL_FILE) for path in skills_behind(top, entries))
        for entry in folders:
            if name == "skills" and (file := skill_file(entry.path)):
                yield _Seen(entry.path, frozenset(), file)
            else:
                pending.append(entry.path)
