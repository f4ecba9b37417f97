"""Checks of the opened folders in a thread of their own: one after the other, each of the newest state.

Changes that come while a check runs, or shortly after one another, are examined together.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

from skillbag.base.errors import UserError, format_error
from skillbag.engine.checker import Checker
from skillbag.engine.request import CheckRequest
from skillbag.fs.read import overlay
from skillbag.language_server.session import Checked, Session
from skillbag.model.result import Result
from skillbag.workspace.discovery import NothingToCheckError

_PAUSE = 0.003
"""Seconds without a further change after which a check begins."""
_log = logging.getLogger(__name__)


class Checking:
    """Keeps `session.latest` up to date."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._thread = ThreadPoolExecutor(1, "check")
        self._suspects: set[str] | None = set()
        self._task: asyncio.Task[None] | None = None

    def suspect(self, paths: Iterable[str] | None) -> None:
        """Check soon what depends on these absolute paths; None: on any."""
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
        while self._suspects is None or self._suspects:
            await asyncio.sleep(_PAUSE)
            suspects, self._suspects = self._suspects, set()
            session = self._session
            versions = {document.uri: document.version for document in session.documents}
            work = _work(session.folders, session.buffers(), suspects)
            session.latest = (await loop.run_in_executor(self._thread, work))._replace(versions=versions)
            for tell in session.on_checked:
                tell()


def _work(folders: Iterable[str], buffers: Mapping[str, bytes], _: set[str] | None) -> Callable[[], Checked]:
    def work() -> Checked:
        results, faults = [], []
        with overlay(buffers):
            for folder in folders:
                found = _checked(folder)
                if isinstance(found, Result):
                    results.append(found)
                elif found:
                    faults.append(found)
        return _together(results, faults)

    return work


def _checked(folder: str) -> Result | str | None:
    """The result of a folder, or why it can't be checked; None where there is nothing to check."""
    try:
        return Checker(CheckRequest((folder,), here=folder)).check()
    except NothingToCheckError:
        return None
    except (UserError, OSError) as error:
        return format_error(error)
    except Exception:
        # The editor should go on, and what can't be checked be reported.
        _log.exception("%s: the check failed", os.path.basename(folder))
        return f"{folder}: the check failed by a fault of skillbag"


def _together(results: Iterable[Result], faults: Iterable[str]) -> Checked:
    results = [*results]
    findings = sorted({finding for result in results for finding in result.findings}, key=lambda found: found.path)
    return Checked(
        {path: tuple(each) for path, each in groupby(findings, key=lambda found: found.path)},
        tuple({target: None for result in results for target in result.targets}),
        {rule.id: rule for result in results for rule in result.rules},
        faults=tuple(faults),
    )
