"""Who needs whom, for people: a drawing in which each skill's own needs stand once, and the ways that lead to a skill.

Both look at each skill once, however many ways lead to it: in a net of skills there are more ways than can be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Needs = Callable[[str], Sequence[str]]


def draw(names: Iterable[str], needs: Needs, label: Callable[[str], str], shown: set[str]) -> Iterator[str]:
    """The lines of a tree below a title; a skill in `shown` has been drawn with its needs already, which is said."""
    pending = [*_branches(names, "")]
    while pending:
        name, indent, last = pending.pop()
        below = needs(name)
        again = "  (see above)" if name in shown and below else ""
        yield f"{indent}{'└── ' if last else '├── '}{label(name)}{again}"
        if name not in shown:
            shown.add(name)
            pending += _branches(below, indent + ("    " if last else "│   "))


def _branches(names: Iterable[str], indent: str) -> Iterator[tuple[str, str, bool]]:
    """What is to be drawn, the last first."""
    for number, name in enumerate(reversed(list(names))):
        yield name, indent, number == 0


def reached(names: Iterable[str], needs: Needs) -> set[str]:
    """The names, and all that they need."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += needs(name)
    return found


def ways(
    name: str, beginnings: Mapping[str, Sequence[str]], users: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, ...]]:
    """The ways from a beginning over users to the skill, none through one skill twice.

    `beginnings` are, by the name of a skill, those who ask for it without being a skill; `users` who needs a skill, as
    far as any beginning leads to them.
    """
    pending: list[tuple[str, ...]] = [(name,)]
    while pending:
        way = pending.pop()
        for beginning in beginnings.get(way[0], ()):
            yield (beginning, *way)
        pending += [(user, *way) for user in users.get(way[0], ()) if user not in way]
