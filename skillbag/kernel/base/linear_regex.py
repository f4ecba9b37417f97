"""Regular expressions that others write, searched in linear time: no expression and no text makes a search hang.

`re` tries one way after the other, which may take for ever. Here all ways go side by side (Thompson 1968), and each
set of ways is computed once. So there are no back references and no look-around. `^` and `$` are the ends of a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from skillbag.kernel.base.linear_nodes import EDGE, LINE, OTHER, WORD, ExpressionNode, nodes_of

_MAX_STEPS = 50_000
"""Computed steps that are kept; after that they are computed again."""
_NODE = 4
"""Steps that a node takes, compared with a known step."""
_MAX_WORK = 10_000_000
"""Steps of one search: some seconds."""
_LONGEST_MATCH = 1_000


class TooMuchWorkError(Exception):
    """A search that takes more steps than a check may."""


class _State:
    """A set of nodes after a character of one kind, and the known steps from it, by the next character."""

    __slots__ = ("nodes", "side", "steps")

    def __init__(self, nodes: frozenset[int], side: int) -> None:
        self.nodes, self.side = nodes, side
        self.steps: dict[str, tuple[bool, _State]] = {}


def _side(char: str) -> int:
    if not char:
        return EDGE
    if char == "\n":
        return LINE
    return WORD if char.isalnum() or char == "_" else OTHER


class _Automaton:
    """The nodes of an expression, read forwards or backwards; `roams`: a match may begin at any place."""

    def __init__(
        self, nodes: Sequence[ExpressionNode], start: int, *, backwards: bool = False, roams: bool = False
    ) -> None:
        self._nodes, self._start, self._backwards, self._roams = nodes, start, backwards, roams
        self._states: dict[tuple[frozenset[int], int], _State] = {}
        self._kept = 0

    def state(self, nodes: frozenset[int], side: int) -> _State:
        known = self._states.get((nodes, side))
        if known is None:
            known = self._states[nodes, side] = _State(nodes, side)
        return known

    def begin(self, beside: str) -> _State:
        """The state before a search; `beside` is the character on the other side of its first place, or none."""
        return self.state(frozenset([self._start]), _side(beside))

    def step(self, state: _State, char: str, work: list[int]) -> tuple[bool, _State]:
        """Whether a match ends before `char` (none at the end), and the state after it: without nodes the last."""
        before, after = (_side(char), state.side) if self._backwards else (state.side, _side(char))
        reached, stack, ends, following = set[int](), list(state.nodes), False, set[int]()
        while stack:
            number = stack.pop()
            if number in reached:
                continue
            reached.add(number)
            node = self._nodes[number]
            if node.test is not None:
                if char and node.test(char):
                    following.update(node.next)
            elif not node.next:
                ends = True
            elif node.place is None or node.place(before, after):
                stack += node.next
        _count(work, _NODE * len(reached))
        if self._roams:
            following.add(self._start)
        found = ends, self.state(frozenset(following), _side(char))
        self._kept += 1
        if self._kept > _MAX_STEPS:
            self._states.clear()
            self._kept = 0
        state.steps[char] = found
        return found


class Expression:
    """A compiled expression."""

    def __init__(self, written: str, *, ignore_case: bool = False) -> None:
        """Compile.

        Raises:
            BadExpressionError: it is none that is searched in linear time.
        """
        nodes, start = nodes_of(written, ignore_case, backwards=False)
        self._roaming, self._forwards = _Automaton(nodes, start, roams=True), _Automaton(nodes, start)
        self._back = _Automaton(*nodes_of(written, ignore_case, backwards=True), backwards=True)

    def matches(self, text: str) -> bool:
        """Whether it matches anywhere, also nothing at all.

        Raises:
            TooMuchWorkError: the search takes too long.
        """
        return self._first_end(text, 0, [0]) >= 0

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """The start and end of each match that is not empty, in order: the one that ends first, as long as it gets.

        Raises:
            TooMuchWorkError: the search takes too long.
        """
        at, work = 0, [0]
        while (end := self._first_end(text, at, work)) >= 0:
            start = self._last(self._back, text, range(end - 1, at - 1, -1), end, work)
            limit = min(len(text), start + _LONGEST_MATCH)
            end = max(end, self._last(self._forwards, text, range(start, limit), start, work))
            if end > start:
                yield start, end
            at = max(end, at + 1) if end > start else end + 1
            if at > len(text):
                return

    def _first_end(self, text: str, at: int, work: list[int]) -> int:
        """The nearest end of a match that begins at `at` or later; -1 without one."""
        automaton = self._roaming
        state = automaton.begin(text[at - 1 : at] if at else "")
        for index in range(at, len(text)):
            char = text[index]
            ends, state = state.steps.get(char) or automaton.step(state, char, work)
            if ends:
                _count(work, index - at)
                return index
        _count(work, len(text) - at)
        return len(text) if automaton.step(state, "", work)[0] else -1

    def _last(self, automaton: _Automaton, text: str, indexes: range, at: int, work: list[int]) -> int:
        """The farthest place at which a match that begins at `at` ends, character by character."""
        backwards = indexes.step < 0
        state = automaton.begin(text[at : at + 1] if backwards else text[at - 1 : at] if at else "")
        farthest = at
        for count, index in enumerate(indexes):
            ends, state = state.steps.get(text[index]) or automaton.step(state, text[index], work)
            here = index + 1 if backwards else index
            farthest = here if ends else farthest
            if not state.nodes:
                _count(work, count)
                return farthest
        _count(work, len(indexes))
        last = indexes.stop + 1 if backwards else indexes.stop
        beyond = text[last - 1 : last] if backwards and last else "" if backwards else text[last : last + 1]
        return last if automaton.step(state, beyond, work)[0] else farthest


def _count(work: list[int], steps: int) -> None:
    work[0] += steps
    if work[0] > _MAX_WORK:
        raise TooMuchWorkError


@cache
def expression(written: str, *, ignore_case: bool = False) -> Expression:
    """The expression, compiled once. Raises as `Expression`."""
    return Expression(written, ignore_case=ignore_case)
