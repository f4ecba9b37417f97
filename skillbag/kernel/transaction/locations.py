"""Where a transaction may write below its root, and where it is staged."""

from __future__ import annotations

from collections.abc import Callable

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.target import SKILL_ROOT

STORE, IGNORE = ".skillbag", ".gitignore"

Notice = Callable[[str], None]
"""Receives one sentence about a wait or a recovery."""


class Locations(NamedTuple):
    """The locations of one kind of root.

    `root` is the root's name in messages; `skills` the path of its skills, relative to it: empty if the root is the
    folder of skills. `stage` is the folder in `.skillbag` in which changes are staged: each kind has its own, so that
    recovering one kind does not affect another.
    """

    root: str
    skills: str
    stage: str


WORKSPACE = Locations("workspace", SKILL_ROOT, "transaction")
SKILLS_FOLDER = Locations("folder of skills", "", "skills")
CHECKED_FOLDER = Locations("folder", "", "fixes")
"""For `check --fix`, which changes files in any checked folder; recovered together with the other kinds."""
