"""Who is asked when a tool installs a skill: the user of the client whose call is running, if that client can ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillbag.supply.install.confirmation import Prompter

_current: ContextVar[Prompter | None] = ContextVar("prompter", default=None)


@contextmanager
def prompting(prompter: Prompter | None) -> Iterator[None]:
    """Within the block, also in threads that it waits for, installations ask through this prompter."""
    token = _current.set(prompter)
    try:
        yield
    finally:
        _current.reset(token)


def current_prompter() -> Prompter:
    """What asks the user; it can't ask anybody where nothing was set."""
    from skillbag.supply.install.confirmation import Prompter

    return _current.get() or Prompter()
