"""What the lock records of a skill, compared with what it recorded before."""

from __future__ import annotations

import os

from skillbag.kernel.workspace.extras import executables
from skillbag.kernel.workspace.lock_file import LOCK, Locked
from skillbag.supply.install.changed_versions import is_of_lock
from skillbag.supply.install.outcome import StoppedError
from skillbag.supply.install.source_integrity import mismatch
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.fetched import Fetched
from skillbag.supply.sources.skill_layout import PLAIN, folder_in_source


def recorded(
    state: InstalledState, name: str, fetched: Fetched, folder: str, tree: str, asked_by: tuple[str, ...]
) -> Locked:
    """The lock's entry of a skill from a source, which has it in the absolute `folder`."""
    # Windows has no executable bit.
    bits = executables(folder) if os.name == "posix" else None
    return Locked(
        fetched.source.declared,
        fetched.source.kind.lock_kind,
        fetched.requested,
        fetched.resolved,
        tree,
        asked_by,
        PLAIN if fetched.plain is not None else None,
        _ref(state, name, fetched),
        bits,
        folder=folder_in_source(fetched, name),
    )


def check_recorded(state: InstalledState, name: str, fetched: Fetched, tree: str) -> None:
    """Check that the same commit or archive has the same tree whenever it is fetched.

    Raises:
        StoppedError: it has not.
    """
    locked = state.locked(name)
    if locked is None or locked.resolved is None or locked.resolved != fetched.resolved or locked.tree == tree:
        return
    raise StoppedError(mismatch(state, name, f"its content is not what {LOCK} says")._replace(skills=(name,)))


def _ref(state: InstalledState, name: str, fetched: Fetched) -> str | None:
    """The kind of the version; of a locked commit, its kind when it was locked."""
    if fetched.ref is not None or not fetched.source.kind.has_revisions:
        return fetched.ref
    locked = state.locked(name)
    return locked.ref if locked is not None and is_of_lock(state, name, fetched) else None
