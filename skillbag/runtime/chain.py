"""Whose calls led to the code that runs now: the limits of these skills are charged, too (skill runtime, section 5)."""

from __future__ import annotations

from contextvars import ContextVar
from types import TracebackType

from skillbag.runtime.skill import Grantee

_running: ContextVar[tuple[Grantee, ...]] = ContextVar("running_skills", default=())


class Running:
    """A block within which code of a skill runs."""

    def __init__(self, grantee: Grantee) -> None:
        self._grantee = grantee

    def __enter__(self) -> None:
        self._token = _running.set((*_running.get(), self._grantee))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _running.reset(self._token)


def callers(grantee: Grantee) -> tuple[Grantee, ...]:
    """The skills whose calls led to what this skill does now, the outermost first."""
    chain = _running.get()
    return chain[:-1] if chain and chain[-1] == grantee else chain
