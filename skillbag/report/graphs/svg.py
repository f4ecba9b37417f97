"""The graph of skills as an SVG that stands alone: colours follow the reader's theme, and skills are links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote

from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.lint.skill_graph.values import Edge, Node, Relation, SkillGraph, State
from skillbag.report.columns import head_or_more
from skillbag.report.graphs.layout import Layout, lay_out
from skillbag.report.graphs.values import RELATIONS, graph_title, node_description, node_label

_LONGEST = 34
"""Characters of a label; the title of a box has the whole name."""
_CHARACTER = 7.8
"""The width of a usual character of a label."""
_BOX_HEIGHT = 30
_MARGIN = 24
_HEADER = 64
_ARROW = 7
Point = tuple[float, float]

_STYLE = """\
svg { color-scheme: light dark; --ink: #1f2937; --paper: #ffffff; --box: #f8fafc; --line: #64748b; --own: #94a3b8;
  --installed: #2563eb; --bad: #dc2626; --faint: #4b5563; }
@media (prefers-color-scheme: dark) { svg { --ink: #e5e7eb; --paper: #111827; --box: #1f2937; --line: #94a3b8;
  --own: #64748b; --installed: #60a5fa; --bad: #f87171; --faint: #9ca3af; } }
.paper { fill: var(--paper); }
text { font: 13px system-ui, sans-serif; fill: var(--ink); }
.heading { font-size: 16px; font-weight: 600; }
.faint { fill: var(--faint); }
.box { fill: var(--box); stroke: var(--own); stroke-width: 1.5; }
.installed .box { stroke: var(--installed); stroke-width: 2.5; }
.missing .box { stroke: var(--bad); stroke-dasharray: 5 3; fill: none; }
.missing text { fill: var(--bad); }
.absent .box { stroke-dasharray: 3 3; fill: none; }
.absent text { fill: var(--faint); }
.circular .box { stroke: var(--bad); stroke-width: 3; }
.edge { fill: none; stroke: var(--line); stroke-width: 1.4; }
.head { fill: var(--line); }
.optional .edge { stroke-dasharray: 9 3; }
.companion .edge { stroke-dasharray: 5 4; }
.link .edge { stroke-dasharray: 1.5 4; }
.turned .edge { stroke: var(--bad); stroke-width: 2.2; }
.turned .head { fill: var(--bad); }
a:focus .box, a:hover .box { stroke-width: 4; }
"""


def graph_svg(graph: SkillGraph, prefix: str = "") -> str:
    """The drawing. `prefix` leads from the file to the folder that the paths of skills are relative to.

    Raises:
        MissingExtraError: there is no layout.
    """
    labels = [head_or_more(node_label(node), _LONGEST) for node in graph.nodes]
    box = max([90.0, *(len(label) * _CHARACTER + 24 for label in labels)])
    return "".join(f"{line}\n" for line in _Drawing(graph, lay_out(graph, box, "--format svg"), box, prefix).lines())


class _Drawing:
    def __init__(self, graph: SkillGraph, layout: Layout, box: float, prefix: str) -> None:
        self._graph, self._box, self._prefix = graph, box, prefix
        self._layout = layout
        self._labels = {node.id: node_label(node) for node in graph.nodes}

    def lines(self) -> Iterator[str]:
        """The whole document."""
        graph, title = self._graph, graph_title(self._graph)
        legend = list(_legend(graph))
        width = max(self._layout.width, 420, sum(size for size, _ in legend)) + 2 * _MARGIN
        height = self._layout.height + _HEADER + _MARGIN + 40
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" role="group" aria-labelledby="title description">'
        )
        yield f'<title id="title">Skills: {escape(title)}</title>'
        yield f'<desc id="description">{escape(_description(graph))}</desc>'
        yield f"<style>\n{_STYLE}</style>"
        yield '<rect class="paper" width="100%" height="100%"/>'
        yield f'<text class="heading" x="{_MARGIN}" y="34">{escape(title)}</text>'
        yield f'<g transform="translate({_MARGIN} {_HEADER})">'
        for edge in graph.edges:
            yield from self._edge(edge)
        if self._layout.grid_top and graph.edges:
            yield f'<text class="faint" x="0" y="{self._layout.grid_top - 8:.1f}">Skills without relations</text>'
        for node in graph.nodes:
            yield from self._node(node)
        yield "</g>"
        x = float(_MARGIN)
        for size, markup in legend:
            yield f'<g transform="translate({x:.0f} {height - _MARGIN:.0f})">{markup}</g>'
            x += size
        yield "</svg>"

    def _node(self, node: Node) -> Iterator[str]:
        x, y = self._layout.places[node.id]
        circular = " circular" if node.id in self._graph.in_cycles else ""
        label = escape(head_or_more(self._labels[node.id], _LONGEST))
        box = (
            f'<g class="skill {node.state.value}{circular}">'
            f"<title>{escape(node_description(node, self._graph))}</title>"
            f'<rect class="box" x="{x - self._box / 2:.1f}" y="{y - _BOX_HEIGHT / 2:.1f}" width="{self._box:.1f}" '
            f'height="{_BOX_HEIGHT}" rx="6"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle">{label}</text></g>'
        )
        if not node.is_there:
            yield box
            return
        yield f'<a href="{escape(self._address(node))}">{box}</a>'

    def _address(self, node: Node) -> str:
        """A relative address; it begins with a dot, so that no name is taken for a scheme."""
        path = "/".join(filter(None, (self._prefix, node.path, SKILL_FILE)))
        return f"./{quote(path.encode('utf-8', 'surrogateescape'))}"

    def _edge(self, edge: Edge) -> Iterator[str]:
        words = f"{self._labels[edge.user]} {RELATIONS[edge.relation]} {self._labels[edge.needed]}"
        turned = " turned" if self._graph.is_circular(edge) else ""
        points = self._points(edge)
        yield (
            f'<g class="{edge.relation.value}{turned}"><title>{escape(words)}</title>'
            f'<path class="edge" d="{_curve(points)}"/><path class="head" d="{_head(points)}"/></g>'
        )

    def _points(self, edge: Edge) -> Sequence[Point]:
        """From the side of one box to the side of the other."""
        (x1, y1), (x2, y2) = self._layout.places[edge.user], self._layout.places[edge.needed]
        half = self._box / 2
        if edge.user == edge.needed:
            return (x1 + half, y1 - 8), (x1 + half + 40, y1), (x1 + half + _ARROW, y1 + 8)
        if x2 > x1:
            bends = self._layout.bends.get((edge.user, edge.needed), ())
            return (x1 + half, y1), *bends, (x2 - half - _ARROW, y2)
        bends = self._layout.bends.get((edge.needed, edge.user), ())[::-1]
        # Beside the edge in the other direction.
        return (x1 - half, y1 + 7), *((x, y + 7) for x, y in bends), (x2 + half + _ARROW, y2 + 7)


def _curve(points: Sequence[Point]) -> str:
    """A line through the points that leaves and reaches each of them horizontally."""
    (x, y), *rest = points
    parts = [f"M{x:.1f} {y:.1f}"]
    for nx, ny in rest:
        middle = (x + nx) / 2
        parts.append(f"C{middle:.1f} {y:.1f} {middle:.1f} {ny:.1f} {nx:.1f} {ny:.1f}")
        x, y = nx, ny
    return "".join(parts)


def _head(points: Sequence[Point]) -> str:
    (before, _), (x, y) = points[-2:]
    tip = x + _ARROW if x > before else x - _ARROW
    return f"M{tip:.1f} {y:.1f}L{x:.1f} {y - 4:.1f}L{x:.1f} {y + 4:.1f}Z"


def _description(graph: SkillGraph) -> str:
    """The relations as sentences, for those who do not see the drawing."""
    names = {node.id: node_label(node) for node in graph.nodes}
    relations = [f"{names[edge.user]} {RELATIONS[edge.relation]} {names[edge.needed]}" for edge in graph.edges]
    cycles = [f"cycle of {', '.join(names[name] for name in cycle)}" for cycle in graph.cycles]
    return ". ".join([*cycles, *relations, ""]) or "No skill needs another one."


def _legend(graph: SkillGraph) -> Iterator[tuple[float, str]]:
    """The kinds of edges and boxes that are there, with their width."""
    relations = {edge.relation for edge in graph.edges}
    for relation in Relation:
        if relation in relations:
            line = f'<g class="{relation.value}"><path class="edge" d="M0 -4H34"/></g>'
            yield _entry(RELATIONS[relation], line)
    states = {node.state for node in graph.nodes}
    for state, word in ((State.INSTALLED, "installed"), (State.MISSING, "missing"), (State.ABSENT, "not installed")):
        if state in states:
            yield _entry(
                word, f'<g class="{state.value}"><rect class="box" y="-11" width="34" height="14" rx="4"/></g>'
            )
    if graph.cycles:
        yield _entry("cycle", '<g class="circular"><rect class="box" y="-11" width="34" height="14" rx="4"/></g>')


def _entry(word: str, sign: str) -> tuple[float, str]:
    return 66 + len(word) * _CHARACTER, f'{sign}<text class="faint" x="42">{word}</text>'
