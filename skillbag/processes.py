"""Work on many items split over processes, where that pays for itself: not below `LEAST` items."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Item = TypeVar("Item")
    Part = TypeVar("Part")

LEAST = 500
"""Items from which a second process saves more than it costs (about 10 ms, measured on two cores)."""
MOST = 8
"""Processes, however many cores there are: what a part gives must come back to one process."""


def in_parts(work: Callable[[Sequence[Item]], Part], items: Sequence[Item], least: int = 0) -> list[Part]:
    """`work` on all items, in one part or, from `least` items on, in as many as there are cores; in order.

    All but the first part are made by forked children and come back pickled. If a child fails in any way, its part is
    done here: the result is the same.
    """
    least = least or LEAST
    count = min(_cores(), MOST, 2 * len(items) // least) if len(items) >= least else 1
    ends = [len(items) * number // count for number in range(count + 1)]
    parts = [items[start:end] for start, end in pairwise(ends)]
    children = [_begun(work, part) for part in parts[1:]]
    done = [work(parts[0])]
    done += [_ended(child, work, part) for child, part in zip(children, parts[1:], strict=True)]
    return done


def _begun(work: Callable[[Sequence[Item]], Part], items: Sequence[Item]) -> tuple[int, int] | None:
    """The child that does the work, and the pipe that it will come through; None where there is no room for one."""
    reader, writer = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        return None
    if child == 0:
        # Held open here, it would keep the child writing to a parent that is gone.
        os.close(reader)
        _send(writer, work, items)
    os.close(writer)
    return child, reader


def _ended(child: tuple[int, int] | None, work: Callable[[Sequence[Item]], Part], items: Sequence[Item]) -> Part:
    if child is None:
        return work(items)
    import pickle

    part: list[Part] = []
    with os.fdopen(child[1], "rb") as pipe, contextlib.suppress(EOFError, pickle.UnpicklingError):
        # Made by our own child just now, over a pipe that nobody else has.
        part.append(pickle.load(pipe))  # noqa: S301
    _, status = os.waitpid(child[0], 0)
    return part[0] if part and status == 0 else work(items)


def _send(writer: int, work: Callable[[Sequence[Item]], Part], items: Sequence[Item]) -> None:
    """What the child does: never returns, never runs the parent's clean-up, never prints."""
    code = 1
    try:
        import pickle

        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(work(items), pipe, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        os._exit(code)


def _cores() -> int:
    """The cores that may be used; one where forking is not safe."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return 1
    # A fork of a process with threads may hang in locks that another thread holds.
    threading = sys.modules.get("threading")
    return len(os.sched_getaffinity(0)) if threading is None or threading.active_count() == 1 else 1
