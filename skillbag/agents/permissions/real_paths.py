"""What a path really leads to, for every program alike."""

from __future__ import annotations

import os
from typing import NamedTuple

_PROCESSES = "/proc"
_MAX_LINKS = 40
"""What systems follow before they give up."""


class PatternFolders(NamedTuple):
    """The absolute folders for which patterns of commands have a variable: `${CLAUDE_SKILL_DIR}` and
    `${CLAUDE_PROJECT_DIR}`. Where one is None, such a pattern allows nothing."""

    skill: str | None = None
    project: str | None = None


def real_place(path: str) -> str | None:
    """The real path of an absolute one; None where a link leads to another place for each process that follows it.

    Such links lie below `/proc` (`/proc/self/cwd`, `/proc/7/root`; `/dev/fd/3` leads there), wherever it is mounted.
    """
    return os.path.realpath(path) if _is_same_for_all(path) else None


def _is_same_for_all(path: str) -> bool:
    """Goes along the path, link by link, as the system does."""
    if not os.path.ismount(_PROCESSES):
        return True
    processes = os.lstat(_PROCESSES).st_dev
    place, parts, links = os.sep, path.split(os.sep)[::-1], 0
    while parts:
        part = parts.pop()
        if part in ("", os.curdir):
            continue
        if part == os.pardir:
            place = os.path.dirname(place)
            continue
        following = os.path.join(place, part)
        try:
            target, device = os.readlink(following), os.lstat(following).st_dev
        except OSError:
            place = following
            continue
        links += 1
        if device == processes or links > _MAX_LINKS:
            return False
        place = os.sep if os.path.isabs(target) else place
        parts += target.split(os.sep)[::-1]
    return True
