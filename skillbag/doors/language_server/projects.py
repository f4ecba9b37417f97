"""The checks of all folders, in the thread that checks: what is kept between two of them."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from skillbag.doors.language_server.session import Checked, CheckProblem
from skillbag.doors.language_server.settings import EditorSettings
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.fs import other_disk, tracked
from skillbag.kernel.fs.buffers import Buffers
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.cache.live import Extent, LiveChecker
from skillbag.lint.engine.baseline import read_baseline, subtract
from skillbag.lint.engine.causes import reported_once
from skillbag.lint.engine.request import CheckRequest

_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
_END, _LAST = "(at end of document)", 1 << 30
_log = logging.getLogger(__name__)


class CheckJob(NamedTuple):
    """One check: the folders that are open, the documents by path, and what may have changed (None: anything).

    `extent` says what may have changed with them.
    """

    folders: tuple[str, ...]
    settings: EditorSettings
    contents: Mapping[str, bytes]
    suspects: frozenset[str] | None
    extent: Extent = Extent.TREE


class _Project:
    """The checks of one path."""

    def __init__(self, request: CheckRequest, baseline: str | None) -> None:
        self._live = LiveChecker(request)
        self._baseline = baseline and os.path.join(request.here, baseline)
        self._known: CheckResult | CheckProblem | None = None

    def check(self, suspects: frozenset[str] | None, extent: Extent) -> CheckResult | CheckProblem | None:
        """The result by now, or why there is none; None where there is nothing to check."""
        try:
            result = self._live.latest(suspects, extent)
            if result is not None:
                self._known = self._shown(result)
        except NothingToCheckError:
            self._known = None
        except (UserError, OSError) as error:
            self._known = _fault(format_error(error))
        except Exception as error:
            # The editor should go on, and what can't be checked be reported.
            _log.exception("the check failed")
            self._known = CheckProblem(
                None, 1, 1, f"The check failed by a fault of skillbag: {type(error).__name__}: {error}"
            )
        return self._known

    def _shown(self, result: CheckResult) -> CheckResult:
        if self._baseline:
            result = result._replace(findings=tuple(subtract(result.findings, read_baseline(self._baseline))))
        return reported_once(result)

    def keep(self) -> None:
        """Store what was found, for the next start."""
        self._live.memory.flush()


class Projects:
    """The projects of a session."""

    def __init__(self) -> None:
        self._projects: dict[tuple[CheckRequest, str | None], _Project] = {}

    def check(self, job: CheckJob) -> Checked:
        """The state of everything that is open, with its documents as if they were saved."""
        with other_disk.looking_at(Buffers(job.contents)):
            requests = {*_requests(job)}
            wanted = [(request, job.settings.baseline) for request in sorted(requests, key=lambda each: each.paths)]
            self._projects = {
                key: self._projects.get(key) or _Project(*key)  # What is no longer open is forgotten.
                for key in wanted
            }
            found = [project.check(job.suspects, job.extent) for project in self._projects.values()]
        if job.suspects is None and not job.contents:
            for project in self._projects.values():
                project.keep()
        results = [each for each in found if isinstance(each, CheckResult)]
        return _together(results, [each for each in found if isinstance(each, CheckProblem)])


def _requests(job: CheckJob) -> Iterator[CheckRequest]:
    """What to check: each folder, and what lies around a document that is in none of them."""
    for folder in job.folders:
        if tracked.is_folder(folder):
            yield job.settings.request(folder, folder)
    for path in job.contents:
        if not any(path.startswith(folder.rstrip(os.sep) + os.sep) for folder in job.folders):
            root = _root_around(path, job.settings)
            if root is not None:
                yield job.settings.request(root, root)


def _root_around(path: str, settings: EditorSettings) -> str | None:
    """The workspace, source or skill that holds a file."""
    try:
        target = find_targets((path,), TargetKind(settings.target) if settings.target else None)[0]
    except (UserError, OSError):
        return None
    return target.loose[0] if target.loose else target.root


def _fault(message: str) -> CheckProblem:
    """The fault of a file that a message begins with."""
    path, _, rest = message.partition(": ")
    if not os.path.isabs(path) or not tracked.is_file(path):
        return CheckProblem(None, 1, 1, message)
    place = _PLACE.search(rest)
    line, column = (int(place[1]), int(place[2])) if place else (_LAST if _END in rest else 1, 1)
    return CheckProblem(path, line, column, rest[:1].upper() + rest[1:])


def _together(results: list[CheckResult], faults: Iterable[CheckProblem]) -> Checked:
    findings: Iterable[Finding] = results[0].findings if results else ()
    if len(results) > 1:
        # Folders may hold one another, or belong to one workspace.
        distinct = {finding for result in results for finding in result.findings}
        findings = sorted(distinct, key=lambda found: (found.path, found.line, found.column, found.rule))
    return Checked(
        {path: tuple(each) for path, each in groupby(findings, key=lambda found: found.path)},
        tuple({target: None for result in results for target in result.targets}),
        {rule.id: rule for result in results for rule in result.rules},
        faults=tuple(dict.fromkeys(faults)),
    )
