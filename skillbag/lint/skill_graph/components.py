"""Strongly connected components: the groups of a directed graph whose members reach each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

Edges = Mapping[str, Iterable[str]]


def cycles_of(edges: Edges) -> tuple[tuple[str, ...], ...]:
    """The components with a cycle, each sorted; `edges` has every node as a key (Kosaraju, without recursion)."""
    turned: dict[str, list[str]] = {name: [] for name in edges}
    for name, targets in edges.items():
        for target in targets:
            turned[target].append(name)
    done: set[str] = set()
    components = [sorted(_finished(name, turned, done)) for name in reversed(finishing_order(edges))]
    circular = [group for group in components if len(group) > 1 or (group and group[0] in edges[group[0]])]
    return tuple(sorted(map(tuple, circular)))


def finishing_order(edges: Edges) -> list[str]:
    """The nodes, each after all that it leads to, as far as there are no cycles."""
    done: set[str] = set()
    return [name for start in edges for name in _finished(start, edges, done)]


def _finished(start: str, edges: Edges, done: set[str]) -> Iterator[str]:
    """What can be reached from `start` and is not `done`, which is extended; each name after all that it leads to."""
    pending = [] if start in done else [(start, iter(edges[start]))]
    done.add(start)
    while pending:
        name, targets = pending[-1]
        following = next((target for target in targets if target not in done), None)
        if following is None:
            pending.pop()
            yield name
        else:
            done.add(following)
            pending.append((following, iter(edges[following])))
