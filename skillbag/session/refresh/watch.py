"""Watch the files that a session has read, and report each change."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.session.refresh.refresh import Refresh, refresh_session
from skillbag.session.refresh.state import entered_state

if TYPE_CHECKING:
    from skillbag.lint.cache.watch import EndEvent

_TICK = 1.0
"""Seconds between comparisons if the system reports nothing, since it may miss a change."""


def watch(root: str, session: str, deliver: Callable[[Refresh | UserError], object], ended: EndEvent) -> None:
    """Deliver the refresh as it is now, then one for each change since the last, until `ended` is set.

    Changes delivered here are not marked as seen: the session's next `refresh` reports them again. Skills that the
    session loads meanwhile are watched too. The error of a malformed or unreadable file is delivered once.

    Raises:
        NoSessionError: the session has not entered the workspace.
        OSError: the workspace is gone.
    """
    known = seen = entered_state(root, session)
    delivered: Refresh | str | None = None
    names = set(seen.loaded)
    for _ in _moments(root, names, ended):
        latest = entered_state(root, session)
        seen = seen._replace(loaded={**seen.loaded, **dict(latest.loaded.items() - known.loaded.items())})
        known = latest
        names |= seen.loaded.keys()
        try:
            found, seen = refresh_session(root, seen)
        except UserError as error:
            if str(error) != delivered:
                deliver(error)
            delivered = str(error)
        else:
            if delivered is None or not found.is_nothing:
                deliver(found)
            delivered = found


def _moments(root: str, names: Collection[str], ended: EndEvent) -> Iterator[None]:
    """Yield now, and whenever something may have changed; `names` are the loaded skills; the caller may add some."""
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
            # A folder was deleted, or the system can't watch more files: compare contents instead.
            time.sleep(_TICK)


def _places(root: str, names: Collection[str]) -> list[str]:
    """The folders of the files that the session has read; subfolders are not watched."""
    skill_root = os.path.join(root, SKILL_ROOT)
    folders = [root, skill_root, *(os.path.join(skill_root, name) for name in sorted(names))]
    return [folder for folder in folders if os.path.isdir(folder)]
