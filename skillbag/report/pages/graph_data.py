"""The graph of skills as the data of a page, and what a reader without scripts is shown of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from skillbag.lint.skill_graph.values import Node, SkillGraph
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


def graph_data(graph: SkillGraph, path_of: Callable[[str], str]) -> dict[str, Any]:
    """What the scripts are given: edges have the places of skills in the list. `path_of` shows an absolute path."""
    places = {node.id: number for number, node in enumerate(graph.nodes)}
    return {
        "nodes": [_node(node, graph, path_of) for node in graph.nodes],
        "edges": [
            [places[edge.user], places[edge.needed], edge.relation.value, int(graph.is_circular(edge))]
            for edge in graph.edges
        ],
        "relations": {relation.value: words for relation, words in RELATIONS.items()},
        "states": {state.value: words for state, words in STATES.items()},
    }


def _node(node: Node, graph: SkillGraph, path_of: Callable[[str], str]) -> dict[str, Any]:
    return {
        "name": shown(node.name),
        "path": path_of(node.directory) if node.directory else "",
        "state": node.state.value,
        "cycle": int(node.id in graph.in_cycles),
        "asked": list(node.asked_by),
        "tokens": list(node.tokens) if node.tokens else None,
        "found": [node.errors, node.warnings, node.notes],
    }


def graph_context(graph: SkillGraph) -> dict[str, Any]:
    """What the templates of the two views are given."""
    labels = {node.id: node_label(node) for node in graph.nodes}
    there = [node for node in graph.nodes if node.tokens]
    return {
        "graph_title": graph_title(graph),
        "always": sum(node.tokens.description for node in there if node.tokens),
        "plain_skills": [(labels[node.id], node.tokens) for node in there[:_MAX_PLAIN]],
        "plain_edges": [
            f"{labels[edge.user]} {RELATIONS[edge.relation]} {labels[edge.needed]}" for edge in graph.edges[:_MAX_PLAIN]
        ],
    }
