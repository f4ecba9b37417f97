"""Watch the folders of skills for changes by other programs."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

import anyio
from anyio.to_thread import run_sync

from skillbag.agents.mcp_server.notifications import ToolListNotifier
from skillbag.agents.mcp_server.resources import address
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.workspace.target import SKILL_ROOT

if TYPE_CHECKING:
    from watchfiles.main import FileChange

_TICK = 2.0
"""Seconds after which the folders are compared without an event: systems may miss some, or watch nothing."""

_DEBOUNCE = 400
"""Milliseconds in which changes are gathered before they are compared."""

_MAX = 256
"""Files of one batch that are announced individually."""


async def watch_skills(scope: Scope, changes: ToolListNotifier) -> None:
    """Give `changes` a hint now, and at each change in the folders of skills."""
    watch = _Watch(scope, changes)
    try:
        await run_sync(watch.run, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))
    finally:
        watch.ended.set()


class _Watch:
    """A watch in its own thread, until `ended` is set."""

    def __init__(self, scope: Scope, changes: ToolListNotifier) -> None:
        skills = None if scope.root is None else os.path.join(scope.root, SKILL_ROOT)
        personal = scope.personal if scope.user else None
        self._roots = [root for root in (skills, personal) if root is not None]
        self._changes = changes
        self.ended = threading.Event()

    def run(self) -> None:
        """Watch the folders, and start again when one is replaced."""
        while not self.ended.is_set():
            try:
                self._watch(_identities(self._roots))
            except (OSError, RuntimeError, ImportError):
                # A folder was removed, the system allows no more watches, or what tells of changes is missing: poll.
                self.ended.wait(_TICK)
                self._forward(())

    def _watch(self, folders: dict[str, tuple[int, int]]) -> None:
        self._forward(())
        import watchfiles

        if not folders:
            self.ended.wait(_TICK)
            return
        for changes in watchfiles.watch(
            *folders,
            watch_filter=None,
            debounce=_DEBOUNCE,
            rust_timeout=int(_TICK * 1000),
            yield_on_timeout=True,
            stop_event=self.ended,
            raise_interrupt=False,
        ):
            if changes:
                self._forward(changes)
            if _identities(self._roots) != folders:
                return

    def _forward(self, changes: Iterable[FileChange]) -> None:
        from watchfiles import Change

        if self.ended.is_set():
            return
        known = [(kind, uri) for kind, path in changes if (uri := self._address(path))]
        updated = [uri for kind, uri in known if kind == Change.modified][:_MAX]
        differ = any(kind != Change.modified for kind, _ in known)
        anyio.from_thread.run_sync(lambda: self._changes.note_files(updated, differ=differ))

    def _address(self, path: str) -> str | None:
        """The URI of the skill's file at the path; None for hidden files and anything else."""
        for root in self._roots:
            name, *parts = os.path.relpath(path, root).split(os.sep)
            if parts and not any(part.startswith(".") for part in (name, *parts)):
                return address(name, "/".join(parts))
        return None


def _identities(roots: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The existing folders with their device and inode."""
    identities = {}
    for root in roots:
        try:
            status = os.stat(root)
        except OSError:
            continue
        identities[root] = (status.st_dev, status.st_ino)
    return identities
