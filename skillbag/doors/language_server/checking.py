"""Checks of the opened folders in a thread of their own: one after the other, each of the newest state.

Changes that come while a check runs, or shortly after one another, are examined together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from skillbag.doors.language_server.projects import CheckJob, Projects
from skillbag.doors.language_server.session import EditorSession
from skillbag.doors.language_server.threads import in_thread
from skillbag.lint.cache.live import Extent

_PAUSE = 0.003
"""Seconds after a change in which further ones may come, before a check begins."""
_REST = 3.0
"""Seconds without any change after which everything is examined: clients may not say what changes on the disk."""


class Checking:
    """Keeps `session.latest` up to date."""

    def __init__(self, session: EditorSession) -> None:
        self._session = session
        self._projects = Projects()
        self._suspects: set[str] | None = set()
        self._extent = Extent.CONTENT
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.rest = _REST

    def suspect(self, paths: Iterable[str] | None, extent: Extent = Extent.TREE) -> None:
        """Check soon what depends on these absolute paths (None: on any), which have changed to this extent."""
        self._extent = max(self._extent, extent)
        paths = None if paths is None else [*paths]
        for tell in self._session.on_changed:
            tell(paths)
        if paths is None:
            self._suspects = None
        elif self._suspects is not None:
            self._suspects.update(paths)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._check_all())

    async def settled(self) -> None:
        """Wait until everything that has changed is checked."""
        while self._task is not None and not self._task.done():
            await asyncio.shield(self._task)

    async def _check_all(self) -> None:
        """Check until there is no further change."""
        loop = asyncio.get_running_loop()
        if self._timer:
            self._timer.cancel()
        while self._suspects is None or self._suspects:
            await asyncio.sleep(_PAUSE)
            session = self._session
            suspects, self._suspects = self._suspects, set()
            versions = {document.uri: document.version for document in session.documents}
            examined = None if suspects is None else frozenset(suspects)
            job = CheckJob(session.folders, session.settings, session.buffers(), examined, self._extent)
            self._extent = Extent.CONTENT
            session.latest = (await in_thread(partial(self._projects.check, job)))._replace(versions=versions)
            for tell in session.on_checked:
                tell()
        self._timer = loop.call_later(self.rest, self.suspect, None)
