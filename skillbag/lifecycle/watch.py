"""Watching what a session has read: each change, as soon as the system tells of it."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from skillbag.base.errors import UserError
from skillbag.lifecycle.refresh import Refresh, refresh_session
from skillbag.lifecycle.state import entered_state
from skillbag.workspace.target import SKILL_ROOT

if TYPE_CHECKING:
    from skillbag.cache.watch import Ended

_TICK = 1.0
"""Seconds after which contents are compared although the system told of nothing: it may miss something."""


def watch(root: str, session: str, deliver: Callable[[Refresh | UserError], object], ended: Ended) -> None:
    """Deliver the refresh as it is now, then one for each change since the last, until it is `ended`.

    It counts as told to nobody: the session's next `refresh` has it all. What the session reads meanwhile is watched
    as well. A file that can't be relied on is delivered as the mistake that it is, once.

    Raises:
        NoSessionError: the session has not entered the workspace.
        OSError: the workspace is gone.
    """
    known = told = entered_state(root, session)
    heard: Refresh | str | None = None
    names = set(told.loaded)
    for _ in _moments(root, names, ended):
        latest = entered_state(root, session)
        told = told._replace(loaded={**told.loaded, **dict(latest.loaded.items() - known.loaded.items())})
        known = latest
        names |= told.loaded.keys()
        try:
            found, told = refresh_session(root, told)
        except UserError as error:
            if str(error) != heard:
                deliver(error)
            heard = str(error)
        else:
            if heard is None or not found.is_nothing:
                deliver(found)
            heard = found


def _moments(root: str, names: Collection[str], ended: Ended) -> Iterator[None]:
    """At once, and whenever something may have changed; `names` are the loaded skills, which may become more."""
    import watchfiles

    while not ended.is_set():
        if not os.path.isdir(root):
            raise OSError(errno.ENOENT, "the workspace is gone", root)
        yield
        places = _places(root, names)
        try:
            changes = watchfiles.watch(
                *places,
                watch_filter=None,
                debounce=400,
                rust_timeout=int(_TICK * 1000),
                yield_on_timeout=True,
                stop_event=ended,
                raise_interrupt=False,
                recursive=False,
            )
            for _ in changes:
                if not os.path.isdir(root) or _places(root, names) != places:
                    break
                yield
        except OSError:
            # A place went away, or the system watches no more files for us: we look ourselves.
            time.sleep(_TICK)


def _places(root: str, names: Collection[str]) -> list[str]:
    """The folders of all that matters; none is entered further."""
    skill_root = os.path.join(root, SKILL_ROOT)
    folders = [root, skill_root, *(os.path.join(skill_root, name) for name in sorted(names))]
    return [folder for folder in folders if os.path.isdir(folder)]
