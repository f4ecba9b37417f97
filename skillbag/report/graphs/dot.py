"""The graph of skills in the language of Graphviz. Names stand in quoted strings, where nothing is special."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.lint.skill_graph.values import Edge, Node, Relation, SkillGraph, State
from skillbag.report.graphs.values import RELATIONS, graph_title, node_description, node_label

_STATES = {
    State.OWN: "",
    State.INSTALLED: ", penwidth=2",
    State.MISSING: ', style="rounded,dashed", color="#dc2626", fontcolor="#b91c1c"',
    State.ABSENT: ', style="rounded,dashed", color="#6b7280", fontcolor="#4b5563"',
}
_RELATIONS = {
    Relation.DEPENDENCY: "",
    Relation.OPTIONAL: ", arrowhead=empty",
    Relation.COMPANION: ", style=dashed",
    Relation.LINK: ", style=dotted, arrowhead=open",
}
_HEAD = """\
digraph skills {
    rankdir=LR
    node [shape=box, style=rounded, fontname="sans-serif", fontsize=11]
    edge [color="#4b5563"]
"""


def graph_dot(graph: SkillGraph) -> str:
    """The whole text."""
    return "".join(_lines(graph))


def _lines(graph: SkillGraph) -> Iterator[str]:
    ids = {node.id: f"s{number}" for number, node in enumerate(graph.nodes)}
    yield _HEAD
    yield f"    tooltip={_quoted(graph_title(graph))}\n"
    for node in graph.nodes:
        yield f"    {ids[node.id]} [{_node(node, graph)}]\n"
    for edge in graph.edges:
        yield f"    {ids[edge.user]} -> {ids[edge.needed]} [{_edge(edge, graph)}]\n"
    yield "}\n"


def _node(node: Node, graph: SkillGraph) -> str:
    label, tooltip = _quoted(node_label(node)), _quoted(node_description(node, graph))
    circular = ', color="#dc2626", penwidth=3' if node.id in graph.in_cycles else ""
    return f"label={label}, tooltip={tooltip}{_STATES[node.state]}{circular}"


def _edge(edge: Edge, graph: SkillGraph) -> str:
    circular = ', color="#dc2626", penwidth=2' if graph.is_circular(edge) else ""
    return f"tooltip={_quoted(RELATIONS[edge.relation])}{_RELATIONS[edge.relation]}{circular}"


def _quoted(text: str) -> str:
    """A string: in a label a backslash begins an escape of Graphviz, and an ampersand one of HTML."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") + '"'
