"""Which sources reach which acts: along names, without regard to order, through functions and files."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.values import Act, ActKind, Flow, Origin, OriginKind, Step

_MAX_VISITS = 600_000
"""Steps that all of them may pass together: about a second."""
_MAX_STEPS = 12
"""Names of several meanings on the way of a flow: across more of them, they link what is apart."""
WHOLE = frozenset([OriginKind.ENVIRONMENT, OriginKind.LOGIN_FILE])
"""Kinds of which one field is not the secret."""


class Reached(NamedTuple):
    """A flow, with the numbers of the steps that its source and its act are in."""

    flow: Flow
    taken: int
    done: int


class Reaches(NamedTuple):
    """The flows of some steps. `is_cut`: there are so many that some may be missing."""

    found: tuple[Reached, ...]
    is_cut: bool = False


class _Graph:
    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.users: dict[str, list[int]] = {}
        self.pickers: dict[str, list[int]] = {}
        self.makers: dict[str, list[int]] = {}
        self.visits = 0
        for index, step in enumerate(steps):
            for names, of in ((step.uses, self.users), (step.picks, self.pickers), (step.defines, self.makers)):
                for name in names:
                    of.setdefault(name, []).append(index)
        self.leading = self._leading()

    def _leading(self) -> set[int]:
        """The steps from which a value may get to an act."""
        found = {index for index, step in enumerate(self.steps) if step.acts}
        queue, names = deque(found), set[str]()
        while queue:
            step = self.steps[queue.popleft()]
            for name in (*step.uses, *step.picks):
                if name not in names:
                    names.add(name)
                    makers = [maker for maker in self.makers.get(name, ()) if maker not in found]
                    found.update(makers)
                    queue.extend(makers)
        return found

    def _downloads(self, index: int) -> bool:
        return any(source.kind is OriginKind.DOWNLOAD for source in self.steps[index].sources)

    def reached(self, source: Origin, first: int) -> Iterator[Reached]:
        """The acts that a source gets to, the nearest first; of those that do the same, one."""
        seen, names, acts = set[int](), set[str](), set[tuple[ActKind, str, str]]()
        queue = deque([(first, 0)])
        while queue and self.visits < _MAX_VISITS:
            index, steps = queue.popleft()
            if index in seen:
                continue
            self.visits += 1
            seen.add(index)
            for act in self.steps[index].acts:
                if (key := (act.kind, act.to, act.means)) not in acts:
                    acts.add(key)
                    yield Reached(Flow(source, act), first, index)
            if index != first and source.kind is OriginKind.DOWNLOAD and self._downloads(index):
                # What says from where to download is not what is downloaded.
                continue
            for name in self.steps[index].defines:
                if name in names:
                    continue
                names.add(name)
                passed = steps + (len(self.makers[name]) > 1)
                if passed <= _MAX_STEPS:
                    queue.extend((user, passed) for user in self._users(name, source) if user not in seen)

    def _users(self, name: str, source: Origin) -> Iterator[int]:
        pickers = () if source.kind in WHOLE else self.pickers.get(name, ())
        return (user for user in (*self.users.get(name, ()), *pickers) if user in self.leading)


def flows(steps: Sequence[Step], most: int) -> Reaches:
    """The flows of a unit or of several, source by source, of so many at most that may reach an act."""
    if not any(step.sources for step in steps):
        return Reaches(())
    graph = _Graph(steps)
    found: dict[tuple[Origin, Act], Reached] = {}
    sources = set[Origin]()
    for index in sorted(graph.leading):
        for source in steps[index].sources:
            sources.add(source)
            if len(sources) > most or graph.visits >= _MAX_VISITS:
                return Reaches((*found.values(),), is_cut=True)
            for each in graph.reached(source, index):
                found.setdefault((source, each.flow.act), each)
    return Reaches((*found.values(),))


def carried(steps: Sequence[Step], kinds: frozenset[OriginKind]) -> set[str]:
    """The names that what is taken of some kinds gets into."""
    users: dict[str, list[int]] = {}
    for index, step in enumerate(steps):
        for name in (*step.uses, *step.picks):
            users.setdefault(name, []).append(index)
    queue = deque(index for index, step in enumerate(steps) if any(each.kind in kinds for each in step.sources))
    seen, names = set(queue), set[str]()
    while queue:
        for name in steps[queue.popleft()].defines:
            if name not in names:
                names.add(name)
                further = [user for user in users.get(name, ()) if user not in seen]
                seen.update(further)
                queue.extend(further)
    return names
