"""A trace: the questions about the disk on which an answer depends, with their stamps (`fs.tracked` records it)."""

from __future__ import annotations

import contextlib
import time
from array import array
from collections.abc import Iterator
from contextvars import ContextVar


class Trace:
    """The questions in order, each once: `questions` as `KIND + path`, `stamps` as three numbers each.

    `sure` is False if an answer has another source, such as a program, and can't be compared. `touched` is the time of
    the latest change of a file that is compared by its stamp alone. `begun` is the time before the first question.
    """

    __slots__ = ("_digest", "begun", "questions", "seen", "stamps", "sure", "touched")

    def __init__(self) -> None:
        from _blake2 import blake2b

        self.begun = time.time_ns()
        self.questions: list[str] = []
        self.stamps = array("q")
        self.sure = True
        self.touched = 0
        self.seen: set[str] = set()
        self._digest = blake2b(digest_size=16)

    def note(self, kind: str, path: str, stamp: tuple[int, int, int], answer: bytes) -> None:
        """Add a question with its answer, unless it is known."""
        question = kind + path
        # A path with a NUL comes from a text and never exists.
        if question in self.seen or "\0" in path:
            return
        self.seen.add(question)
        self.questions.append(question)
        self.stamps.extend(stamp)
        self._digest.update(b"%d:" % len(answer))
        self._digest.update(answer)

    @property
    def digest(self) -> bytes:
        """A digest of the answers alone, in the order of the questions: hex digits."""
        return self._digest.hexdigest().encode()


RECORDED: ContextVar[Trace | None] = ContextVar("trace", default=None)
"""The trace that is being recorded."""


@contextlib.contextmanager
def recording() -> Iterator[Trace]:
    """Within the block, questions are recorded in the trace that is given, unless in an inner block."""
    trace = Trace()
    token = RECORDED.set(trace)
    try:
        yield trace
    finally:
        RECORDED.reset(token)


def mark_uncacheable() -> None:
    """Note that an answer depends on something that has no stamp."""
    trace = RECORDED.get()
    if trace is not None:
        trace.sure = False
