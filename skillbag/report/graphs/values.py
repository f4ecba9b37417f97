"""The graph of skills as JSON, and the words for its parts."""

from __future__ import annotations

from typing import Any

from skillbag.lint.skill_graph.values import Node, Relation, SkillGraph, State, Tokens
from skillbag.report.sanitize import exact, shown
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


def graph_values(graph: SkillGraph) -> dict[str, Any]:
    """The graph in plain values."""
    return {
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [
            {"from": exact(edge.user), "to": exact(edge.needed), "kind": edge.relation.value} for edge in graph.edges
        ],
        "cycles": [[exact(name) for name in cycle] for cycle in graph.cycles],
    }


def _node(node: Node) -> dict[str, Any]:
    return {
        "id": exact(node.id),
        "name": exact(node.name),
        "path": exact(node.path),
        "state": node.state.value,
        "asked_by": list(node.asked_by),
        "tokens": node.tokens and node.tokens._asdict(),
    }


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
