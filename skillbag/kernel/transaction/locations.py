"""Where a transaction keeps what it does, and the errors about it (exit code 4). Every check loads this."""

from __future__ import annotations

import re
from collections.abc import Callable

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.target import SKILL_ROOT


class ChangedError(OSError):
    """Something has changed since the transaction was planned; the workspace is as it was."""


class BusyError(OSError):
    """Another process writes to the workspace, and did not end in time."""


class BadJournalError(OSError):
    """The content of `.skillbag/transaction` is not from this version of this program; nothing was touched."""


class ForeignJournalError(BadJournalError):
    """This user has not begun the change that a journal describes; nothing was touched, and readers go on."""


class RecoveryError(OSError):
    """An interrupted change can be neither completed nor rolled back now; the next command tries again."""


class CleanUpError(OSError):
    """The change is complete, but displaced files could not be moved to the backup; the next command tries again."""


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


FILE_STATE, FOLDER_STATE, LINK_STATE = "file:", "sha256:", "link:"
STATE = re.compile(r"(file|sha256|link):[0-9a-f]{64}")
