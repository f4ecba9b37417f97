"""What every command does before it reads a workspace: bring to an end what a killed process left there.

Importing this costs nothing to speak of, and neither does `recover` where there is nothing to do.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable

from skillbag.base.records import NamedTuple
from skillbag.workspace.discovery import upward
from skillbag.workspace.target import SKILL_ROOT

_NOTHING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})

STORE, IGNORE = ".skillbag", ".gitignore"

Notice = Callable[[str], None]
"""Told, in a sentence, what is waited for or what was done."""


class Places(NamedTuple):
    """What a change may touch below its root, and where it is staged: a workspace's, or a mere folder's of skills.

    `root` is what errors call the root. `skills` is where its skills lie, relative to it: empty where it is nothing
    but skills. `stage` is the folder in `.skillbag` that a change is staged in, another for each kind of root: whoever
    recovers the one leaves the other alone.
    """

    root: str
    skills: str
    stage: str

    def skill(self, name: str) -> str:
        """The path of a skill's folder, relative to the root, with `/`."""
        return f"{self.skills}/{name}" if self.skills else name


WORKSPACE = Places("workspace", SKILL_ROOT, "transaction")
SKILLS_FOLDER = Places("folder of skills", "", "skills")
CHECKED_FOLDER = Places("folder", "", "fixes")
"""Where `check --fix` mends files, in whatever is checked: what it was killed at is recovered with everything else."""


def recover(root: str, wait: float = 60.0, notice: Notice | None = None, places: Places = WORKSPACE) -> bool:
    """Complete, or take back, the change of `root` (a workspace) that was interrupted; whether there was one.

    A change that is just being made by another process is waited for, up to `wait` seconds.

    Raises:
        OSError: it can be neither completed nor taken back now, or another process does not end; why, and what to do.
    """
    try:
        names = os.listdir(os.path.join(root, STORE))
    except OSError as error:
        if error.errno in _NOTHING:
            return False
        raise
    pending = [one for one in (places, CHECKED_FOLDER) if one.stage in names]
    if not pending and not set(names) - {IGNORE}:
        _tidy(root, places)
    done = [_recover(root, wait, notice, one) for one in pending]
    return any(done)


def recover_all(roots: Iterable[str], notice: Notice | None = None) -> bool:
    """`recover` each of these folders, workspace or not; whether there was anything to do in one of them."""
    found = [recover(root, notice=notice) for root in roots]
    return any(found)


def recover_around(paths: Iterable[str], top: str | None = None, notice: Notice | None = None) -> bool:
    """`recover` each folder that may be the root of a workspace with one of these absolute paths.

    To be called before the workspace is looked for: until then, the paths themselves may be out of their place.
    """
    folders = {path if os.path.isdir(path) else os.path.dirname(path) for path in paths}
    return recover_all({place for folder in folders for place in upward(folder, top)}, notice)


def _recover(root: str, wait: float, notice: Notice | None, places: Places) -> bool:
    from skillbag.transaction.pending import finish
    from skillbag.transaction.writer import holds, locked

    if holds(root):
        # The change is our own, and under way.
        return False

    def waiting() -> None:
        if notice:
            notice(f"{root}: waiting for another process that is changing this {places.root}…")

    with locked(root, wait, waiting, places):
        return finish(os.path.realpath(root), notice, places)


def _tidy(root: str, places: Places) -> None:
    """Killed at its very last moment, a change leaves an empty folder."""
    from skillbag.transaction.store import Store
    from skillbag.transaction.writer import locked

    with contextlib.suppress(OSError), locked(root, 0):
        Store(os.path.realpath(root), places).tidy()
