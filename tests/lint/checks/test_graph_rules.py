"""Cycles among dependencies, on graphs that the examples are too small for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.lint.checks.rule_runs import findings, messages
from tests.rows import each_row
from tests.support import Tree

CYCLE = "dependency-cycle"


def graph(tree: Tree, edges: Mapping[str, str | list[str]]) -> Path:
    """A source whose skills depend on each other as `edges` say."""
    text = "---\nname: {0}\ndescription: Do {0}.\ndependencies: [{1}]\n---\n"
    items = {name: ", ".join(f"{{name: {target}}}" for target in targets) for name, targets in edges.items()}
    return tree({f".skills/{name}/SKILL.md": text.format(name, items[name]) for name in edges})


@each_row(
    ("edges", "chains"),
    [
        ({"a": "b", "b": "c", "c": ""}, []),
        ({"a": "bc", "b": "d", "c": "d", "d": ""}, []),
        ({"a": "a"}, ["a -> a"]),
        ({"b": "a", "a": "b"}, ["a -> b -> a"]),
        ({"a": "b", "b": "ac", "c": "d", "d": "c"}, ["a -> b -> a", "c -> d -> c"]),
        ({"a": "b", "b": "c", "c": "ab"}, ["a -> b -> c -> a", "b -> c -> b"]),
        ({"a": "x", "x": "yz", "y": "x", "z": ""}, ["x -> y -> x"]),
        ({"a": "q"}, []),
    ],
)
def test_each_cycle_once(edges: dict[str, str], chains: list[str], tree: Tree) -> None:
    found = messages(graph(tree, edges), CYCLE)
    assert [message.partition(": ")[2] for message in found] == chains


def test_a_long_cycle_needs_no_deep_stack(tree: Tree) -> None:
    names = [f"s{number:04}" for number in range(1500)]
    root = graph(tree, {name: [names[number - 1499]] for number, name in enumerate(names)})
    (message,) = messages(root, CYCLE)
    assert message.endswith("s0007 -> (1491 more) -> s1499 -> s0000")


def test_a_dense_tangle_is_cut_short(tree: Tree) -> None:
    names = [f"s{number}" for number in range(60)]
    assert len(findings(graph(tree, dict.fromkeys(names, names)), CYCLE)) == 100
