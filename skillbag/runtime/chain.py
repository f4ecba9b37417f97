"""Whose calls led to the code that runs now: the limits of these skills are charged, too (skill runtime, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from skillbag.runtime.skill import Grantee

_running: ContextVar[tuple[Grantee, ...]] = ContextVar("running_skills", default=())


@contextmanager
def running(grantee: Grantee) -> Iterator[None]:
    """Within the block, code of this skill runs."""
    token = _running.set((*_running.get(), grantee))
    try:
        yield
    finally:
        _running.reset(token)


def callers(grantee: Grantee) -> tuple[Grantee, ...]:
    """The skills whose calls led to what this skill does now, the outermost first."""
    chain = _running.get()
    return chain[:-1] if chain and chain[-1] == grantee else chain
