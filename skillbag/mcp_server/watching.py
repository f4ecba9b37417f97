"""Watching the folders of skills for what others do to them."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

import anyio
from anyio.to_thread import run_sync

from skillbag.mcp_server.addresses import address
from skillbag.mcp_server.notifications import Changes
from skillbag.settings.scope import Scope
from skillbag.workspace.target import SKILL_ROOT

if TYPE_CHECKING:
    from watchfiles.main import FileChange

_TICK = 2.0
"""Seconds after which we look although the system told of nothing: it may miss something, or not watch at all."""

_MOST = 256
"""Files of one moment that are told one by one."""


async def watch_skills(scope: Scope, changes: Changes) -> None:
    """Give `changes` a hint at once, and whenever something changes in the folders of skills."""
    watch = _Watch(scope, changes)
    try:
        await run_sync(watch.run, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))
    finally:
        watch.ended.set()


class _Watch:
    """A watch in a thread of its own, until it is ended."""

    def __init__(self, scope: Scope, changes: Changes) -> None:
        skills = None if scope.root is None else os.path.join(scope.root, SKILL_ROOT)
        personal = scope.personal if scope.user else None
        self._roots = [root for root in (skills, personal) if root is not None]
        self._changes = changes
        self.ended = threading.Event()

    def run(self) -> None:
        """Watch what is there, and begin anew when something else is."""
        while not self.ended.is_set():
            try:
                self._watch(_identities(self._roots))
            except (OSError, RuntimeError):
                # A place went away, or the system watches no more files for us: we look ourselves.
                self.ended.wait(_TICK)
                self._hear(())

    def _watch(self, places: dict[str, tuple[int, int]]) -> None:
        import watchfiles

        self._hear(())
        if not places:
            self.ended.wait(_TICK)
            return
        for found in watchfiles.watch(
            *places,
            watch_filter=None,
            debounce=400,
            rust_timeout=int(_TICK * 1000),
            yield_on_timeout=True,
            stop_event=self.ended,
            raise_interrupt=False,
        ):
            if found:
                self._hear(found)
            if _identities(self._roots) != places:
                return

    def _hear(self, found: Iterable[FileChange]) -> None:
        from watchfiles import Change

        if self.ended.is_set():
            return
        known = [(kind, uri) for kind, path in found if (uri := self._address(path))]
        updated = [uri for kind, uri in known if kind == Change.modified][:_MOST]
        differ = any(kind != Change.modified for kind, _ in known)
        anyio.from_thread.run_sync(lambda: self._changes.note_files(updated, differ=differ))

    def _address(self, path: str) -> str | None:
        """Of the skill's file at the path; None of anything else, and of what is hidden."""
        for root in self._roots:
            name, *parts = os.path.relpath(path, root).split(os.sep)
            if parts and not any(part.startswith(".") for part in (name, *parts)):
                return address(name, "/".join(parts))
        return None


def _identities(roots: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The folders that are there, each with what tells it from another of its name."""
    found = {}
    for root in roots:
        try:
            status = os.stat(root)
        except OSError:
            continue
        found[root] = (status.st_dev, status.st_ino)
    return found
