"""Whose calls led to the code that runs now: the limits of these skills are charged, too (skill runtime, section 5)."""

from __future__ import annotations

import itertools
from contextvars import ContextVar
from types import TracebackType

from skillbag.runtime.skill import Grantee

_running: ContextVar[tuple[Grantee, ...]] = ContextVar("running_skills", default=())


_number: ContextVar[int] = ContextVar("running_number", default=0)
_numbers = itertools.count(1)


class Running:
    """A block within which code of a skill runs. Each has a number in this process."""

    def __init__(self, grantee: Grantee) -> None:
        self._grantee = grantee

    def __enter__(self) -> None:
        self._token = _running.set((*_running.get(), self._grantee))
        self._number = _number.set(next(_numbers))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _number.reset(self._number)
        _running.reset(self._token)


def running_number() -> int:
    """The number of the innermost block that runs now; 0 while a skill is loaded."""
    return _number.get()


def callers(grantee: Grantee) -> tuple[Grantee, ...]:
    """The skills whose calls led to what this skill does now, the outermost first."""
    chain = _running.get()
    return chain[:-1] if chain and chain[-1] == grantee else chain
