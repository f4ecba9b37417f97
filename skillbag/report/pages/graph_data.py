"""The graph of skills as the data of a page, and what a reader without scripts is shown of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from skillbag.lint.skill_graph.values import Node, Relation, SkillGraph, State, Tokens
from skillbag.report.graphs.values import RELATIONS, STATES, graph_title, node_label
from skillbag.report.pages.rendering import View
from skillbag.report.sanitize import shown

SCRIPTS = ("table.js", "graph_drawing.js", "graph_controls.js", "graph_view.js", "skills_view.js")
"""What the two views need besides `facets.js`, `pager.js` and `listing.js`."""

_MAX_PLAIN = 1_000


def graph_views(graph: SkillGraph) -> tuple[View, ...]:
    """The skills, if there are any, and their graph, if there are relations."""
    views = (graph.nodes, View("skills", "Skills")), (graph.edges, View("graph", "Graph"))
    return tuple(view for shown_there, view in views if shown_there)


def graph_libraries(graph: SkillGraph) -> Sequence[str]:
    """Half a megabyte, where there is something to draw."""
    return ("cytoscape", "cytoscape-dagre") if graph.edges else ()


class GraphNodeData(NamedTuple):
    """A skill; `tokens` and `found` are numbers in the order of `Tokens` and of the levels."""

    name: str
    path: str
    state: State
    cycle: int
    requesters: tuple[str, ...]
    tokens: list[int] | None
    found: tuple[int, int, int]


class GraphData(NamedTuple):
    """The graph; an edge is the places of two skills in the list, its relation, and whether it is in a cycle."""

    nodes: list[GraphNodeData]
    edges: list[tuple[int, int, str, int]]
    relations: Mapping[Relation, str]
    states: Mapping[State, str]


class GraphContext(NamedTuple):
    """What the templates of the two views are given."""

    graph_title: str
    always: int
    plain_skills: list[tuple[str, Tokens | None]]
    plain_edges: list[str]


def graph_data(graph: SkillGraph, path_of: Callable[[str], str]) -> GraphData:
    """What the scripts are given: edges have the places of skills in the list. `path_of` shows an absolute path."""
    places = {node.id: number for number, node in enumerate(graph.nodes)}
    edges = [
        (places[edge.user], places[edge.needed], edge.relation.value, int(graph.is_circular(edge)))
        for edge in graph.edges
    ]
    nodes = [_node(node, graph, path_of) for node in graph.nodes]
    return GraphData(nodes, edges, RELATIONS, STATES)


def _node(node: Node, graph: SkillGraph, path_of: Callable[[str], str]) -> GraphNodeData:
    return GraphNodeData(
        shown(node.name),
        path_of(node.directory) if node.directory else "",
        node.state,
        int(node.id in graph.in_cycles),
        tuple(node.asked_by),
        list(node.tokens) if node.tokens else None,
        (node.errors, node.warnings, node.notes),
    )


def graph_context(graph: SkillGraph) -> GraphContext:
    """What the templates are given."""
    labels = {node.id: node_label(node) for node in graph.nodes}
    there = [node for node in graph.nodes if node.tokens]
    return GraphContext(
        graph_title(graph),
        sum(node.tokens.description for node in there if node.tokens),
        [(labels[node.id], node.tokens) for node in there[:_MAX_PLAIN]],
        [f"{labels[edge.user]} {RELATIONS[edge.relation]} {labels[edge.needed]}" for edge in graph.edges[:_MAX_PLAIN]],
    )
