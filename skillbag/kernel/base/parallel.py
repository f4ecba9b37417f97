"""Work on many items, split over processes from a number of items that the caller gives, or from `ENOUGH` effort on."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generic, TypeVar

    Item = TypeVar("Item")
    Part = TypeVar("Part")
else:
    # The module `typing` is slow to load.
    Generic, Item = {None: object}, None

ENOUGH = 150_000
"""Bytes of text from which a second process saves more than it costs, if as many are to come (about 10 ms)."""
MAX = 8
"""Processes at most: all results go through one of them."""
_PARTS = 200
"""Parts at most: each has a number of one byte."""
_FEW = 16
"""Items of a part at least."""


def in_parts(work: Callable[[Sequence[Item]], Part], items: Sequence[Item], least: int) -> list[Part]:
    """`work` on all items: in one part or, from `least` items on, in many; the results are in the order of the items.

    There is a process for each half of `least`, but no more than cores, and `MAX` at most.
    """
    count = min(_cores(), MAX, 2 * len(items) // least) if len(items) >= least else 1
    return split(work, items, count, _FEW)


class UntilEnough(Generic[Item]):
    """Iterates over items of very different sizes until it is worth to split the rest over processes.

    That is when `effort()` has grown by `ENOUGH`, and what is left seems to be as much. Then `rest` are the items that
    are left and `processes` is one for each time, but no more than cores, and `MAX` at most.
    """

    def __init__(self, items: Sequence[Item], effort: Callable[[], int]) -> None:
        self.rest: Sequence[Item] = items
        self.processes = 1
        self._effort = effort

    def __iter__(self) -> Iterator[Item]:
        items, begun = self.rest, self._effort()
        for number, item in enumerate(items):
            spent = self._effort() - begun
            if spent >= ENOUGH:
                self.processes = min(
                    _cores(), MAX, len(items) - number, 1 + spent * (len(items) - number) // number // ENOUGH
                )
                if self.processes > 1:
                    self.rest = items[number:]
                    return
            yield item
        self.rest = ()


def split(work: Callable[[Sequence[Item]], Part], items: Sequence[Item], count: int, least: int = 1) -> list[Part]:
    """`work` on parts of `least` items and more, by `count` processes: each takes the next part when it has done one.

    Results of forked children are pickled; the parts of a failed child are done here again.
    """
    if not items:
        return []
    if count == 1:
        return [work(items)]
    split = max(count, min(_PARTS, len(items) // least))
    ends = [len(items) * number // split for number in range(split + 1)]
    parts = [items[start:end] for start, end in pairwise(ends)]
    try:
        queue = _queue(len(parts))
    except OSError:
        return [work(items)]
    children = [_begun(work, parts, queue) for _ in range(count - 1)]
    done: dict[int, Part] = {}
    try:
        done.update(_done(work, parts, _taken(queue)))
    finally:
        # After a failure, no process should begin another part.
        while os.read(queue, _PARTS):
            pass
        os.close(queue)
        for child in children:
            done.update(_ended(child) if child else {})
    return [done[number] if number in done else work(part) for number, part in enumerate(parts)]


def _queue(count: int) -> int:
    """The end of a pipe from which each process takes the numbers of the next parts, a byte each."""
    reader, writer = os.pipe()
    os.write(writer, bytes(range(count)))
    os.close(writer)
    return reader


def _done(
    work: Callable[[Sequence[Item]], Part], parts: Sequence[Sequence[Item]], numbers: Iterable[int]
) -> dict[int, Part]:
    return {number: work(parts[number]) for number in numbers}


def _taken(queue: int, parent: int = 0) -> Iterator[int]:
    """The numbers of the parts that this process takes; a child without its parent takes no more."""
    while parent in (0, os.getppid()) and (number := os.read(queue, 1)):
        yield number[0]


def _begun(
    work: Callable[[Sequence[Item]], Part], parts: Sequence[Sequence[Item]], queue: int
) -> tuple[int, int] | None:
    """A child process, and the pipe for its results; None if the system has no resources for them."""
    parent = os.getpid()
    try:
        reader, writer = os.pipe()
    except OSError:
        return None
    try:
        child = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        return None
    if child == 0:
        # With its own copy open, the child would go on writing after the end of its parent.
        os.close(reader)
        _send(writer, lambda: _done(work, parts, _taken(queue, parent)))
    os.close(writer)
    return child, reader


def _ended(child: tuple[int, int]) -> dict[int, Part]:
    """The results of a child; none if it has failed."""
    import pickle

    done: list[dict[int, Part]] = []
    with os.fdopen(child[1], "rb") as pipe, contextlib.suppress(EOFError, pickle.UnpicklingError):
        # From our own child, over a private pipe.
        done.append(pickle.load(pipe))  # noqa: S301
    _, status = os.waitpid(child[0], 0)
    return done[0] if done and status == 0 else {}


def _send(writer: int, work: Callable[[], object]) -> None:
    """The child's process: never returns, never runs the parent's clean-up, never prints."""
    code = 1
    try:
        import pickle

        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(work(), pipe, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        os._exit(code)


def cores() -> int:
    """How many processes can work at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cores() -> int:
    """The same for forked processes; one where forking is not safe."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return 1
    # The fork of a process with threads may hang in a lock of another thread.
    threading = sys.modules.get("threading")
    return cores() if threading is None or threading.active_count() == 1 else 1
