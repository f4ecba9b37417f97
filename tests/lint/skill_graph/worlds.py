"""Skills for tests of their graph, as values and as folders."""

from __future__ import annotations

import random
from pathlib import Path

from skillbag.lint.skill_graph.components import cycles_of
from skillbag.lint.skill_graph.values import Edge, Node, Relation, SkillGraph, State, Tokens

HOSTILE = (
    '<script>alert("x")</script>',
    "</title><img src=x onerror=alert(1)>",
    "a\x1b[31mred\x07\r\nb",
    'quote" ] end; a --> b %% "',
    "\u202eright-to-left\u2066",
    "back\\slash\\N `tick` #35; &lt; &amp;",
    "javascript:alert(1)",
    "日本語のスキル 🧰",
    "half \ud800 surrogate",
    "n" * 200,
)


def skill(folder: Path, name: str, *, front: str = "", tags: str = "", body: str = "Do it.\n") -> Path:
    """Write a skill to `folder`; `front` are further lines of its front matter."""
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f'---\nname: {name}\ndescription: "Does {name}. Use when needed. {tags}"\n{front}---\n\n{body}'
    path.write_text(text, "utf-8")
    return path


def needs(*names: str, required: bool = True) -> str:
    """The front matter of dependencies."""
    lines = [f"  - name: {name}\n" + ("" if required else "    required: false\n") for name in names]
    return "dependencies:\n" + "".join(lines)


def graph_of(names: tuple[str, ...], *edges: tuple[int, int]) -> SkillGraph:
    """A graph of own skills with these names, and dependencies by their places."""
    nodes = tuple(
        Node(f"s{n:03}", name, f".skills/s{n:03}", f"/w/.skills/s{n:03}", State.OWN, Tokens(20, 700, 0))
        for n, name in enumerate(names)
    )
    generated = tuple(sorted(Edge(f"s{a:03}", f"s{b:03}", Relation.DEPENDENCY) for a, b in edges))
    return with_cycles(SkillGraph(nodes, generated))


def with_cycles(graph: SkillGraph) -> SkillGraph:
    """The graph with its cycles."""
    targets: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        if edge.relation in (Relation.DEPENDENCY, Relation.OPTIONAL):
            targets[edge.user].append(edge.needed)
    return graph._replace(cycles=cycles_of(targets))


def large_graph(count: int = 500) -> SkillGraph:
    """A graph as published collections have them: most skills stand alone, some are in groups, few have many users."""
    chance = random.Random(7)
    names = [f"{chance.choice(_VERBS)}-{chance.choice(_THINGS)}-{number}" for number in range(count)]
    nodes = [_node(name, chance) for name in names]
    edges: dict[tuple[str, str], Relation] = {}
    at = count // 2
    while at < count - 1:
        group = nodes[at : at + chance.choice((2, 2, 3, 4, 6, 12, 30))]
        at += len(group)
        for number, node in enumerate(group[1:], 1):
            for _ in range(chance.choice((1, 1, 1, 2, 3))):
                # Those that have users get more of them.
                other = group[int(number * chance.random() ** 2)]
                relation = chance.choices(tuple(Relation), (6, 1, 2, 2))[0]
                edges[node.id, other.id] = relation
        if len(group) > 4 and chance.random() < 0.3:
            edges[group[0].id, group[-1].id] = Relation.DEPENDENCY
            edges[group[-1].id, group[0].id] = Relation.DEPENDENCY
    missing = [Node(f".skills/lost-{n}", f"lost-{n}", "", "", State.MISSING) for n in range(5)]
    for number, node in enumerate(missing):
        edges[nodes[-1 - 7 * number].id, node.id] = Relation.DEPENDENCY
    generated = tuple(sorted(Edge(*ends, relation) for ends, relation in edges.items()))
    return with_cycles(SkillGraph(tuple(sorted([*nodes, *missing])), generated))


_VERBS = ("check", "convert", "draft", "find", "format", "plan", "review", "run", "summarize", "write")
_THINGS = ("changelog", "contract", "database", "deck", "gene-panel", "invoice", "links", "pdf", "release", "tests")


def _node(name: str, chance: random.Random) -> Node:
    state = chance.choices((State.OWN, State.INSTALLED), (1, 2))[0]
    tokens = Tokens(chance.randrange(20, 150), int(chance.lognormvariate(7.2, 0.8)), chance.choice((0, 0, 900, 4000)))
    errors, warnings = chance.choices((0, 1, 3), (12, 2, 1))[0], chance.choices((0, 1, 5), (6, 3, 2))[0]
    path = f".skills/{name}"
    return Node(path, name, path, f"/w/{path}", state, tokens, (), errors, warnings, chance.randrange(3))
