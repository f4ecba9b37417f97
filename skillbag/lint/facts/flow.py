"""Which sources reach which acts: along names, without regard to order, through functions and files."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

from skillbag.lint.facts.values import Act, Flow, Origin, OriginKind, Step

_MAX_SOURCES = 200
"""Sources of one unit that are followed: each may pass every step once."""
_MAX_STEPS = 12
"""Names on the way of a flow: across more of them, names that have several meanings link what is apart."""
WHOLE = frozenset([OriginKind.ENVIRONMENT, OriginKind.LOGIN_FILE])
"""Kinds of which one field is not the secret."""


class _Graph:
    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.users: dict[str, list[int]] = {}
        self.pickers: dict[str, list[int]] = {}
        for index, step in enumerate(steps):
            for name in step.uses:
                self.users.setdefault(name, []).append(index)
            for name in step.picks:
                self.pickers.setdefault(name, []).append(index)

    def reached(self, source: Origin, first: int) -> Iterator[Flow]:
        """The acts that a source gets to, the nearest first."""
        seen, names = {first}, set[str]()
        queue = deque([(first, 0)])
        while queue:
            index, steps = queue.popleft()
            step = self.steps[index]
            if steps > _MAX_STEPS:
                return
            for act in step.acts:
                yield Flow(source, act, steps)
            for name in step.defines:
                if name in names:
                    continue
                names.add(name)
                users = self.users.get(name, ())
                pickers = () if source.kind in WHOLE else self.pickers.get(name, ())
                for user in (*users, *pickers):
                    if user not in seen:
                        seen.add(user)
                        queue.append((user, steps + 1))


def flows(steps: Sequence[Step]) -> Iterator[Flow]:
    """The flows of a unit or of several, source by source."""
    graph, seen = _Graph(steps), set[tuple[Origin, Act]]()
    sources = ((source, index) for index, step in enumerate(steps) for source in step.sources)
    for source, index in islice(sources, _MAX_SOURCES):
        for flow in graph.reached(source, index):
            if (flow.source, flow.act) not in seen:
                seen.add((flow.source, flow.act))
                yield flow
