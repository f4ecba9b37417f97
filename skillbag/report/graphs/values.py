"""The graph of skills as JSON, and the words for its parts."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.lint.skill_graph.values import Node, Relation, SkillGraph, State, Tokens
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted

RELATIONS = {
    Relation.DEPENDENCY: "depends on",
    Relation.OPTIONAL: "can use",
    Relation.COMPANION: "runs with",
    Relation.LINK: "links to",
}
STATES = {
    State.OWN: "",
    State.INSTALLED: "installed",
    State.MISSING: "missing",
    State.ABSENT: "not installed",
}


class GraphNodeJson(NamedTuple):
    """A skill."""

    id: str
    name: str
    path: str
    state: State
    asked_by: tuple[str, ...]
    tokens: Tokens | None


class GraphEdgeJson(NamedTuple):
    """A relation between two skills."""

    from_: str
    to: str
    kind: Relation


class GraphJson(NamedTuple):
    """The graph."""

    nodes: tuple[GraphNodeJson, ...]
    edges: tuple[GraphEdgeJson, ...]
    cycles: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, graph: SkillGraph) -> GraphJson:
        """The graph of skills."""
        nodes = [
            GraphNodeJson(node.id, node.name, node.path, node.state, tuple(node.asked_by), node.tokens)
            for node in graph.nodes
        ]
        edges = [GraphEdgeJson(edge.user, edge.needed, edge.relation) for edge in graph.edges]
        return cls(tuple(nodes), tuple(edges), tuple(map(tuple, graph.cycles)))


def graph_title(graph: SkillGraph) -> str:
    """What a drawing shows, in one line."""
    there = sum(node.is_there for node in graph.nodes)
    missing = sum(node.state is State.MISSING for node in graph.nodes)
    parts = [counted(there, "skill"), counted(len(graph.edges), "relation")]
    parts += [f"{missing} missing"] if missing else []
    parts += [counted(len(graph.cycles), "cycle")] if graph.cycles else []
    return ", ".join(parts)


def node_label(node: Node) -> str:
    """The name of a skill, safe for people, with its state where that is not the usual one."""
    state = STATES[node.state]
    return f"{shown(node.name)} ({state})" if state and not node.is_there else shown(node.name)


def node_description(node: Node, graph: SkillGraph) -> str:
    """What to know about a skill, in one line."""
    parts = [node_label(node), *(["part of a cycle"] if node.id in graph.in_cycles else [])]
    parts += [f"asked for by {', '.join(node.asked_by)}"] if node.asked_by else []
    parts += [tokens_text(node.tokens)] if node.tokens else []
    return "; ".join(parts)


def tokens_text(tokens: Tokens) -> str:
    """The token budget in words."""
    return f"about {tokens.description:,} + {tokens.body:,} + {tokens.references:,} tokens"
