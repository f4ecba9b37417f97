"""Places for the skills of a drawing: what is connected in layers from left to right, the rest in a grid below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillbag.kernel.base.extras import extra
from skillbag.lint.skill_graph.components import finishing_order
from skillbag.lint.skill_graph.values import SkillGraph

ROW = 46
"""Between the middles of two boxes above each other."""
_GAP = 90
"""Between two layers, without the boxes."""
_BETWEEN = 40
"""Between two groups."""
_WIDEST = 1600
"""Groups are put beside each other up to this width."""


class Layout(NamedTuple):
    """The middles of the boxes by id, the bends of edges by their ends, and the size of the whole. `grid_top` is where
    the grid of skills without relations begins, if there is one."""

    places: dict[str, tuple[float, float]]
    bends: dict[tuple[str, str], tuple[tuple[float, float], ...]]
    width: float
    height: float
    grid_top: float | None


class _Group(NamedTuple):
    """Skills that are connected, with places from 0 to the size."""

    places: dict[str, tuple[float, float]]
    bends: dict[tuple[str, str], tuple[tuple[float, float], ...]]
    width: float
    height: float


def lay_out(graph: SkillGraph, box: float, user: str) -> Layout:
    """Places for boxes of the width `box`; `user` is what needs the extra.

    Raises:
        MissingExtraError: it is not installed.
    """
    from_edges = extra("fast_sugiyama", user, "graph").from_edges
    order, edges = _without_cycles(graph)
    found = from_edges(edges, vertex_spacing=1) if edges else ()
    groups = [_group(places, ends, order, box) for places, _, _, ends in found]
    # The same input gives the same drawing: the library has no order of its own.
    groups.sort(key=lambda group: (-len(group.places), min(group.places)))
    places, bends, width, height = _packed(groups)
    apart = [node.id for node in graph.nodes if node.id not in places]
    if not apart:
        return Layout(places, bends, width, height, None)
    top = height + _BETWEEN if groups else 0
    columns = max(1, int((max(width, _WIDEST if len(apart) > 12 else 700) + 20) // (box + 20)))
    for number, name in enumerate(apart):
        row, column = divmod(number, columns)
        places[name] = (column * (box + 20) + box / 2, top + ROW / 2 + row * ROW)
    rows = -(-len(apart) // columns)
    return Layout(places, bends, max(width, min(columns, len(apart)) * (box + 20) - 20), top + rows * ROW, top)


def _without_cycles(graph: SkillGraph) -> tuple[list[str], list[tuple[int, int]]]:
    """The ids, and the edges as places in them, all in the direction of this order: the layout takes no cycles, and
    ends the process where it meets one."""
    targets: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        targets[edge.user].append(edge.needed)
    # Numbers without gaps: the library goes on counting for its bends.
    linked = {name for edge in graph.edges if edge.user != edge.needed for name in (edge.user, edge.needed)}
    order = [name for name in reversed(finishing_order(targets)) if name in linked]
    place = {name: number for number, name in enumerate(order)}
    ends = [(place[edge.user], place[edge.needed]) for edge in graph.edges if edge.user != edge.needed]
    return order, sorted({(min(pair), max(pair)) for pair in ends})


_Found = Sequence[tuple[int, tuple[float, float]]]


def _group(found: _Found, ends: Iterable[tuple[int, int]], order: Sequence[str], box: float) -> _Group:
    """A group of the library, whose layers lie below each other, turned: its layers are columns."""
    left, top = min(x for _, (x, _) in found), max(y for _, (_, y) in found)
    points = {number: ((top - y) * (box + _GAP) + box / 2, (x - left) * ROW + ROW / 2) for number, (x, y) in found}
    places = {order[number]: point for number, point in points.items() if number < len(order)}
    bends = {
        (order[path[0]], order[path[-1]]): tuple(points[number] for number in path[1:-1])
        for path in _paths(ends, len(order))
    }
    width = max(x for x, _ in points.values()) + box / 2
    return _Group(places, bends, width, max(y for _, y in points.values()) + ROW / 2)


def _paths(ends: Iterable[tuple[int, int]], real: int) -> Iterable[list[int]]:
    """Edges as chains from a skill to a skill; those from `real` on are bends, each with an edge on both sides."""
    ends = sorted(ends)
    following = {first: second for first, second in ends if first >= real}
    for first, second in ends:
        if first < real:
            path = [first, second]
            while path[-1] >= real:
                path.append(following[path[-1]])
            if len(path) > 2:
                yield path


def _packed(groups: Sequence[_Group]) -> _Group:
    """The groups beside each other in rows."""
    places: dict[str, tuple[float, float]] = {}
    bends: dict[tuple[str, str], tuple[tuple[float, float], ...]] = {}
    most = max([_WIDEST, *(group.width for group in groups)])
    x = y = height = width = 0.0
    for group in groups:
        if x and x + group.width > most:
            x, y, height = 0.0, y + height + _BETWEEN, 0.0
        places |= {name: (px + x, py + y) for name, (px, py) in group.places.items()}
        bends |= {ends: tuple((px + x, py + y) for px, py in points) for ends, points in group.bends.items()}
        width, height = max(width, x + group.width), max(height, group.height)
        x += group.width + 2 * _BETWEEN
    return _Group(places, bends, width, y + height)
