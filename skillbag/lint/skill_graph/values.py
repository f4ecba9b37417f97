"""The graph of skills as values."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping
from enum import StrEnum

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.model.findings import Finding, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Annotated

    from skillbag.kernel.base.json_records import fits


class State(StrEnum):
    """Where a skill comes from. MISSING: something requires it, and it is not there. ABSENT: the same of what is only
    optional, a companion among it."""

    OWN = "own"
    INSTALLED = "installed"
    MISSING = "missing"
    ABSENT = "absent"


class Relation(StrEnum):
    """What an edge stands for: a dependency or an optional one, a companion (`#use/NAME`), or a link to a file."""

    DEPENDENCY = "dependency"
    OPTIONAL = "optional"
    COMPANION = "companion"
    LINK = "link"


ORDERED = frozenset({Relation.DEPENDENCY, Relation.OPTIONAL})
"""The relations that must not be circular; companions and links may be."""


class Tokens(NamedTuple):
    """Estimates of what an agent loads: name and description always, the body of `SKILL.md` once the skill is
    activated, its other Markdown files on demand."""

    description: Annotated[int, fits(minimum=0)]
    body: Annotated[int, fits(minimum=0)]
    references: Annotated[int, fits(minimum=0)]

    @property
    def total(self) -> int:
        """All of it."""
        return self.description + self.body + self.references


class Node(NamedTuple):
    """A skill. `id` is unique in its graph; `path` is its folder relative to the graph's base, with `/`, or empty if it
    is not there; `directory` is the same folder, absolute. `asked_by` are its requesters that are no skills.

    `errors`, `warnings` and `notes` count the findings in its folder (`with_findings`).
    """

    id: str
    name: str
    path: str
    directory: str
    state: State
    tokens: Tokens | None = None
    asked_by: tuple[str, ...] = ()
    errors: int = 0
    warnings: int = 0
    notes: int = 0

    @property
    def is_there(self) -> bool:
        """Whether the skill exists."""
        return self.state in (State.OWN, State.INSTALLED)


class Edge(NamedTuple):
    """`user` and `needed` are ids."""

    user: str
    needed: str
    relation: Relation


class SkillGraph(NamedTuple):
    """Nodes by id, edges by their ends. `cycles` are the largest groups of skills that depend on each other (strongly
    connected components of the dependencies), each sorted by id."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cycles: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def in_cycles(self) -> Mapping[str, int]:
        """The skills of all cycles, each with the number of its cycle."""
        return {name: number for number, cycle in enumerate(self.cycles) for name in cycle}

    def is_circular(self, edge: Edge) -> bool:
        """Whether an edge is part of a cycle."""
        cycles, number = self.in_cycles, self.in_cycles.get(edge.user)
        return edge.relation in ORDERED and number is not None and number == cycles.get(edge.needed)


def with_findings(graph: SkillGraph, findings: Iterable[Finding]) -> SkillGraph:
    """The graph with the number of findings in each skill's folder; those outside of skills count nowhere."""
    counts = {node.directory: dict.fromkeys(Severity, 0) for node in graph.nodes}
    for finding in findings:
        if owner := _owner(finding.path, counts):
            counts[owner][finding.level] += 1
    return graph._replace(nodes=tuple(_counted(node, counts[node.directory]) for node in graph.nodes))


def _owner(path: str, directories: Container[str]) -> str:
    """The innermost of the folders that a path lies in, or an empty text."""
    while (folder := os.path.dirname(path)) != path:
        if folder in directories:
            return folder
        path = folder
    return ""


def _counted(node: Node, counts: dict[Severity, int]) -> Node:
    return node._replace(errors=counts[Severity.ERROR], warnings=counts[Severity.WARNING], notes=counts[Severity.NOTE])
