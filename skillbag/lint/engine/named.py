"""Whether a check reads what its paths name: in a workspace lie files that no rule is about."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.discovery import NothingToCheckError
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.searching import TargetSearch
from skillbag.kernel.workspace.target import AGENTS, CONTEXT, ENTRYPOINT, LOCK, USER_CONTEXT, Target
from skillbag.lint.checks.host_commands import commands_of, started_by
from skillbag.lint.engine.config import NAMES

_OWN = (ENTRYPOINT, AGENTS, CONTEXT, USER_CONTEXT, LOCK, *NAMES)


def refuse_unread(paths: Iterable[str], targets: Iterable[Target]) -> None:
    """Refuse an absolute path that is nothing which is judged in the `targets` around and below the paths.

    Raises:
        NothingToCheckError: there is one; a report would say that it has no findings.
    """
    for path in paths:
        if not any(_reads(target, path) for target in targets) and not _holds_skills(path):
            raise NothingToCheckError(f"{path} belongs to no skill and was not read: nothing to check there", path)


def _reads(target: Target, path: str) -> bool:
    folders = [folder for part in (target, *target.apart) for folder in (*part.skill_roots, *part.only, *part.loose)]
    inside = any(tracked.within(folder, path) for folder in folders)
    return inside or any(tracked.within(path, place) for place in (target.root, *folders, *_files(target)))


def _files(target: Target) -> Iterator[str]:
    """The files that are judged beside the skills of a target."""
    yield from (os.path.join(target.root, name) for name in _OWN)
    yield from (fault.file for fault in target.listed)
    yield from (place for place, _ in target.aside)
    yield from (file.path for file in target.around)
    for file in (HostFile(file, target.root) for file in target.around):
        yield from (script for command in commands_of(file) for _, script in started_by(file, command))


def _holds_skills(path: str) -> bool:
    """Whether there are skills in a folder that belong to a target elsewhere, by a link or as copies."""
    search = TargetSearch(path, None, None)
    return tracked.is_folder(path) and bool(search.skills or search.closed)
