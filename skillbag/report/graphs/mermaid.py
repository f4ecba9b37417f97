"""The graph of skills as a Mermaid flowchart. Every character of a name that is not plain becomes its number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.lint.skill_graph.values import Relation, SkillGraph, State
from skillbag.report.graphs.values import graph_title, node_label

_ODD = re.compile(r"[^A-Za-z0-9 _.-]")
_ARROWS = {
    Relation.DEPENDENCY: "-->",
    Relation.OPTIONAL: "-. can use .->",
    Relation.COMPANION: "-. runs with .->",
    Relation.LINK: "-. links to .->",
}
_CLASSES = {
    State.INSTALLED: "installed",
    State.MISSING: "missing",
    State.ABSENT: "absent",
}
# Colours that can be read on light and on dark pages.
_STYLES = """\
    classDef installed stroke:#2563eb,stroke-width:2px
    classDef missing stroke:#dc2626,stroke-width:2px,stroke-dasharray:5 3
    classDef absent stroke-dasharray:3 3
    classDef cycle stroke:#dc2626,stroke-width:3px
"""


def graph_mermaid(graph: SkillGraph) -> str:
    """The flowchart."""
    return "".join(_lines(graph)) + _STYLES


def _lines(graph: SkillGraph) -> Iterator[str]:
    ids = {node.id: f"s{number}" for number, node in enumerate(graph.nodes)}
    yield "flowchart LR\n"
    yield "    accTitle: Skills\n"
    yield f"    accDescr: {graph_title(graph)}\n"
    for node in graph.nodes:
        kind = "cycle" if node.id in graph.in_cycles else _CLASSES.get(node.state, "")
        yield f'    {ids[node.id]}["{_escaped(node_label(node))}"]{f":::{kind}" if kind else ""}\n'
    for edge in graph.edges:
        yield f"    {ids[edge.user]} {_ARROWS[edge.relation]} {ids[edge.needed]}\n"
    if circular := [str(number) for number, edge in enumerate(graph.edges) if graph.is_circular(edge)]:
        yield f"    linkStyle {','.join(circular)} stroke:#dc2626,stroke-width:3px\n"


def _escaped(text: str) -> str:
    return _ODD.sub(lambda match: f"#{ord(match[0])};", text)
