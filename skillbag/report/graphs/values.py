"""The graph of skills as JSON, and the words for its parts."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.lint.skill_graph.values import Node, Relation, SkillGraph, State, Tokens
from skillbag.report.answers.types import Text
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

    id: Text
    name: Text
    path: Annotated[str, "Its folder, relative to the root, with `/`; empty if it is not there."]
    state: Annotated[State, "`missing`: something requires it; `absent`: not there, and nothing requires it."]
    asked_by: Annotated[tuple[Text, ...], "`CONTEXT.md` or `command line`."]
    tokens: Annotated[
        Tokens | None,
        "Estimates of what an agent loads: name and description always, the body when the skill is activated, other "
        "Markdown files on demand.",
    ]


class GraphEdgeJson(NamedTuple):
    """A relation between two skills."""

    from_: Text
    to: Text
    kind: Relation


class GraphJson(NamedTuple):
    """The graph."""

    nodes: Annotated[tuple[GraphNodeJson, ...], "Skills by id; those that are not there, too."]
    edges: Annotated[
        tuple[GraphEdgeJson, ...],
        "Relations by the ids of their ends: `companion` is `#use/NAME`, `link` a link to a file of the other skill.",
    ]
    cycles: Annotated[
        tuple[Annotated[tuple[Text, ...], fits(minItems=1)], ...],
        "The largest groups of skills that depend on each other.",
    ]

    @classmethod
    def of(cls, graph: SkillGraph) -> GraphJson:
        """The graph of skills."""
        nodes = [
            GraphNodeJson(node.id, node.name, node.path, node.state, node.asked_by, node.tokens) for node in graph.nodes
        ]
        edges = [GraphEdgeJson(edge.user, edge.needed, edge.relation) for edge in graph.edges]
        return cls(tuple(nodes), tuple(edges), graph.cycles)


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
