"""The graph of what a check finds: workspaces, sources and plain skills, and the links between the files of skills."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import contexts, declared_lists, mappings
from skillbag.kernel.standard.names import canonical, is_name
from skillbag.kernel.workspace.lock_file import COMMAND_LINE, Lock
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import CHARACTERS_PER_TOKEN, Skill
from skillbag.kernel.workspace.summary import read_dependencies
from skillbag.kernel.workspace.target import CONTEXT, TargetKind
from skillbag.kernel.workspace.text import TextFile, text_files
from skillbag.kernel.workspace.tree import in_samples
from skillbag.lint.checks.path_resolution import Locator, PathStatus, is_sample, read_climb, read_written
from skillbag.lint.checks.prefilter import glance_at
from skillbag.lint.skill_graph.components import cycles_of
from skillbag.lint.skill_graph.needs import skill_needs
from skillbag.lint.skill_graph.values import ORDERED, Edge, Node, Relation, SkillGraph, State, Tokens

_WEIGHT = {Relation.DEPENDENCY: 0, Relation.OPTIONAL: 1, Relation.COMPANION: 2, Relation.LINK: 3}


class _Need(NamedTuple):
    """A skill by its name."""

    user: str
    name: str
    relation: Relation


def build_graph(workspaces: Iterable[Workspace], base: str) -> SkillGraph:
    """The graph of the skills of these targets; paths are relative to the absolute `base`.

    Names refer to skills of the same target. The standard does not apply to plain skills: they have no companions, and
    a dependency counts only if its skill is there.
    """
    parts = [_Part(workspace, base) for workspace in workspaces]
    nodes = {node.id: node for part in parts for node in part.nodes()}
    edges = {edge for part in parts for edge in part.edges()}
    needs: dict[str, set[str]] = {id_: set() for id_ in nodes}
    for edge in edges:
        if edge.relation in ORDERED:
            needs[edge.user].add(edge.needed)
    return SkillGraph(
        tuple(nodes[id_] for id_ in sorted(nodes)),
        tuple(sorted(edges)),
        cycles_of({id_: sorted(needed) for id_, needed in needs.items()}),
    )


class _Part:
    """One target: its skills are read once, one after the other, and none is kept."""

    def __init__(self, workspace: Workspace, base: str) -> None:
        self._workspace, self._base = workspace, base
        self._is_plain = workspace.kind is TargetKind.SKILLS
        folders = workspace.skill_folders
        self._by_folder = {folder.path: self._relative(folder.path) for folder in folders}
        self._by_name = {folder.name: self._by_folder[folder.path] for folder in reversed(folders)}
        self._requested_by = dict(self._requesters())
        self._needs: set[_Need] = set()
        self._links: set[tuple[str, str]] = set()
        self._found = [self._node(skill) for skill in workspace.skills()]

    def nodes(self) -> Iterator[Node]:
        """The skills that are there, then those that are not."""
        yield from self._found
        required = {*self._requested_by, *(need.name for need in self._needs if need.relation is Relation.DEPENDENCY)}
        for name in {*self._requested_by, *(need.name for need in self._needs)} - self._by_name.keys():
            state = State.MISSING if name in required else State.ABSENT
            yield Node(self._id_of(name), name, "", "", state, asked_by=self._requested_by.get(name, ()))

    def edges(self) -> Iterator[Edge]:
        """One edge at most between two skills in a direction: the strongest."""
        strongest: dict[tuple[str, str], Relation] = {}
        links = ((user, needed, Relation.LINK) for user, needed in self._links)
        for user, needed, relation in (*((n.user, self._id_of(n.name), n.relation) for n in self._needs), *links):
            ends = (user, needed)
            strongest[ends] = min(relation, strongest.get(ends, relation), key=_WEIGHT.__getitem__)
        for (user, needed), relation in strongest.items():
            yield Edge(user, needed, relation)

    def _relative(self, path: str) -> str:
        return os.path.relpath(path, self._base).replace(os.sep, "/")

    def _id_of(self, name: str) -> str:
        """The id of a skill by its name; a missing one has the place at which it would be."""
        return self._by_name.get(name) or self._relative(os.path.join(self._workspace.target.skill_roots[0], name))

    def _node(self, skill: Skill) -> Node:
        id_ = self._by_folder[skill.directory]
        self._needs.update(self._needs_of(skill, id_))
        self._links.update((id_, other) for other in linked_skills(skill, self._by_folder))
        lock = self._workspace.lock if self._workspace.kind is TargetKind.WORKSPACE else None
        state = State.INSTALLED if isinstance(lock, Lock) and skill.folder in lock.skills else State.OWN
        asked_by = self._requested_by.get(skill.folder, ())
        return Node(id_, skill.folder, id_, skill.directory, state, _tokens(skill), asked_by)

    def _needs_of(self, skill: Skill, id_: str) -> Iterator[_Need]:
        card = skill.card
        for wanted in skill_needs(card):
            relation = Relation.DEPENDENCY if wanted.required else Relation.OPTIONAL
            if not self._is_plain or wanted.name in self._by_name:
                yield _Need(id_, wanted.name, relation)
        for name in () if self._is_plain else card.companions:
            if is_name(name):
                yield _Need(id_, name, Relation.COMPANION)

    def _requesters(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What asks for a skill and is no skill itself: the context file, the command line."""
        workspace = self._workspace
        if workspace.kind is not TargetKind.WORKSPACE:
            return
        declared = set(_declared(workspace))
        lock = workspace.lock
        locked = lock.skills.items() if isinstance(lock, Lock) else ()
        requested = {name for name, entry in locked if COMMAND_LINE in entry.asked_by}
        for name in declared | requested:
            yield name, (*([CONTEXT] if name in declared else ()), *([COMMAND_LINE] if name in requested else ()))


def _declared(workspace: Workspace) -> Iterator[str]:
    """The names that `CONTEXT.md` declares, as far as it can be read; the rules report the rest."""
    for context in contexts(workspace):
        if os.path.basename(context.document.path) == CONTEXT:
            nodes = (node for mapping in mappings(context) for node in declared_lists(mapping))
            for dependency in read_dependencies(tuple(nodes)):
                if is_name(name := canonical(dependency.name.value)):
                    yield name


def _tokens(skill: Skill) -> Tokens:
    card = skill.card
    catalog = len(card.name.value if card.name else skill.folder)
    catalog += len(card.description.value) if card.description else 0
    body = len(skill.document.text) - skill.body_start if isinstance(skill.document, Document) else 0
    return Tokens(*(count // CHARACTERS_PER_TOKEN for count in (catalog, body, sum(_references(skill)))))


def _references(skill: Skill) -> Iterator[int]:
    """The lengths of the Markdown files that an agent may be instructed to read; samples and test data are none."""
    for text in text_files(skill):
        if isinstance(text, TextFile) and text.language == "markdown" and not in_samples(text.relative):
            yield 0 if text.relative == skill.file else len(text.document.text)


_EXISTS = (PathStatus.FOUND, PathStatus.LEAVES_SKILL)


def linked_skills(skill: Skill, ids: Mapping[str, str]) -> Iterator[str]:
    """The ids of the other skills that links of a skill's Markdown lead to; `ids` are those by absolute folder."""
    for text in text_files(skill):
        if isinstance(text, TextFile) and text.language == "markdown" and not is_sample(text.relative):
            for path in _targets(text):
                folder = os.path.dirname(path)
                while len(folder) >= len(skill.root) and folder not in ids:
                    folder = os.path.dirname(folder)
                if folder in ids and folder != skill.directory:
                    yield ids[folder]


def _targets(text: TextFile) -> Iterator[str]:
    """The absolute places outside of the skill that a text's links lead to."""
    glance = glance_at(text)
    known = text.skill.paths if text.skill else frozenset[str]()
    locator = Locator(text)
    for target in sorted(_links(text) if glance.odd else glance.targets - known):
        written = read_written(target)
        path = written.path if written else read_climb(target)
        if path and path not in known:
            place = locator.near(path)
            if place.kind in _EXISTS:
                yield place.path


def _links(text: TextFile) -> frozenset[str]:
    return frozenset(link.target for link in text.markdown.links)
