"""Work on many items split over two processes, where that pays for itself: not below `LEAST` items."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Part = TypeVar("Part")

LEAST = 500
"""Items from which a second process saves more than it costs (about 10 ms, measured on two cores)."""


def in_parts(work: Callable[[Sequence[Item]], Part], items: Sequence[Item]) -> list[Part]:
    """`work` on all items, in one part or in two; the parts in the order of the items.

    The second part is made by a forked child and comes back pickled. If the child fails in any way, its part is done
    here: the result is the same.
    """
    if len(items) < LEAST or not _two_processes():
        return [work(items)]
    middle = len(items) // 2
    reader, writer = os.pipe()
    try:
        child = os.fork()
    except OSError:
        # No room for another process: one does it as well.
        os.close(reader)
        os.close(writer)
        return [work(items)]
    if child == 0:
        # Held open here, it would keep the child writing to a parent that is gone.
        os.close(reader)
        _send(writer, work, items[middle:])
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        first = work(items[:middle])
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if status == 0:
        import pickle

        # Made by our own child a moment ago, over a pipe that nobody else has.
        return [first, pickle.loads(data)]  # noqa: S301
    return [first, work(items[middle:])]


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


def _two_processes() -> bool:
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return False
    # A fork of a process with threads may hang in locks that another thread holds.
    threading = sys.modules.get("threading")
    return len(os.sched_getaffinity(0)) > 1 and (threading is None or threading.active_count() == 1)
