"""Placeholders for the files of a source that were not taken, so that checks for their existence succeed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

from skillbag.sources.agent_skills_layout import STAND_IN
from skillbag.sources.entry_names import shape_faults
from skillbag.workspace.tree import left_out

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def write_stand_ins(to: str, paths: Iterable[str]) -> list[str]:
    """Write a stand-in for each of the relative `paths` below `to`, where no link stands yet; those that were written.

    A path that has no proper shape, is part of nothing, or can't stand beside another on this system is passed over.
    """
    made: set[str] = set()
    written = []
    for path in paths:
        if left_out(path) or any(shape_faults(path)):
            continue
        full = os.path.join(to, *path.split("/"))
        folder = os.path.dirname(full)
        with contextlib.suppress(OSError):
            if folder not in made:
                os.makedirs(folder, exist_ok=True)
                made.add(folder)
            with os.fdopen(os.open(full, _FLAGS, 0o644), "wb") as file:
                file.write(STAND_IN)
            written.append(path)
    return written
