"""Dependencies of skills: the shape of their declarations, cycles, and dependencies that nothing satisfies."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.frontmatter import Block
from skillbag.kernel.documents.nodes import Mapping, Scalar
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.standard.blocks import (
    context_mappings,
    declared_dependencies,
    declared_items,
    declared_lists,
    entries_of,
    items_of,
    mappings,
)
from skillbag.kernel.standard.dependencies import dependency_faults
from skillbag.kernel.standard.names import canonical, is_name
from skillbag.kernel.standard.unread import unread_in_skill
from skillbag.kernel.workspace.model import ContextFile, Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.summary import Dependency, SkillSummary, read_dependencies
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, fault_matches, short, unread_matches

_KEY = late(r"^dependencies[ \t]*:", re.MULTILINE)


@Predicate("dependency-shape", Subject.SKILL, values=("reason",))
def dependency_shape(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Declarations that are not a list of `{name, source?, version?, required?}`, in front matter and blocks."""
    nodes = [skill.field("dependencies")]
    for block in skill.dependency_blocks:
        if isinstance(block.value, Mapping):
            nodes.append(declared_dependencies(block.value))
        elif any(isinstance(item, Mapping) for item in items_of(block.value)):
            nodes.append(block.value)
        elif block.problem and _declares(skill, block):
            at = Position(block.problem.line, block.problem.column)
            yield Match(skill.path, values={"reason": block.problem.detail}, at=at)
    for node in nodes:
        yield from fault_matches(skill.path, dependency_faults(node, "name"))


@Predicate("declaration-key-unread", Subject.SKILL, values=("reason", "advice"))
def unread_key(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Keys in the dependencies of a skill that nothing reads; raised where another one is plainly meant."""
    return unread_matches(skill.path, unread_in_skill(skill))


def _declares(skill: Skill, block: Block) -> bool:
    """Whether a broken block has the key: one of something else, such as a package file, declares no skills."""
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return _KEY().search(text, block.start, block.end) is not None


_Edges = dict[str, dict[str, tuple[int, int]]]

_MAX_CYCLES = 100
"""Cycles reported of one target; a dense graph has too many of them to read."""


@Predicate("dependency-cycle", Subject.INVENTORY, values=("chain",))
def dependency_cycle(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A cycle for every dependency on one, each cycle once, at its first skill in name order."""
    edges = {card.folder: _targets(inventory, card) for card in inventory.by_folder.values()}
    for cycle in islice(_cycles(edges), _MAX_CYCLES):
        first = cycle.index(min(cycle))
        cycle = cycle[first:] + cycle[:first]
        span = edges[cycle[0]][cycle[1 % len(cycle)]]
        names = cycle if len(cycle) <= 10 else [*cycle[:8], f"({len(cycle) - 9} more)", cycle[-1]]
        yield Match(inventory.by_folder[cycle[0]].path, *span, {"chain": " -> ".join([*names, cycle[0]])})


def _targets(inventory: Inventory, card: SkillSummary) -> dict[str, tuple[int, int]]:
    """The installed skills that a skill depends on, with the span of the first declaration of each."""
    targets: dict[str, tuple[int, int]] = {}
    for dependency in card.dependencies:
        if dependency.name.value in inventory.by_folder:
            targets.setdefault(dependency.name.value, dependency.name[1:])
    return targets


def _cycles(edges: _Edges) -> Iterator[list[str]]:
    """For each edge on a cycle, if no cycle so far goes through it, a shortest one that does."""
    # Once from the skills that depend on nothing, then from those that nothing depends on.
    kept = _turned(_turned(edges)).keys()
    covered: set[tuple[str, str]] = set()
    for name in sorted(kept):
        for target in edges[name]:
            if (name, target) not in covered and (cycle := _shortest_path(target, name, edges, kept)):
                covered.update(zip(cycle, cycle[1:] + cycle[:1], strict=True))
                yield cycle


def _turned(edges: _Edges | dict[str, list[str]]) -> dict[str, list[str]]:
    """The edges turned around, without the names from which no cycle can be reached."""
    behind: dict[str, list[str]] = {name: [] for name in edges}
    left = dict.fromkeys(edges, 0)
    for name, targets in edges.items():
        for target in targets:
            behind[target].append(name)
            left[name] += 1
    ends = [name for name, count in left.items() if not count]
    for end in ends:
        for name in behind[end]:
            left[name] -= 1
            if not left[name]:
                ends.append(name)
    gone = set(ends)
    return {name: [other for other in behind[name] if other not in gone] for name in edges if name not in gone}


def _shortest_path(start: str, end: str, edges: _Edges, kept: AbstractSet[str]) -> list[str]:
    """A shortest path from `start` to `end`, both included; empty if there is none."""
    came_from = {start: start}
    pending = deque([start])
    while pending and end not in came_from:
        name = pending.popleft()
        for target in edges[name]:
            if target not in came_from and target in kept:
                came_from[target] = name
                pending.append(target)
    path = [end] if end in came_from else []
    while path and path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]


@Predicate("dependency-unmet", Subject.INVENTORY, values=("name",))
def dependency_unmet(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Required dependencies without a source that neither an installed skill nor a context file satisfies."""
    known = {*inventory.by_folder, *_context_sources(inventory)}
    for card in inventory.cards:
        for dependency in card.dependencies:
            name = canonical(dependency.name.value)
            if dependency.required and dependency.source is None and is_name(name) and name not in known:
                yield Match(card.path, *dependency.name[1:], {"name": name})


@Predicate("dependency-conflict", Subject.INVENTORY, values=("name", "what", "one", "other"))
def dependency_conflict(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A name that one file or skill declares with two sources or pins, which no override settles."""
    for path, dependencies in _declared(inventory):
        by_name: dict[str, list[Dependency]] = {}
        for dependency in dependencies:
            by_name.setdefault(dependency.name.value, []).append(dependency)
        for name, several in by_name.items():
            settled = _settled(inventory, name) if len(several) > 1 else frozenset()
            yield from _conflicts(path, [each for each in several if each.required], settled)


def _declared(inventory: Inventory) -> Iterator[tuple[str, tuple[Dependency, ...]]]:
    context = inventory.workspace.context
    if isinstance(context, ContextFile):
        nodes = tuple(node for mapping in mappings(context) for node in declared_lists(mapping))
        yield context.document.path, tuple(read_dependencies(nodes))
    yield from ((card.path, card.dependencies) for card in inventory.cards if len(card.dependencies) > 1)


def _settled(inventory: Inventory, name: str) -> frozenset[str]:
    """The fields of a dependency that overrides decide."""
    found = (mapping.get("overrides") for _, mapping in context_mappings(inventory.workspace))
    given = (entry.value for node in found for entry in entries_of(node) if entry.key.value == name)
    return frozenset(entry.key.value for value in given for entry in entries_of(value))


def _conflicts(path: str, declared: list[Dependency], settled: frozenset[str]) -> Iterator[Match]:
    sources = {_address(each.source): each for each in reversed(declared) if each.source}
    pins = {each.version: each for each in reversed(declared) if each.version}
    if len(sources) > 1 and "source" not in settled:
        *_, second, first = sources.values()
        yield _conflict(path, second, "sources", str(first.source), str(second.source))
    elif len(pins) > 1 and sources and "version" not in settled and _has_pins(declared):
        *_, second, first = pins.values()
        yield _conflict(path, second, "versions", str(first.version), str(second.version))


def _conflict(path: str, second: Dependency, what: str, *both: str) -> Match:
    one, other = map(short, both)
    values = {"name": second.name.value, "what": what, "one": one, "other": other}
    return Match(path, *second.name[1:], values)


_NO_PINS = late(r"(?i)\.(?:zip|tar|tgz|tar\.gz)(?:[?#]|$)|^(?:[./~\\]|registry[+:]|[a-z]:[/\\])")
_SPELLINGS = late(r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?(?:github:)?|(?:\.git)?/*(?:#.*)?$", re.IGNORECASE)


def _has_pins(declared: list[Dependency]) -> bool:
    """Whether the sources have versions that exclude each other: a folder and an archive have none, and a registry
    ranges."""
    return not any(each.source and _NO_PINS().search(each.source) for each in declared)


def _address(source: str | None) -> str:
    """A source without what two spellings of it may differ in: scheme, user, `.git`, the letters' case."""
    plain = _SPELLINGS().sub("", (source or "").strip()).replace(":", "/", 1).lower()
    return f"github.com/{plain}" if plain.count("/") == 1 and not plain.startswith(".") else plain


def _context_sources(inventory: Inventory) -> Iterator[str]:
    for _, mapping in context_mappings(inventory.workspace):
        for item in declared_items(mapping):
            if isinstance(item, Mapping) and isinstance(name := item.get("name"), Scalar):
                yield canonical(name.value)
        yield from (canonical(entry.key.value) for entry in entries_of(mapping.get("overrides")))
